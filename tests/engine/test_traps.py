"""Ways of real runtimes that are easy to fall into; each was seen on the program itself."""

from __future__ import annotations

import json
import threading
from typing import Any

import pytest

from engine import registry
from engine.runtimes import base
from tests.repository import SETTINGS, Repository

PLUGINS = [name for name in registry.RUNTIMES if registry.hooks(name).SHAPE == base.PLUGIN]

STATE = ".handoff/state/sessions"


def context(said: str) -> str:
    reply = json.loads(said)
    return str(reply["hookSpecificOutput"]["additionalContext"])


def test_what_gemini_does_not_hear_at_a_cleared_start_it_is_told_with_the_first_prompt(
    project: Repository,
) -> None:
    project.play("claude-code")
    session = {"session_id": "s-2", "transcript_path": ""}
    start = {**session, "hook_event_name": "SessionStart", "source": "clear"}
    prompt = {**session, "hook_event_name": "BeforeAgent", "prompt": "Go on"}
    assert project.hook("gemini", start) == ""
    told = context(project.hook("gemini", prompt))
    assert "NEXT ACTION (from plan): Make lint.py pass" in told
    assert project.hook("gemini", prompt) == ""
    assert "NEXT ACTION" in context(project.hook("gemini", {**start, "source": "startup"}))


def test_a_session_that_gemini_ends_three_times_has_one_packet(project: Repository) -> None:
    project.play("gemini")
    (packet,) = project.packets().values()
    end = {"session_id": packet["session"]["native_id"], "hook_event_name": "SessionEnd"}
    files = {path: path.read_bytes() for path in project.path.glob("outputs/handoff/*/*")}
    for _ in range(2):
        assert project.hook("gemini", {**end, "reason": "exit", "transcript_path": ""}) == ""
    assert {path: path.read_bytes() for path in project.path.glob("outputs/handoff/*/*")} == files


def test_what_copilot_writes_down_a_moment_after_its_turn_ended_is_in_the_packet(
    project: Repository,
) -> None:
    events = project.write(".git/events.jsonl", "")
    last = {"type": "assistant.message", "data": {"content": "The last words."}}
    start = {"session_id": "s-3", "hook_event_name": "UserPromptSubmit", "prompt": "Speak"}
    end = {"session_id": "s-3", "hook_event_name": "Stop", "stop_hook_active": False}
    project.write("new.py", "x = 1\n")
    project.hook("copilot", start)
    late = threading.Timer(0.15, events.write_text, [json.dumps(last) + "\n"])
    late.start()
    project.hook("copilot", {**end, "transcript_path": str(events)})
    late.join()
    assert project.active()["last_statement"] == "The last words."


def test_copilot_killed_in_its_first_turn_left_a_file_whose_path_no_hook_told(
    project: Repository,
) -> None:
    kept = project.path.parent / "home" / ".copilot" / "session-state"
    call = {"toolCallId": "c-1", "name": "bash", "arguments": {"command": "make"}}
    events: list[tuple[str, dict[str, Any]]] = [
        ("user.message", {"content": "Build it"}),
        ("assistant.message", {"content": "", "toolRequests": [call]}),
        ("tool.execution_complete", {"toolCallId": "c-1", "shellExecution": {"exitCode": 2}}),
    ]
    (kept / "s-4").mkdir(parents=True)
    (kept / "s-4" / "events.jsonl").write_text(
        "".join(json.dumps({"type": kind, "data": data}) + "\n" for kind, data in events)
    )
    (kept / "events.jsonl").write_text("{}\n")
    for session in ("s-4", "."):  # the second would lead to a file that is no session's
        prompt = {"hook_event_name": "UserPromptSubmit", "prompt": "Build it"}
        project.hook("copilot", {**prompt, "session_id": session})
    start = {"hook_event_name": "SessionStart", "session_id": "s-5", "source": "startup"}
    told = context(project.hook("claude-code", start))
    assert "`make` exit code 2" in told
    sessions = [json.loads(file.read_text()) for file in project.path.glob(f"{STATE}/*.json")]
    found = {one["native_id"]: one["transcript"] for one in sessions}
    assert found == {"s-4": str(kept / "s-4" / "events.jsonl"), ".": None, "s-5": None}


