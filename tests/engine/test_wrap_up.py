"""What an agent is told of its context use, through the hooks of each runtime."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine import registry
from engine.runtimes import base
from tests.real.sandbox import strings
from tests.repository import SETTINGS, Repository

WINDOW = 100_000
each_runtime = pytest.mark.parametrize("runtime", SETTINGS)
each_that_holds = pytest.mark.parametrize("runtime", sorted({*SETTINGS} - {"opencode", "pi"}))
each_that_compacts = pytest.mark.parametrize("runtime", sorted({*SETTINGS} - {"gemini"}))


def usage(runtime: str, used: int) -> dict[str, Any]:
    """A line of the runtime's transcript that says how full the context is."""
    if runtime == "codex":
        last = {"last_token_usage": {"total_tokens": used}}
        info = {**last, "model_context_window": WINDOW}
        return {"type": "event_msg", "payload": {"type": "token_count", "info": info}}
    if runtime == "gemini":
        return {"type": "gemini", "id": f"m{used}", "content": "", "tokens": {"input": used}}
    if runtime == "qwen":
        return {"type": "assistant", "uuid": "u", "usageMetadata": {"promptTokenCount": used}}
    if runtime == "pi":
        return {"type": "message", "message": {"role": "assistant", "usage": {"input": used}}}
    if runtime == "copilot":
        return {
            "type": "session.usage_record",
            "data": {"usage": {"inputTokens": used, "maxPromptTokens": WINDOW}},
        }
    counts = {"input_tokens": 500, "cache_read_input_tokens": used - 500}
    return {"type": "assistant", "message": {"model": "scripted", "content": [], "usage": counts}}


class Talk:
    """A session whose transcript grows, or whose plugin tells how much was used."""

    def __init__(self, project: Repository, runtime: str) -> None:
        self.project, self.runtime = project, runtime
        self.hooks = registry.hooks(runtime)
        # Copilot tells the file's path at the end of a turn only.
        name = (
            ".copilot/session-state/s-1/events.jsonl" if runtime == "copilot" else "session.jsonl"
        )
        self.transcript: Path = project.path.parent / "home" / name
        self.transcript.parent.mkdir(parents=True)
        self.transcript.write_text("", encoding="utf-8")
        self.number = self.used = 0
        project.configure(context_windows={"scripted": WINDOW, "": WINDOW})

    def use(self, percent: int, filler: int = 0) -> None:
        self.used = percent * WINDOW // 100
        line = json.dumps({**usage(self.runtime, self.used), "filler": "x" * filler})
        with self.transcript.open("a", encoding="utf-8") as file:
            file.write(line + "\n")

    def hook(self, kind: str, event: str = "", **keys: Any) -> str:
        """What the hook made the model read, or its reason to go on."""
        event = event or self.hooks.EVENTS[kind][0]
        payload = {"session_id": "s-1", "hook_event_name": event, **keys}
        if self.runtime in ("opencode", "pi"):
            payload |= {"used_tokens": self.used, "window_tokens": WINDOW}
        if self.runtime not in ("opencode", "copilot") or (
            self.runtime == "copilot" and kind == base.TURN_END
        ):
            payload |= {"transcript_path": str(self.transcript)}
        said = self.project.hook(self.runtime, payload)
        assert self.project.hook_log() == ""
        if not said:
            return ""
        reply = json.loads(said)
        if "decision" in reply:
            assert reply == self.hooks.hold(reply["reason"])
            return str(reply["reason"])
        (text,) = [text for text in strings(reply) if text.startswith("handoff: ")]
        assert reply == self.hooks.reply(event, text)
        return text

    def prompt(self) -> str:
        return self.hook(base.PROMPT, prompt="Go on")

    def command(self, **keys: Any) -> str:
        self.number += 1
        tool = {"codex": "Bash", "claude-code": "Bash", "copilot": "Bash", "opencode": "bash"}
        tool["pi"] = "bash"
        done: dict[str, Any] = {"tool_name": tool.get(self.runtime, "run_shell_command")}
        done |= {"tool_input": {"command": "make"}, "tool_use_id": f"t{self.number}"}
        failing = self.hooks.EVENTS[base.COMMAND][-1]
        return self.hook(base.COMMAND, failing, **done, tool_response={}, **keys)

    def stop(self, active: bool = False) -> str:
        said = {"last_assistant_message": "Next: the rest."}
        return self.hook(base.TURN_END, stop_hook_active=active, **said)


