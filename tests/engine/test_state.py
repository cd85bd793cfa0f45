"""`handoff state`: what an agent notes down, in its own file or in another tool's."""

from __future__ import annotations

import json
import os
from typing import Any

import pytest

from engine import notes
from engine.errors import HandoffError
from tests.repository import Repository

FILE = ".handoff/state/agent_state.json"
FOREIGN = """{
    "owner": {"tool": "other", "since": 1.50e1},
    "schema_version": 1,
    "next_action": "an older step",
    "blockers": ["caf\\u00e9"],
    "zzz": [1, 2]
}
"""


def state(project: Repository) -> dict[str, Any]:
    value: dict[str, Any] = json.loads((project.path / FILE).read_text(encoding="utf-8"))
    return value


def test_a_new_file_has_the_whole_shape(project: Repository) -> None:
    done = project.handoff("state", "set", "next_action", "add the missing  annotation ")
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert state(project) == {
        "schema_version": 1,
        "active_task_id": None,
        "touched_files": [],
        "assumptions": [],
        "blockers": [],
        "questions": [],
        "next_action": "add the missing annotation",
        "next_action_session": "manual",
    }
    assert project.git("status", "--porcelain", "--", FILE) == ""


def test_every_kind_of_note_reaches_the_packet(project: Repository) -> None:
    project.play("claude-code")
    for arguments in (
        ("set", "next_action", "--", "-- run lint.py"),
        ("set", "active_task", "T-001"),
        ("add", "blocker", "the key has expired"),
        ("add", "assumption", "empty lines carry no comment"),
        ("add", "question", "which release?"),
    ):
        assert project.handoff("state", *arguments).returncode == 0
    assert project.handoff("generate").returncode == 0
    packet = project.active()
    assert (packet["next_action"], packet["next_action_source"]) == ("-- run lint.py", "state")
    assert packet["task"]["id"] == "T-001"
    assert "the key has expired" in [risk["detail"] for risk in packet["open_risks"]]
    assert packet["assumptions_to_validate"] == ["empty lines carry no comment"]
    assert packet["questions_for_human"] == ["which release?"]


def test_the_session_decides_what_is_new_and_not_the_files_time(project: Repository) -> None:
    project.play("claude-code", session_id="first")
    project.engine("state", "set", "next_action", "the step of the first session")
    assert state(project)["next_action_session"] == "first"
    project.engine("generate")
    assert project.active()["next_action_source"] == "state"
    project.play("codex", session_id="second")
    os.utime(project.path / FILE)  # as a checkout does
    project.engine("state", "add", "blocker", "something else")
    project.engine("generate")
    assert project.active()["next_action"] == "Make lint.py pass"
    shown = json.loads(project.engine("state", "show", "--json").stdout)
    assert (shown["next_action"], shown["set_in_this_session"]) == (
        "the step of the first session",
        False,
    )
    project.engine("state", "set", "next_action", "the step of the first session")
    assert state(project)["next_action_session"] == "second"
    project.engine("generate")
    assert project.active()["next_action_source"] == "state"


def test_a_file_that_does_not_say_its_session_is_as_new_as_its_time(project: Repository) -> None:
    project.play("claude-code")
    path = project.write(FILE, '{"next_action": "written by hand"}')
    project.engine("generate")
    assert project.active()["next_action"] == "written by hand"
    os.utime(path, (1, 1))
    project.engine("generate")
    assert project.active()["next_action_source"] == "plan"