@pytest.mark.parametrize("variable", ["COPILOT_CLI", "DEVIN_PROJECT_DIR"])
def test_hooks_of_claude_code_are_silent_in_another_program_that_reads_its_settings(
    project: Repository, variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    payload = {"session_id": "s-1", "transcript_path": "", "hook_event_name": "UserPromptSubmit"}
    command = project.hook_commands("claude-code", "UserPromptSubmit")[0]
    foreign = f"{variable}=1; {command}"
    sessions = project.path / ".handoff" / "state" / "sessions"
    run(project, foreign, {**payload, "prompt": "Hello"})
    assert not sessions.exists()
    run(project, command, {**payload, "prompt": "Hello"})
    assert [path.name for path in sessions.iterdir()] == ["s-1.json"]


def run(project: Repository, command: str, payload: dict[str, Any]) -> None:
    from tests.repository import shell

    done = shell(command, json.dumps(payload), project.path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_qwen_s_empty_prompts_between_tools_are_no_turns(project: Repository) -> None:
    project.play("qwen")
    (packet,) = project.packets().values()
    assert packet["native_sessions"][0]["turns"] == 1
    assert packet["task"]["goal"] == "Make the parser accept empty lines"


def test_a_session_killed_in_its_turn_that_keeps_no_file_is_recovered_at_the_next_start(
    project: Repository,
) -> None:
    session = {"session_id": "ses_1"}
    start = {**session, "hook_event_name": "SessionStart", "source": "startup"}
    call = {"tool_name": "bash", "tool_use_id": "c1", "tool_input": {"command": "make"}}
    ended = {**call, "tool_response": {"exit": 2, "output": "no rule"}}
    project.hook("opencode", start)
    project.hook("opencode", {**session, "hook_event_name": "UserPromptSubmit", "prompt": "Go"})
    project.hook("opencode", {**session, "hook_event_name": "PostToolUse", **ended})
    assert project.packets() == {}  # SIGTERM: no end of anything was told
    told = project.hook("opencode", {**start, "session_id": "ses_2"})
    assert "`make` exit code 2: no rule" in json.loads(told)["context"]
    (packet,) = project.packets().values()
    assert packet["session"]["recovered"] is True
    assert project.hook_log() == ""


@pytest.mark.parametrize("runtime", PLUGINS)
def test_a_plugin_never_throws_and_installs_no_signal_handler(runtime: str) -> None:
    text = registry.plugin(runtime).TEXT
    assert "process.on" not in text
    handlers = [line for line in text.splitlines() if "pi.on(" in line or '": ' in line]
    assert all("safely(" in line for line in handlers if "=>" in line)
    assert text.count("export ") == 1


def test_every_reply_to_codex_holds_only_keys_that_it_knows() -> None:
    hooks = registry.hooks("codex")
    for event in ("SessionStart", "UserPromptSubmit", "PostToolUse"):
        reply = hooks.reply(event, "x")
        assert set(reply) == {"hookSpecificOutput"}
        assert set(reply["hookSpecificOutput"]) == {"hookEventName", "additionalContext"}
    assert set(hooks.hold("x")) == {"decision", "reason"}


@pytest.mark.parametrize("runtime", SETTINGS)
def test_the_end_of_a_turn_says_nothing_since_that_would_start_another(
    project: Repository, runtime: str
) -> None:
    assert set(project.play(runtime)) == {""}


def test_a_session_of_a_runtime_that_is_not_known_here_stops_no_start(project: Repository) -> None:
    project.play("claude-code")
    folder = project.path / ".handoff" / "state" / "sessions"
    (record,) = folder.iterdir()
    foreign = {**json.loads(record.read_text()), "id": "x", "runtime": "emacs", "ended_at": None}
    (folder / "x.json").write_text(json.dumps(foreign))
    start = {"hook_event_name": "SessionStart", "session_id": "s-9", "source": "startup"}
    assert "NEXT ACTION" in context(project.hook("gemini", {**start, "transcript_path": ""}))
    assert project.hook_log() == ""
