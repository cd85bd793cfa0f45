"""What the real OpenCode keeps of a session, and its plugin does not hear of."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

import pytest

from tests.repository import Repository

from .agents import RUN, AgentRun
from .test_conversation import timeline

pytestmark = pytest.mark.real

SUBAGENT = 'STEPS=[{"bash": "echo below; exit 5"}, {"text": "Reported."}]'


def run(project: Repository, home: Path, *steps: dict[str, Any], **more: Any) -> AgentRun:
    return RUN["opencode"](project.path, home, steps, **more)


def call(tool: str, **given: Any) -> dict[str, Any]:
    return {"calls": [[tool, given]]}


def spoken(project: Repository) -> list[tuple[str, str]]:
    return [(one["kind"], one["text"]) for one in timeline(project)["entries"]]


def test_failed_tools_replies_in_between_and_subagents_are_in_the_timeline(
    scratch: Repository, tmp_path: Path
) -> None:
    missing = str(scratch.path / "missing.txt")
    task = {"description": "Look", "prompt": SUBAGENT, "subagent_type": "general"}
    done = run(
        scratch,
        tmp_path / "home",
        {"bash": "echo no >&2; exit 3"},
        call("read", filePath=missing),
        call("frobnicate", a=1),
        call("todowrite", todos=[{"content": "Leap", "status": "pending", "priority": "high"}]),
        call("task", **task),
        {"text": "All done."},
        prompt="Do the work",
    )
    assert done.returncode == 0, done.stderr
    entries = timeline(scratch)["entries"]
    assert [(one["kind"], one["text"], one["error"], one["exit_code"]) for one in entries] == [
        ("prompt", "Do the work", None, None),
        ("command", "echo no >&2; exit 3", None, 3),
        ("tool", f"read {missing}", "failed", None),
        ("tool", "frobnicate", "failed", None),
        ("tool", "task Look", None, None),
        ("command", "echo below; exit 5", None, 5),
        ("reply", "All done.", None, None),
    ]
    assert [one["by"] for one in entries if one["kind"] == "command"] == [None, "subagent"]
    assert entries[-1]["model"] == "scripted-model"
    assert f"File not found: {missing}" in entries[2]["output"]
    packet = scratch.active()
    assert [one["exit_code"] for one in packet["commands_run"]] == [3, 5]
    assert packet["next_action"] == "Leap"
    (kept,) = [one for one in packet["sources"] if one["kind"] == "transcript"]
    assert kept["path"].endswith("opencode.db")
    assert (kept["skipped"], kept["note"]) == (0, None)
    assert kept["records"] > 10
    assert packet["native_sessions"][0]["turns"] == 1
    assert scratch.hook_log() == ""


def test_a_killed_turn_is_recovered_by_another_agent_and_its_session_goes_on(
    scratch: Repository, tmp_path: Path
) -> None:
    home, marker = tmp_path / "home", tmp_path / "marker"
    missing, hangs = str(scratch.path / "missing.txt"), f"echo $$ > {marker}; sleep 3600"
    killed = run(
        scratch,
        home,
        {"bash": "echo one; exit 4"},
        call("read", filePath=missing),
        {"bash": hangs},
        {"text": "Never said."},
        prompt="Work on",
        kill_after=marker,
        kill_signal=signal.SIGKILL,
    )
    assert killed.returncode == 137
    told = RUN["claude-code"](scratch.path, home, [{"text": "I see."}], prompt="What happened?")
    assert told.model_read("echo one; exit 4")
    first = [("prompt", "Work on"), ("command", "echo one; exit 4"), ("tool", f"read {missing}")]
    assert spoken(scratch)[:3] == first
    (packet,) = [one for one in scratch.packets().values() if one["session"]["recovered"]]
    assert [(one["command"], one["exit_code"]) for one in packet["commands_run"]] == [
        ("echo one; exit 4", 4),
        (hangs, None),
    ]
    again = run(
        scratch,
        home,
        {"text": "Gone on."},
        prompt="Go on",
        resume=packet["session"]["native_id"],
    )
    assert again.returncode == 0, again.stderr
    assert spoken(scratch) == [
        *first,
        ("prompt", "What happened?"),
        ("reply", "I see."),
        ("prompt", "Go on"),
        ("reply", "Gone on."),
    ]
    assert scratch.active()["native_sessions"][0]["turns"] == 2
    assert scratch.hook_log() == ""


def test_a_fork_says_once_what_it_has_from_its_origin(scratch: Repository, tmp_path: Path) -> None:
    home = tmp_path / "home"
    done = run(
        scratch, home, {"bash": "echo one > one.txt"}, {"text": "First."}, prompt="Begin here"
    )
    assert done.returncode == 0, done.stderr
    origin = scratch.active()["session"]["native_id"]
    fork = run(
        scratch,
        home,
        {"text": "Second."},
        prompt="Go elsewhere",
        resume=origin,
        arguments=["--fork"],
    )
    assert fork.returncode == 0, fork.stderr
    assert scratch.active()["session"]["native_id"] != origin
    assert spoken(scratch) == [
        ("prompt", "Begin here"),
        ("command", "echo one > one.txt"),
        ("reply", "First."),
        ("prompt", "Go elsewhere"),
        ("reply", "Second."),
    ]


@pytest.mark.parametrize(
    ("variable", "value", "path"),
    [
        ("OPENCODE_DB", "mine.db", ".local/share/opencode/mine.db"),
        ("OPENCODE_DB", "{home}/elsewhere.db", "elsewhere.db"),
        ("XDG_DATA_HOME", "{home}/data", "data/opencode/opencode.db"),
        ("OPENCODE_DB", ":memory:", ""),
    ],
)
def test_the_database_is_found_where_it_is(
    scratch: Repository, tmp_path: Path, variable: str, value: str, path: str
) -> None:
    home = tmp_path / "home"
    other = home / ".local/share/opencode/opencode-dev.db"  # of another channel, unused
    other.parent.mkdir(parents=True)
    other.write_bytes(b"")
    env = {variable: value.format(home=home)}
    done = run(scratch, home, {"bash": "exit 3"}, {"text": "Done."}, prompt="Look there", env=env)
    assert done.returncode == 0, done.stderr
    words = [("prompt", "Look there"), ("command", "exit 3"), ("reply", "Done.")]
    assert spoken(scratch) == words
    kept = [one for one in scratch.active()["sources"] if one["kind"] == "transcript"]
    assert [one["path"] for one in kept] == ([f"~/{path}"] if path else [])
    assert scratch.hook_log() == ""
