"""`switch`: the conversation goes to another agent, or stays where it is and says why."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.repository import Repository, environment

from .test_lifecycle_cases import before_others, program
from .test_timeline import prompt, said, start, stop, timeline, turn


@pytest.fixture
def talk(project: Repository) -> Repository:
    """A conversation: Claude Code has worked, OpenCode has answered a question."""
    project.play("claude-code")
    said(project, "opencode", start("one") | {"cwd": str(project.path)})
    turn(project, "one", "What is left?", "The linter.")
    return project


def switch(project: Repository, *arguments: str, code: int = 0) -> dict[str, Any]:
    done = project.engine("switch", *arguments, "--print", "--json")
    assert done.returncode == code, done.stderr
    value: dict[str, Any] = json.loads(done.stdout)
    return value


def refused(project: Repository, *arguments: str) -> str:
    before = timeline(project)
    done = project.engine("switch", *arguments, "--print")
    assert (done.returncode, done.stdout) == (1, "")
    assert timeline(project) == before
    return done.stderr


def transcript_of_claude(talk: Repository) -> Path:
    """Where the record of the recorded session says from now on that its transcript is."""
    for path in (talk.path / ".handoff/state/sessions").glob("*.json"):
        value = json.loads(path.read_text())
        if value["runtime"] == "claude-code":
            transcript = talk.path / ".git" / "transcript.jsonl"
            path.write_text(json.dumps({**value, "transcript": str(transcript), "offset": 0}))
            return transcript
    raise AssertionError("no session of Claude Code")


def test_an_agent_that_took_part_gets_its_own_session_back(talk: Repository) -> None:
    (claude,) = [one for one in timeline(talk)["sessions"] if one["runtime"] == "claude-code"]
    transcript_of_claude(talk).touch()
    plan = switch(talk, "claude-code")
    assert plan["native_id"] == claude["native_id"]
    assert plan["command"] == claude["resume_command"]
    told = said(talk, "claude-code", prompt(claude["native_id"]))
    assert "The linter." in told
    assert switch(talk, "opencode", "--fresh", "--force")["command"] == "opencode"


def test_one_that_was_not_there_begins_and_is_told_the_conversation(talk: Repository) -> None:
    plan = switch(talk, "codex")
    assert (plan["session"], plan["command"], plan["folder"]) == (None, "codex", str(talk.path))
    told = said(talk, "codex", start("c-1"))
    assert "NEXT ACTION" in told
    assert "The linter." in told


def test_not_out_of_a_turn_nor_out_of_an_approval(talk: Repository) -> None:
    said(talk, "opencode", prompt("one", "Work on"))
    why = refused(talk, "codex")
    assert "opencode session one is in the middle of a turn, or waits for an approval" in why
    assert switch(talk, "codex", "--force")["command"] == "codex"
    talk.hook("opencode", stop("one", "Done."))
    assert switch(talk, "codex")["command"] == "codex"


def test_not_while_a_command_in_the_background_runs(talk: Repository) -> None:
    transcript = talk.path / ".git" / "rollout.jsonl"
    call = {"type": "function_call", "name": "shell", "call_id": "c", "arguments": ""}
    call["arguments"] = json.dumps({"command": ["bash", "-lc", "sleep 600"]})
    line = {"timestamp": "2026-11-30T10:00:00Z", "ordinal": 1, "payload": call}
    transcript.write_text(json.dumps(line) + "\n")
    at = {"session_id": "c-1", "transcript_path": str(transcript)}
    talk.hook("codex", {**at, "hook_event_name": "UserPromptSubmit", "prompt": "Wait"})
    talk.hook("codex", {**at, "hook_event_name": "Stop", "stop_hook_active": False})
    assert "codex session c-1 still runs `sleep 600`" in refused(talk, "opencode")


@pytest.mark.parametrize("runtime", ["claude-code", "qwen"])
def test_not_while_something_goes_on_after_the_turn(talk: Repository, runtime: str) -> None:
    running = {"id": "b", "type": "shell", "status": "running", "command": "make watch"}
    talk.hook(runtime, {**prompt("c-1", "Watch"), "session_id": "c-1"})
    talk.hook(runtime, {**stop("c-1", "Watching."), "background_tasks": [running]})
    assert f"{runtime} session c-1 still runs `make watch`" in refused(talk, "opencode")
    talk.hook(runtime, {**stop("c-1", "It ended."), "background_tasks": []})
    assert switch(talk, "opencode")["command"]


def test_not_while_a_subagent_runs(talk: Repository) -> None:
    transcript = talk.path / ".git" / "claude.jsonl"
    call = {"type": "tool_use", "id": "t", "name": "Task", "input": {"description": "Look around"}}
    row = {"type": "assistant", "timestamp": "2026-11-30T10:00:00Z", "message": {"content": [call]}}
    transcript.write_text(json.dumps(row) + "\n")
    at = {"session_id": "c-1", "transcript_path": str(transcript)}
    talk.hook("claude-code", {**at, "hook_event_name": "UserPromptSubmit", "prompt": "Wait"})
    talk.hook("claude-code", {**at, "hook_event_name": "Stop", "stop_hook_active": False})
    assert "claude-code session c-1 still runs `Task Look around`" in refused(talk, "opencode")


def test_two_at_once_are_one(talk: Repository) -> None:
    with ThreadPoolExecutor() as pool:
        done = list(pool.map(lambda _: talk.engine("switch", "codex", "--print"), range(4)))
    assert min(one.returncode for one in done) == 0
    for one in done:
        if one.returncode:
            assert "another switch of this conversation" in one.stderr, one.stderr
    assert switch(talk, "codex")["command"] == "codex"


def test_one_under_way_is_waited_for_and_a_killed_one_is_not(talk: Repository) -> None:
    ledger = ["--git-dir", str(talk.path / ".git/handoff/ledger.git")]
    ref = "refs/handoff/switch/main/default"

    def under_way(since: float) -> None:
        mark = json.dumps({"pid": 1, "at": since})
        blob = talk.git(*ledger, "hash-object", "-w", "--stdin", stdin=mark).strip()
        talk.git(*ledger, "update-ref", ref, blob)

    under_way(time.time())
    assert "another switch of this conversation is under way" in refused(talk, "codex")
    under_way(time.time() - 100)
    assert switch(talk, "codex")["command"] == "codex"
    assert talk.git(*ledger, "for-each-ref", ref) == ""


def test_a_conversation_that_moved_meanwhile_is_not_switched(
    talk: Repository, tmp_path: Path
) -> None:
    """Another session ends its turn just while the packet of this one is written."""
    said(talk, "opencode", start("two"))
    said(talk, "opencode", prompt("two", "Me too"))
    said(talk, "opencode", prompt("one", "Once more"))
    talk.hook("opencode", stop("one", "The linter, still."))
    talk.write("new.py", "x = 1\n")  # so that there is a packet to write
    git = shlex.quote(shutil.which("git") or "git")
    engine = f"{sys.executable} -I -S -B .handoff/engine hook opencode"
    end = json.dumps(stop("two", "Done meanwhile."))
    path = f"PATH={shlex.quote(os.environ['PATH'])}"
    speak = f"touch ../spoke; printf %s {shlex.quote(end)} | {path} {engine}"
    meant = '*" update-ref refs/handoff/active/"*'
    script = f'case " $* " in {meant}) [ -e ../spoke ] || {{ {speak}; }} ;; esac; exec {git} "$@"'
    program(tmp_path / "bin", "git", f"#!/bin/sh\n{script}\n")
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-B", ".handoff/engine", "switch", "codex", "--print"],
        cwd=talk.path,
        env={**environment(talk.path), "PATH": before_others(tmp_path / "bin")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert "another session spoke in this conversation meanwhile" in done.stderr
    assert timeline(talk)["entries"][-1]["text"] == "Done meanwhile."
    assert switch(talk, "codex")["command"] == "codex"


def test_an_agent_that_is_not_installed(
    talk: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("git", "sh"):
        found = shutil.which(name)
        assert found
        (tools / name).symlink_to(found)
    monkeypatch.setenv("PATH", str(tools))
    done = talk.engine("switch", "codex")
    assert done.returncode == 1
    assert "`codex` is not installed: the conversation stays where it is" in done.stderr
    assert "no runtime is called `nobody`" in talk.engine("switch", "nobody").stderr


def test_a_session_whose_transcript_is_gone_is_not_resumed(talk: Repository) -> None:
    transcript_of_claude(talk).unlink(missing_ok=True)
    plan = switch(talk, "claude-code")
    assert (plan["session"], plan["command"]) == (None, "claude")
    assert "is gone: a new session begins, and is told the conversation" in plan["notes"][0]


def test_a_working_directory_that_is_gone(talk: Repository) -> None:
    inner = talk.path / "inner"
    inner.mkdir()
    said(talk, "opencode", start("two") | {"cwd": str(inner)})
    turn(talk, "two", "In here?", "Yes.")
    assert switch(talk, "opencode")["folder"] == str(inner)
    inner.rmdir()
    plan = switch(talk, "opencode")
    assert (plan["session"], plan["folder"]) == ("two", str(talk.path))
    assert "where it was started, is gone" in plan["notes"][0]


def test_a_budget_bounds_what_is_told(talk: Repository) -> None:
    for number in range(20):
        turn(talk, "one", f"Question {number}", "so " * 200)
    switch(talk, "codex", "--budget", "600")
    told = said(talk, "codex", start("c-1"))
    conversation = told[told.index("<handoff-conversation>") :]
    assert len(conversation.encode()) <= 2_400
    assert "Question 19" in conversation
    assert not (talk.path / ".handoff/state/budget.json").exists()


@pytest.mark.parametrize(
    ("script", "code", "said"),
    [
        ("exit 0", 0, ""),
        ("exit 5", 1, "`codex` ended with 5 before a session began"),
        ("echo here; pwd; exit 0", 0, ""),
    ],
)
def test_it_is_the_foreground_program_in_the_right_folder(
    talk: Repository, tmp_path: Path, script: str, code: int, said: str
) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    program = tools / "codex"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    variables = environment(talk.path)
    done = subprocess.run(
        [sys.executable, "-m", "handoff_cli", "switch", "codex"],
        cwd=talk.path,
        env={**variables, "PATH": f"{tools}:{variables['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code, done.stderr
    assert said in " ".join(done.stderr.split())
    if "pwd" in script:
        assert done.stdout.split() == ["here", str(talk.path)]


def test_one_that_is_older_than_what_was_proved_is_started_and_that_is_told(
    talk: Repository, tmp_path: Path
) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    program = tools / "codex"
    program.write_text('#!/bin/sh\n[ "$1" = --version ] && echo codex-cli 0.99.1\nexit 0\n')
    program.chmod(0o755)
    variables = environment(talk.path)
    done = subprocess.run(
        [sys.executable, "-m", "handoff_cli", "switch", "codex"],
        cwd=talk.path,
        env={**variables, "PATH": f"{tools}:{variables['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "`codex` is 0.99.1, older than 0.171.0" in " ".join(done.stderr.split())


def test_the_command_alone_is_printed_on_request(talk: Repository) -> None:
    done = talk.handoff("switch", "codex", "--print")
    assert (done.returncode, done.stdout) == (0, f"cd {talk.path} && codex\n")
