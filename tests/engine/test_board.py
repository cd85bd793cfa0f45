"""`handoff board`: features in both shapes of the file, at most one of them in progress."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from engine import features
from engine.errors import HandoffError
from engine.model import Feature
from engine.project import Project
from engine.runs import Run
from engine.verbs import board as verb
from tests.repository import Repository

FILE = ".handoff/feature_list.json"
OLDER = """[
  {"id": "T-001", "goal": "Parse", "owner": "builder", "acceptance": ["pytest -q"], "status": "todo"},
  {"id": "T-007", "goal": "Print", "owner": "human", "acceptance": [], "status": "in_progress"}
]
"""  # noqa: E501


def board(project: Repository) -> Any:
    return json.loads((project.path / FILE).read_text(encoding="utf-8"))


def statuses(project: Repository) -> dict[str, str]:
    shown = json.loads(project.engine("board", "show", "--json").stdout)
    return {one["id"]: one["status"] for one in shown["features"]}


def test_a_feature_goes_from_todo_to_done(project: Repository) -> None:
    added = project.handoff("board", "add", "Accept empty lines", "--done-when", "pytest -q")
    assert (added.returncode, added.stdout) == (0, "F-1\n"), added.stderr
    assert project.handoff("board", "add", "--id", "X", "--", "--strict mode").stdout == "X\n"
    assert project.handoff("board", "start", "F-1").returncode == 0
    first, second = board(project)["features"]
    assert board(project)["active"] == "F-1"
    assert board(project)["project"] == "app"
    assert {key: first[key] for key in ("id", "status", "goal", "done_when")} == {
        "id": "F-1",
        "status": "in_progress",
        "goal": "Accept empty lines",
        "done_when": "pytest -q",
    }
    assert second == {"id": "X", "status": "todo", "goal": "--strict mode", "done_when": ""}
    assert project.handoff("board", "finish", "F-1").returncode == 0
    assert (statuses(project), board(project)["active"]) == ({"F-1": "done", "X": "todo"}, "")
    assert "F-1  done  Accept empty lines" in project.handoff("board", "show").stdout


def test_the_feature_in_progress_is_the_next_action(project: Repository) -> None:
    project.engine("board", "add", "Accept empty lines", "--done-when", "pytest -q")
    project.engine("board", "start", "F-1")
    assert project.engine("generate").returncode == 0
    packet = project.active()
    assert packet["next_action_source"] == "board"
    assert packet["next_action"].startswith("continue feature F-1: Accept empty lines")


def test_a_second_one_in_progress_is_refused_with_the_way_out(project: Repository) -> None:
    for goal in ("First", "Second"):
        project.engine("board", "add", goal)
    project.engine("board", "start", "F-1")
    before = (project.path / FILE).read_bytes()
    done = project.engine("board", "start", "F-2")
    assert done.returncode == 1
    assert "F-1 is in progress (First)" in done.stderr
    assert "handoff board finish F-1" in done.stderr
    assert (project.path / FILE).read_bytes() == before
    project.engine("board", "block", "F-1", "--reason", "no key")
    assert project.engine("board", "start", "F-2").returncode == 0
    assert statuses(project) == {"F-1": "blocked", "F-2": "in_progress"}
    assert board(project)["features"][0]["reason"] == "no key"
    assert board(project)["active"] == "F-2"


def test_two_in_progress_by_another_hand_are_told_and_can_be_mended(project: Repository) -> None:
    listed = [{"id": one, "status": "in_progress", "goal": one} for one in ("A", "B")]
    project.write(FILE, json.dumps({"features": listed}))
    shown = json.loads(project.engine("board", "show", "--json").stdout)
    assert shown["problems"] == ["more than one feature is in progress: A, B"]
    assert project.engine("board", "start", "B").returncode == 1
    assert project.engine("board", "finish", "A").returncode == 0
    assert statuses(project) == {"A": "done", "B": "in_progress"}


def test_the_same_command_again_changes_nothing(project: Repository) -> None:
    for arguments in (
        ("add", "First", "--done-when", "pytest -q"),
        ("start", "F-1"),
        ("block", "F-1", "--reason", "no key"),
        ("finish", "F-1"),
    ):
        project.engine("board", *arguments)
        before = (project.path / FILE).stat().st_mtime_ns
        again = project.engine("board", *arguments)
        assert (again.returncode, "nothing to change" in again.stderr) == (0, True)
        assert (project.path / FILE).stat().st_mtime_ns == before


def test_the_older_shape_stays_what_it_is(project: Repository) -> None:
    path = project.write(FILE, OLDER)
    assert project.engine("board", "start", "T-001").returncode == 1
    project.engine("board", "finish", "T-007")
    assert path.read_text() == OLDER.replace("in_progress", "done")
    added = project.engine("board", "add", "Ship", "--done-when", "make dist")
    assert added.stdout == "T-008\n"
    new = (
        '{"id": "T-008", "goal": "Ship", "owner": "builder", "acceptance": ["make dist"], '
        '"status": "todo"}'
    )
    expected = OLDER.replace("in_progress", "done").replace("}\n]", f"}},\n  {new}\n]")
    assert path.read_text() == expected


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"features": {}}', "`features` must be a list"),
        ('{"features": [{"id": 1, "status": "todo"}]}', "`id` must be a string"),
        ('{"features": [{"id": "A", "status": "wip"}]}', "`features[0].status` must be one of"),
        ("3", "`(top level)` must be an object"),
        ("{", "is not valid JSON"),
    ],
)
def test_a_wrong_shape_is_told_and_left_untouched(
    project: Repository, text: str, told: str
) -> None:
    path = project.write(FILE, text)
    done = project.engine("board", "add", "First")
    assert (done.returncode, told in done.stderr) == (1, True), done.stderr
    assert f"`{FILE}`" in done.stderr
    assert path.read_text() == text


def test_an_id_or_goal_that_is_taken_is_refused(project: Repository) -> None:
    project.engine("board", "add", "First", "--id", "A")
    for arguments in (("Other", "--id", "A"), ("First", "--done-when", "true")):
        done = project.engine("board", "add", *arguments)
        assert (done.returncode, "has A already" in done.stderr) == (1, True)
    done = project.engine("board", "start", "B")
    assert (done.returncode, "no feature with the id `B`" in done.stderr) == (1, True)
    assert "it has: A" in done.stderr
    assert project.engine("board", "add", "Next", "--id", "a b").returncode == 1


def run(command: str, exit_code: int | None = 0, at: float | None = 200.0) -> Run:
    return Run(command, "s", command, exit_code, started_at=at)


def proved(done_when: str, *runs: Run, status: str = "in_progress", since: str = "") -> bool:
    return features.proved([Feature("F-1", status, "", done_when, since)], runs) == ("F-1",)


@pytest.mark.parametrize(
    ("done_when", "runs", "expected"),
    [
        ("pytest -q", [run("pytest -q")], True),
        ("pytest -q", [run("cd /repo && pytest -q 2>&1")], True),
        ("pytest -q", [], False),
        ("pytest -q", [run("pytest -q"), run("pytest -q", 1)], False),
        ("pytest -q", [run("pytest -q", None)], False),
        ("pytest -q && ruff check", [run("ruff check"), run("pytest -q")], True),
        ("pytest -q && ruff check", [run("pytest -q && ruff check")], True),
        ("pytest -q && ruff check", [run("pytest -q")], False),
        ("pytest -q && ruff check", [run("pytest -q && ruff check"), run("ruff check", 1)], False),
        ("pytest -q && ruff check", [run("pytest -q && ruff check", 1), run("pytest -q")], False),
        ("pytest -q", [run("pytest -q | tail")], False),
        ("pytest -q && the docs say so", [run("pytest -q")], False),
        ("sh -c 'a && b'", [run("sh -c 'a && b'")], True),
        ("", [run("pytest -q")], False),
    ],
)
def test_a_feature_is_proved_by_the_last_run_of_each_command(
    done_when: str, runs: list[Run], expected: bool
) -> None:
    assert proved(done_when, *runs) is expected


def test_only_a_feature_in_progress_is_proved_and_by_later_runs_only() -> None:
    assert not proved("pytest -q", run("pytest -q"), status="todo")
    assert not proved("pytest -q", run("pytest -q", at=200.0), since="1970-01-01T00:05:00Z")
    assert proved("pytest -q", run("pytest -q", at=301.5), since="1970-01-01T00:05:00Z")


def test_what_a_session_proved_is_written_back_as_done(project: Repository) -> None:
    command = "python3 -m unittest -q"
    project.engine("board", "add", "Accept empty lines", "--done-when", command)
    features_ = Project(str(project.path))
    project.play("claude-code")
    (session,) = features_.sessions()
    assert verb.close_finished(features_, session) == ()  # not in progress
    project.engine("board", "start", "F-1")
    log = project.path / ".handoff/state/feedback_record.jsonl"
    entry = json.loads(log.read_text().splitlines()[0])
    entry.update(command_id="late", command=command, exit_code=0, started_at=time.time() + 5)
    with log.open("a") as file:
        file.write(json.dumps(entry) + "\n")
    assert verb.close_finished(features_, session) == ("F-1",)
    assert statuses(project) == {"F-1": "done"}
    assert verb.close_finished(features_, session) == ()


def test_a_board_that_cannot_be_read_stops_no_session(project: Repository) -> None:
    project.play("claude-code")
    path = project.write(FILE, "{")
    inside = Project(str(project.path))
    assert verb.close_finished(inside, inside.sessions()[-1]) == ()
    assert path.read_text() == "{"


def test_a_new_board_in_the_folder_root_has_a_name(tmp_path: Path) -> None:
    with pytest.raises(HandoffError):
        features.checked(features.read("b.json", b'{"features": 1}'))
    assert features.read("b.json", None, "app").document.value["project"] == "app"
