"""`close` in a real repository: clean, verified and handed over in one go, or told what to mend."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests import repository
from tests.repository import Repository


@pytest.fixture
def session(project: Repository) -> Repository:
    """A project in whose session a file was written and committed; all is refused, nothing red."""
    project.configure(
        acceptance_commands=["python3 app.py"],
        gate=dict.fromkeys(("working_tree", "temporary_artifacts", "tests", "board"), "refuse"),
    )
    project.hook("claude-code", event("SessionStart", source="startup"))
    project.hook("claude-code", event("UserPromptSubmit", prompt="Say more"))
    project.write("app.py", "print('hello, world')\n")
    project.commit("Say more", "app.py")
    project.engine("state", "set", "next_action", "Translate the greeting")
    return project


def event(name: str, **keys: Any) -> dict[str, Any]:
    return {"hook_event_name": name, "session_id": "s-1", "transcript_path": "", **keys}


def files(project: Repository) -> dict[str, bytes]:
    """Everything `close` writes for a reader, and what the ledger has."""
    found = {
        str(path.relative_to(project.path)): path.read_bytes()
        for folder in ("outputs", ".handoff/state/verification")
        for path in sorted((project.path / folder).rglob("*"))
        if path.is_file()
    }
    refs = project.git("--git-dir=.git/handoff/ledger.git", "for-each-ref")
    return {**found, "refs": refs.encode()}


def test_a_clean_and_green_session_is_handed_over(session: Repository) -> None:
    done = session.engine("close")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "outputs/handoff/s-1/handoff.json\n"
    assert done.stderr.splitlines()[-2:] == ["clean", "next action: Translate the greeting"]
    packet = session.active()
    assert [(run["command"], run["exit_code"]) for run in packet["commands_run"]] == [
        ("python3 app.py", 0)
    ]
    assert packet["last_known_good_commit"] == packet["head_commit"]
    assert packet["verdict_pointer"]["verification"]["path"].endswith("/s-1.json")


@pytest.mark.parametrize("state", ["green", "red", "dirty"])
def test_closing_again_without_a_change_gives_the_same_bytes(
    session: Repository, state: str
) -> None:
    if state != "green":
        session.write("app.py", "raise SystemExit(3)\n")
    if state == "red":
        session.commit("Break it", "app.py")
    first = session.engine("close")
    assert first.returncode == (0 if state == "green" else 3)
    before = files(session)
    again = session.engine("close")
    assert (again.returncode, again.stdout) == (first.returncode, first.stdout)
    assert "nothing has changed since" in again.stderr
    assert files(session) == before


def test_a_change_is_verified_again(session: Repository) -> None:
    assert session.engine("close").returncode == 0
    session.write("app.py", "raise SystemExit(3)\n")
    session.commit("Break it", "app.py")
    again = session.engine("close")
    assert again.returncode == 3
    assert "blocked: acceptance.failed: `python3 app.py` failed with exit code 3" in again.stderr
    assert "  mend: make it pass and run it bare" in again.stderr
    assert again.stderr.endswith("not handed over: mend this, then run `close` again\n")


def test_a_command_that_ran_since_is_reason_enough_to_verify_again(session: Repository) -> None:
    assert session.engine("close").returncode == 0
    session.engine("run", "--", "true")
    assert "nothing has changed since" not in session.engine("close").stderr


def test_every_reason_is_told_at_once(session: Repository) -> None:
    session.write("app.py", "raise SystemExit(3)\n")
    session.write("notes.tmp", "x\n")
    done = session.engine("close")
    assert done.returncode == 3
    assert done.stdout == "outputs/handoff/s-1/blocked.json\n"
    for code in ("tree.dirty", "artifact.temporary", "acceptance.failed"):
        assert f"blocked: {code}: " in done.stderr
    blocked = json.loads((session.path / done.stdout.strip()).read_text())
    assert blocked["next_action"] == "Translate the greeting"
    assert blocked["failed_attempts"][0]["exit_code"] == 3
    clean = json.loads((session.path / ".handoff/state/clean_state.json").read_text())
    assert {one["code"] for one in clean["issues"]} >= {"tree.dirty", "artifact.temporary"}


def test_no_verify_goes_by_what_is_recorded(session: Repository) -> None:
    done = session.engine("close", "--no-verify")
    assert done.returncode == 3
    assert "acceptance.missing" in done.stderr
    assert "$ python3 app.py" not in done.stderr


def test_a_feature_that_its_command_proves_is_done_and_the_board_is_no_dirt(
    session: Repository,
) -> None:
    session.configure(artifacts={"board": "board.json"})
    assert session.engine("board", "add", "Say more", "--done-when", "python3 app.py").stdout
    assert session.engine("board", "start", "F-1").returncode == 0
    done = session.engine("close")
    assert done.returncode == 0, done.stderr
    board = json.loads((session.path / "board.json").read_text())
    assert board["features"][0]["status"] == "done"
    assert "board.json" not in [item["path"] for item in session.active()["changed_files"]]


def test_somebody_s_own_change_to_the_board_stays_dirt(session: Repository) -> None:
    session.configure(artifacts={"board": "board.json"})
    session.write("board.json", '{"features": []}\n')
    assert session.engine("board", "add", "Say more").returncode == 0
    assert "tree.dirty: not committed: `board.json`" in session.engine("close").stderr


def test_in_a_subfolder_every_path_is_from_the_repository_s_root(
    prototype: Path, tmp_path: Path
) -> None:
    whole = repository.new(tmp_path / "whole")
    project = Repository(whole.path / "packages" / "app")
    shutil.copytree(prototype, project.path, ignore=shutil.ignore_patterns(".git"))
    whole.commit("start")
    project.hook("claude-code", event("SessionStart", source="startup"))
    project.engine("state", "set", "next_action", "Translate the greeting")
    project.engine("verify")
    project.write("app.py", "print('hello, world')\n")
    assert project.engine("close").returncode == 0
    packet = project.active()
    loaded = {one["path"]: one["sha256"] for one in packet["next_session_prereqs"]}
    assert "packages/app/app.py" in loaded
    assert "packages/app/.handoff/state/agent_state.json" in loaded
    assert packet["verdict_pointer"]["verification"]["path"].startswith("packages/app/.handoff/")
    told = project.hook("codex", event("SessionStart", source="startup") | {"session_id": "s-2"})
    assert "changed since" not in told
