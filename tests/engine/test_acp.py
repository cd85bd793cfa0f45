"""What a chat reports of an agent without hooks, as the engine takes it up."""

from __future__ import annotations

from typing import Any

import pytest

from engine import registry
from engine.errors import HandoffError
from engine.records import Step, Use
from engine.runtimes import base

hooks = registry.hooks("acp:mine")


def event(name: str, **more: Any) -> base.HookEvent | None:
    return hooks.event({"hook_event_name": name, "session_id": "S", **more})


def test_a_command_s_exit_code_is_the_one_that_was_told() -> None:
    given = {"tool_name": "shell", "tool_input": {"command": "make"}, "tool_use_id": "1-c"}
    for code, told in ((2, 2), (0, 0), (True, None), ("0", None), (None, None)):
        response = {"exit_code": code, "output": "exit code 0", "status": "completed"}
        found = event("PostToolUse", **given, tool_response=response)
        assert found
        assert found.entry
        assert found.entry["exit_code"] == told
        why = None if told is not None else "no exit code told: completed"
        assert (found.entry["command"], found.entry["error"]) == ("make", why)


def test_other_tools_come_with_the_turn_s_end_and_failed_ones_with_what_they_said() -> None:
    tools = [
        {
            "tool_use_id": "a",
            "tool_name": "read",
            "subject": "x.py",
            "at": 5.0,
            "status": "completed",
        },
        {"tool_use_id": "b", "status": "failed", "output": "not there"},
        {"tool_use_id": 7, "tool_name": [], "at": "now"},
        "none",
    ]
    found = event("Stop", tools=tools, last_assistant_message="Done.", used_tokens=3)
    assert found
    assert found.uses[:2] == (Use("a", "read", "x.py", 5.0), Use("b", "tool", "", None))
    assert found.failed == {"b": "not there", "": ""}
    assert (found.statement, found.used_tokens, found.window_tokens) == ("Done.", 3, None)


def test_a_plan_is_the_agent_s_to_do_list() -> None:
    entries = [{"content": "a", "status": "completed"}, {"content": "b"}, 7]
    found = event("PostToolUse", tool_name="plan", entries=entries)
    assert found
    assert found.entry is None
    assert found.plan == (Step("1", "a", "done"), Step("2", "b", "open"), Step("3", "", "open"))


def test_what_is_no_event_is_none() -> None:
    assert event("Stop", session_id="") is None
    assert event("Sing") is None
    assert event("PostToolUse", tool_name="read") is None


def test_it_is_started_and_gone_on_with_by_a_chat() -> None:
    launch = registry.launch("acp:my agent")
    assert launch.START == launch.resume_command("S") == "handoff chat --agent 'my agent'"
    assert hooks.reply("SessionStart", "read this") == {"context": "read this"}


@pytest.mark.parametrize("name", ["acp:", "acp", "acpx"])
def test_one_without_a_name_is_no_runtime(name: str) -> None:
    with pytest.raises(HandoffError, match="no runtime is called"):
        registry.launch(name)
