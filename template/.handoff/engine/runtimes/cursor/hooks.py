"""Cursor's hooks, as documented: flat entries, and payloads in a shape of their own.

What is told of a shell command has no exit code, so that stays unknown.
"""

from __future__ import annotations

from ... import feedback
from ..base import (
    COMMAND,
    FLAT,
    PRE_COMPACT,
    PROMPT,
    SESSION_END,
    SESSION_START,
    TURN_END,
    event_of,
    number,
    text,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ..base import HookEvent

SETTINGS = {"project": ".cursor/hooks.json", "user": "~/.cursor/hooks.json"}
SHAPE = FLAT
COMMENTS = False
UNDER: tuple[str, ...] = ("hooks",)
FRESH: dict[str, object] = {"version": 1}
HANDLER: dict[str, object] = {}
TIMEOUT_KEY = "timeout"
EVENT_KEY, SESSION_KEY = "hook_event_name", "conversation_id"
EVENTS = {
    SESSION_START: ("sessionStart",),
    PROMPT: ("beforeSubmitPrompt",),
    COMMAND: ("afterShellExecution",),
    TURN_END: ("stop",),
    PRE_COMPACT: ("preCompact",),
    SESSION_END: ("sessionEnd",),
}
MATCHERS: dict[str, str] = {}
TIMEOUTS = {
    SESSION_START: 15,
    PROMPT: 10,
    COMMAND: 10,
    TURN_END: 30,
    PRE_COMPACT: 30,
    SESSION_END: 20,
}
PROJECT_DIR = "${CURSOR_PROJECT_DIR:-$PWD}"
UNLESS: tuple[str, ...] = ()
UNHEARD: tuple[str, ...] = ()
TAIL_BYTES = 0


def event(payload: Mapping[str, Any]) -> HookEvent | None:
    shell = {**payload, "tool_name": "shell"}
    return event_of(shell, EVENTS, ("shell",), _prompt, _entry, EVENT_KEY, SESSION_KEY)


def settled(entry: dict[str, object], tail: bytes) -> dict[str, object]:
    return entry


def reply(name: str, context: str) -> dict[str, Any]:
    return {"additional_context": context}


def hold(reason: str) -> dict[str, Any]:
    return {}  # not documented


def _prompt(payload: Mapping[str, Any]) -> str:
    return text(payload, "prompt").strip()


def _entry(payload: Mapping[str, Any]) -> dict[str, object]:
    return feedback.entry(
        "",
        text(payload, "command"),
        text(payload, "output"),
        duration_ms=number(payload, "duration"),
        error="its exit code is not told",
    )
