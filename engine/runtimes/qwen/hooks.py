"""Qwen Code's hooks: payloads in, replies out. A headless run reports no end of its session."""

from __future__ import annotations

from ... import feedback
from ..base import (
    COMMAND,
    NESTED,
    PRE_COMPACT,
    PROMPT,
    SECONDS,
    SESSION_END,
    SESSION_START,
    TURN_END,
    as_told,
    block,
    event_of,
    nested_reply,
    number,
    text,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ..base import HookEvent

SETTINGS = {"project": ".qwen/settings.json", "user": "~/.qwen/settings.json"}
SHAPE = NESTED
COMMENTS = True
UNDER: tuple[str, ...] = ("hooks",)
FRESH: dict[str, object] = {"$version": 4}  # without it Qwen would write it in
HANDLER: dict[str, object] = {}
TIMEOUT_KEY = "timeout"
EVENT_KEY, SESSION_KEY = "hook_event_name", "session_id"
EVENTS = {
    SESSION_START: ("SessionStart",),
    PROMPT: ("UserPromptSubmit",),
    COMMAND: ("PostToolUse", "PostToolUseFailure"),
    TURN_END: ("Stop",),
    PRE_COMPACT: ("PreCompact",),
    SESSION_END: ("SessionEnd",),
}
MATCHERS = {"PostToolUse": "run_shell_command", "PostToolUseFailure": "run_shell_command"}
# Seconds; 1000 and more would be taken for milliseconds.
TIMEOUTS = SECONDS
PROJECT_DIR = "${QWEN_PROJECT_DIR:-$PWD}"
UNLESS: tuple[str, ...] = ()
UNHEARD: tuple[str, ...] = ()
TAIL_BYTES = 0  # a command's line is written after its hook has run
settled = as_told
reply = nested_reply
hold = block


def event(payload: Mapping[str, Any]) -> HookEvent | None:
    found = event_of(payload, EVENTS, ("run_shell_command",), _prompt, _entry)
    if found is None or (found.kind == PROMPT and not text(payload, "prompt")):
        return None  # after every batch of tools the prompt's event comes again, empty
    if found.kind == TURN_END:
        found.used_tokens = number(payload, "input_tokens")
        found.window_tokens = number(payload, "context_limit")
    return found


def _prompt(payload: Mapping[str, Any]) -> str:
    from .words import human_words

    return human_words(text(payload, "prompt"))


def _entry(payload: Mapping[str, Any]) -> dict[str, object]:
    """A command's entry. That it failed is told by the event; with which code, by text alone here,
    and by a number in the session's file."""
    given, response = payload.get("tool_input"), payload.get("tool_response")
    given = given if isinstance(given, dict) else {}
    failure = text(payload, "error")
    background = given.get("is_background") is True
    interrupted = payload.get("is_interrupt") is True
    shown = text(response, "returnDisplay") if isinstance(response, dict) else ""
    passed = payload.get("hook_event_name") == "PostToolUse" and not background
    return feedback.entry(
        text(payload, "tool_call_id"),
        text(given, "command"),
        shown or ("" if interrupted else failure),
        exit_code=0 if passed else None,
        error="sent to the background" if background else "interrupted" if interrupted else None,
        duration_ms=number(payload, "duration_ms"),
        agent_note="subagent" if payload.get("agent_id") else None,
    )
