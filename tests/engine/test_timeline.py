"""The conversation of a branch and topic: every agent's words and commands, once, in order."""

from __future__ import annotations

import json
import shutil
from typing import Any

import pytest

from tests.repository import SETTINGS, Repository


def timeline(project: Repository, *arguments: str) -> dict[str, Any]:
    done = project.engine("timeline", "--json", *arguments)
    assert done.returncode == 0, done.stderr
    value: dict[str, Any] = json.loads(done.stdout)
    return value


@pytest.mark.parametrize("runtime", SETTINGS)
def test_what_was_said_and_done_in_a_recorded_session(project: Repository, runtime: str) -> None:
    project.play(runtime)
    value = timeline(project)
    (one,) = value["sessions"]
    assert one["runtime"] == runtime
    assert one["native_id"] in one["resume_command"]
    kinds = [entry["kind"] for entry in value["entries"]]
    assert kinds[0] == "prompt"
    assert kinds[-1] == "reply"
    packet = project.active()
    ran = [(e["text"], e["exit_code"]) for e in value["entries"] if e["kind"] == "command"]
    assert ran == [(run["command"], run["exit_code"]) for run in packet["commands_run"]]
    assert value["entries"][-1]["text"].startswith(packet["last_statement"][:100])
    assert {entry["runtime"] for entry in value["entries"]} == {runtime}
    assert [made["next_action"] for made in value["packets"]] == [packet["next_action"]]
    assert project.hook_log() == ""


def test_it_is_one_conversation_across_agents(project: Repository) -> None:
    for runtime in SETTINGS:
        project.play(runtime)
    value = timeline(project)
    assert {one["runtime"] for one in value["sessions"]} == set(SETTINGS)
    assert {entry["runtime"] for entry in value["entries"]} == set(SETTINGS)
    times = [entry["at"] for entry in value["entries"] if entry["at"]]
    assert times == sorted(times)
    part = timeline(project, "-n", "5")
    assert part["entries"] == value["entries"][-5:]
    assert part["truncated"]["entries"] == {"kept": 5, "total": len(value["entries"])}
    shown = project.engine("timeline").stdout
    assert "  $ python3 lint.py" in shown or "lint.py" in shown


def test_it_outlives_the_state_of_the_work_tree(project: Repository) -> None:
    for runtime in ("claude-code", "opencode"):
        project.play(runtime)
    before = timeline(project)
    shutil.rmtree(project.path / ".handoff" / "state")
    after = timeline(project)
    assert after["entries"] == before["entries"]
    assert len(after["entries"]) > 5


def test_another_topic_is_another_conversation(project: Repository) -> None:
    project.play("claude-code")
    project.engine("topic", "use", "parser")
    project.play("codex")
    assert {entry["runtime"] for entry in timeline(project)["entries"]} == {"codex"}
    other = timeline(project, "--topic", "default")
    assert {entry["runtime"] for entry in other["entries"]} == {"claude-code"}