def test_the_file_of_another_tool_keeps_every_byte_that_is_not_ours(project: Repository) -> None:
    path = project.write(FILE, FOREIGN)
    project.engine("state", "set", "next_action", "one step")
    project.engine("state", "add", "blocker", "no key")
    project.engine("state", "add", "question", "why?")
    assert path.read_text(encoding="utf-8") == (
        FOREIGN.replace("an older step", "one step")
        .replace('["caf\\u00e9"]', '["caf\\u00e9", "no key"]')
        .replace(
            "[1, 2]\n",
            '[1, 2],\n    "next_action_session": "manual",\n'
            '    "questions": [\n        "why?"\n    ]\n',
        )
    )
    project.engine("state", "drop", "blocker", "no key")
    assert '["caf\\u00e9"]' in path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"blockers": "none"}', "`blockers` must be a list of strings"),
        ('{"next_action": 7}', "`next_action` must be a string"),
        ('{"schema_version": 2}', "`schema_version` must be 1"),
        ('{"touched_files": [1]}', "`touched_files` must be a list of strings"),
        ("[]", "`(top level)` must be an object"),
        ("{", "is not valid JSON"),
    ],
)
def test_a_wrong_shape_is_told_and_left_untouched(
    project: Repository, text: str, told: str
) -> None:
    path = project.write(FILE, text)
    done = project.engine("state", "add", "blocker", "no key")
    assert done.returncode == 1
    assert f"`{FILE}`" in done.stderr
    assert told in done.stderr
    assert path.read_text(encoding="utf-8") == text


def test_what_is_there_but_no_file_is_not_replaced(project: Repository) -> None:
    (project.path / FILE).mkdir(parents=True)
    done = project.engine("state", "add", "blocker", "no key")
    assert done.returncode == 1
    assert "cannot be read" in done.stderr


def test_the_same_command_again_changes_nothing(project: Repository) -> None:
    for arguments in (
        ("set", "next_action", "one step"),
        ("set", "active_task", "F-1"),
        ("add", "question", "which release?"),
        ("drop", "question", "which  release?"),
        ("clear", "next_action"),
        ("clear", "active_task"),
    ):
        assert "nothing to change" not in project.engine("state", *arguments).stderr
        before = (project.path / FILE).stat().st_mtime_ns
        again = project.engine("state", *arguments)
        assert (again.returncode, "nothing to change" in again.stderr) == (0, True)
        assert (project.path / FILE).stat().st_mtime_ns == before
    assert state(project)["next_action"] == ""
    assert state(project)["active_task_id"] is None


def test_notes_are_dropped_by_the_number_that_show_gives_them(project: Repository) -> None:
    for note in ("one", "2", "three"):
        project.engine("state", "add", "blocker", f"{note} left" if note != "2" else note)
    assert "  3. three left" in project.engine("state", "show").stdout
    project.handoff("state", "drop", "blocker", "3")
    project.handoff("state", "drop", "blocker", "2")  # one that reads like that goes first
    assert state(project)["blockers"] == ["one left"]
    done = project.handoff("state", "drop", "blocker", "2")
    assert (done.returncode, "there is no blocker 2" in done.stderr) == (1, True)


def test_a_secret_never_reaches_the_file(project: Repository) -> None:
    secret = "ghp_" + "a1B2" * 9
    done = project.engine("state", "add", "blocker", f"the token {secret} has expired")
    assert "1 secret replaced by a marker" in done.stderr
    assert state(project)["blockers"] == ["the token [redacted:github-token] has expired"]
    project.engine("state", "drop", "blocker", f"the token {secret} has expired")
    assert state(project)["blockers"] == []


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("", "is empty"),
        (" \n\t", "is empty"),
        ("\u200b\u202e", "is empty"),
        ("first\nthen", "has 2 lines"),
        ("TBD", "is a placeholder"),
        ("<the next step>", "is a placeholder"),
        ("…", "is a placeholder"),
        ("n/a", "is a placeholder"),
        ("x" * 401, "has 401 characters"),
    ],
)
def test_words_that_say_nothing_are_refused(words: str, told: str) -> None:
    with pytest.raises(HandoffError, match=told):
        notes.said("next_action", words, 400)


def test_words_are_written_as_one_line_that_can_be_seen() -> None:
    assert notes.said("x", " make\t`a`  pass\n") == notes.Said("make `a` pass", ())
    assert notes.said("x", "make\u200b it\x1b pass").text == "make it pass"
    assert notes.said("x", "do nothing about None").text == "do nothing about None"