@pytest.fixture
def project_that_holds(project: Repository) -> Repository:
    project.configure(stop_gate="block")
    return project


@each_runtime
def test_a_command_tells_each_limit_once(project: Repository, runtime: str) -> None:
    talk = Talk(project, runtime)
    assert talk.prompt() == ""
    for percent, told in ((10, ""), (49, ""), (50, "50 %"), (74, ""), (76, "Wrap up"), (90, "")):
        talk.use(percent, filler=percent * 2_000)
        said = talk.command()
        assert bool(said) == bool(told), percent
        assert told in said


@each_runtime
def test_a_prompt_tells_it_too(project: Repository, runtime: str) -> None:
    talk = Talk(project, runtime)
    talk.use(80)
    assert "80 % of the context window is used. Wrap up now" in talk.prompt()
    assert talk.prompt() == ""
    assert talk.command() == ""


@each_that_compacts
def test_after_a_compaction_it_is_told_again(project: Repository, runtime: str) -> None:
    talk = Talk(project, runtime)
    talk.use(80)
    assert talk.prompt()
    talk.hook(base.PRE_COMPACT, trigger="auto")
    talk.use(5)
    assert talk.command() == ""
    talk.use(60, filler=200_000)
    assert "60 %" in talk.command()


def test_a_compaction_of_claude_code_counts_before_the_model_speaks_again(
    project: Repository,
) -> None:
    talk = Talk(project, "claude-code")
    talk.use(80)
    assert talk.prompt()
    talk.hook(base.PRE_COMPACT, trigger="manual")
    compacted = {"compactMetadata": {"postTokens": 9}, "uuid": "u"}
    line = {"type": "system", "subtype": "compact_boundary", **compacted}
    with talk.transcript.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")
    assert talk.prompt() == ""


def test_a_subagent_has_a_context_of_its_own(project: Repository) -> None:
    talk = Talk(project, "claude-code")
    talk.prompt()
    talk.use(80, filler=2_000)
    assert talk.command(agent_id="a1") == ""
    assert talk.command() != ""


@each_runtime
def test_the_packet_tells_the_context_use(project: Repository, runtime: str) -> None:
    talk = Talk(project, runtime)
    talk.prompt()
    talk.use(51)
    project.write("new.py", "x = 1\n")
    talk.stop()
    use = {"used_tokens": 51_000, "window_tokens": WINDOW, "percent": 51}
    assert project.active()["context_usage"] == use


@each_runtime
def test_by_default_no_turn_is_held_up(project: Repository, runtime: str) -> None:
    talk = Talk(project, runtime)
    talk.prompt()
    talk.use(90)
    assert talk.stop() == ""


@each_that_holds
def test_a_turn_is_held_up_once_where_the_project_wants_it(
    project_that_holds: Repository, runtime: str
) -> None:
    talk = Talk(project_that_holds, runtime)
    talk.prompt()
    talk.use(74)
    assert talk.stop() == ""
    talk.use(76)
    assert talk.stop(active=True) == ""  # another hook made this turn go on already
    assert "engine close`" in talk.stop()
    assert talk.stop(active=True) == ""
    assert talk.stop() == ""


@each_that_holds
def test_no_turn_is_held_up_once_the_session_was_closed(
    project_that_holds: Repository, runtime: str
) -> None:
    talk = Talk(project_that_holds, runtime)
    talk.prompt()
    talk.use(76)
    project_that_holds.write("new.py", "x = 1\n")
    assert project_that_holds.engine("close").returncode == 0
    assert talk.stop() == ""


def test_an_interrupted_turn_is_not_held_up(project_that_holds: Repository) -> None:
    talk = Talk(project_that_holds, "codex")
    talk.prompt()
    talk.use(90)
    assert talk.hook(base.TURN_END, "Interrupt") == ""


@each_runtime
@pytest.mark.parametrize("text", ["", "not json\n", '{"type": "assistant"}\n', "\0\n[1]\nnull\n"])
def test_a_transcript_without_use_tells_nothing(
    project: Repository, runtime: str, text: str
) -> None:
    talk = Talk(project, runtime)
    talk.transcript.write_text(text, encoding="utf-8")
    assert talk.prompt() == ""
    assert talk.command() == ""
    talk.transcript.unlink()
    assert talk.command() == ""
