"""Hard inputs from public trouble reports; the number is that of our collection of cases."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from engine import registry
from engine.runtimes import base
from tests import repository
from tests.repository import SETTINGS, Repository, environment

CASES = Path(__file__).parents[1] / "data" / "cases"


def case(name: str) -> Any:
    return json.loads((CASES / name).read_text(encoding="utf-8"))


def test_b04_the_last_words_come_from_the_hook_while_the_transcript_lags(
    project: Repository, tmp_path: Path
) -> None:
    folder = CASES / "late-transcript"
    transcript = tmp_path / "t.jsonl"
    payload = case("late-transcript/hook_input.json") | {"transcript_path": str(transcript)}
    project.write("app.py", "print('parsed')\n")
    for state in ("transcript_at_hook_time.jsonl", "transcript_after_flush.jsonl"):
        transcript.write_bytes((folder / state).read_bytes())
        project.hook("claude-code", payload)
        ((session_id, packet),) = project.packets().items()
        assert session_id == payload["session_id"]
        assert json.dumps(packet).count("Done: parser fixed") == 1
        runs = [(run["command"], run["exit_code"]) for run in packet["commands_run"]]
        assert runs == [("pytest -q", 1), ("pytest -q", 0)]
        assert packet == project.active()


@pytest.mark.parametrize("given", ["absent", "directory", "empty", "missing", "null"])
def test_b05_without_a_transcript_the_packet_comes_from_git_and_says_so(
    project: Repository, given: str
) -> None:
    project.write("app.py", "print('changed')\n")
    project.hook("claude-code", case(f"missing-transcript/hook_input_{given}.json"))
    packet = project.active()
    assert packet["commands_run"] == []
    assert [item["path"] for item in packet["changed_files"]] == ["app.py"]
    assert "transcript unavailable" in {
        risk["detail"].split(":")[0] for risk in packet["open_risks"]
    }
    (source,) = [one for one in packet["sources"] if one["kind"] == "transcript"]
    assert source["note"].startswith("transcript unavailable")
    assert project.hook_log() == ""


@pytest.mark.parametrize("runtime", SETTINGS)
def test_b06_the_installed_command_works_from_standard_input_alone(
    project: Repository, runtime: str
) -> None:
    project.write("app.py", "print('changed')\n")
    event = registry.hooks(runtime).EVENTS[base.TURN_END][0]
    payload = {"session_id": "s-1", "hook_event_name": event, "last_assistant_message": "ok"}
    for command in project.hook_commands(runtime, event):
        done = subprocess.run(
            ["sh", "-c", command],
            input=json.dumps(payload),
            cwd=project.path,
            env={"PATH": os.environ["PATH"]},
            text=True,
            capture_output=True,
            check=False,
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert project.active()["session"]["id"] == "s-1"


def test_b09_five_identical_ends_leave_one_packet_with_the_same_bytes(project: Repository) -> None:
    project.write("app.py", "print('tidied')\n")
    payload = case("repeated-end/end.json")
    payload["transcript_path"] = str(CASES / "repeated-end" / "t.jsonl")
    folder = project.path / "outputs" / "handoff" / payload["session_id"]
    seen = set()
    for _ in range(5):
        project.hook("claude-code", payload)
        files = sorted(path.name for path in folder.iterdir())
        assert files == ["handoff.json", "handoff.md"]
        seen.add(b"".join((folder / name).read_bytes() for name in files))
    assert len(seen) == 1
    assert list(project.packets()) == [payload["session_id"]]
    log = (project.path / ".handoff/state/feedback_record.jsonl").read_text().splitlines()
    assert len(log) == 1


def test_b09_two_hooks_at_once_leave_one_packet_and_no_temporary_file(project: Repository) -> None:
    project.write("app.py", "print('tidied')\n")
    payload = case("repeated-end/end.json")
    payload["transcript_path"] = str(CASES / "repeated-end" / "t.jsonl")
    (command,) = project.hook_commands("claude-code", "SessionEnd")
    for _ in range(20):
        pair = [
            subprocess.Popen(
                ["sh", "-c", command],
                stdin=subprocess.PIPE,
                cwd=project.path,
                env=environment(project.path),
                text=True,
            )
            for _ in range(2)
        ]
        for process in pair:
            process.communicate(json.dumps(payload), timeout=60)
        assert [process.returncode for process in pair] == [0, 0]
    assert list(project.packets()) == [payload["session_id"]]
    assert project.packets()[payload["session_id"]] == project.active()
    assert [path for path in project.path.rglob("*.tmp") if ".git" not in path.parts] == []
    assert project.hook_log() == ""


@pytest.mark.parametrize("runtime", SETTINGS)
def test_b13_hooks_run_in_a_folder_whose_name_needs_quoting(tmp_path: Path, runtime: str) -> None:
    made = repository.new(tmp_path / "R$D & co" / "My Repo (v2)" / "it's app")
    made.write("a.txt", "a\n")
    assert made.handoff("init", "--defaults", "--runtime", runtime).returncode == 0
    for events in registry.hooks(runtime).EVENTS.values():
        for event in events:
            payload = {"session_id": "s-1", "hook_event_name": event, "source": "startup"}
            made.hook(runtime, payload)
    assert made.active()["changed_files"][0]["path"] == "a.txt"
    assert made.hook_log() == ""


def test_b17_a_settings_file_of_others_keeps_all_that_is_theirs(tmp_path: Path) -> None:
    theirs = (CASES.parent / "settings" / "foreign_hooks.json").read_bytes()
    made = repository.new(tmp_path / "app")
    settings = made.path / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_bytes(theirs)
    made.commit("start")
    assert made.handoff("init", "--defaults").returncode == 0
    before, after = json.loads(theirs), json.loads(settings.read_bytes())
    assert list(before) == list(after)
    for event, groups in before["hooks"].items():
        kept = after["hooks"][event]
        assert kept[: len(groups)] == groups if isinstance(groups, list) else kept == groups
    for event in ("SessionStart", "SessionEnd", "Stop"):
        assert len(after["hooks"][event]) == len(before["hooks"].get(event, [])) + 1
    assert b'\n    "model": "opus"' in settings.read_bytes()
    assert made.handoff("hooks", "remove").returncode == 0
    assert settings.read_bytes() == theirs


@pytest.mark.parametrize("staged", [False, True])
def test_b46_before_the_first_commit_head_is_null_and_the_branch_is_known(
    tmp_path: Path, staged: bool
) -> None:
    made = repository.new(tmp_path / "app", branch="trunk")
    assert made.handoff("init", "--defaults").returncode == 0
    if staged:
        made.write("a", "a\n")
        made.git("add", "a")
    stop = {
        "session_id": "s-1",
        "hook_event_name": "Stop",
        "last_assistant_message": "Next: say hi",
    }
    made.hook("claude-code", stop)
    packet = made.active()
    assert (packet["head_commit"], packet["branch"]) == (None, "trunk")
    assert [item["path"] for item in packet["changed_files"]] == (["a"] if staged else [])
    assert ("tree.dirty" in {risk["code"] for risk in packet["open_risks"]}) == staged


def test_b44_exit_codes_of_older_rollouts_come_from_what_codex_wrote_around_the_output(
    project: Repository,
) -> None:
    project.write("app.py", "print('changed')\n")
    stop = {"session_id": "s-1", "hook_event_name": "Stop"}
    project.hook("codex", stop | {"transcript_path": str(CASES / "codex-older-rollout.jsonl")})
    packet = project.active()
    assert {run["command"]: run["exit_code"] for run in packet["commands_run"]} == {
        "pytest -q": 1,
        "ruff check .": 0,
        "npm run lint": None,
        "make deploy": None,
    }
    assert packet["task"]["goal"] == "run the tests"
