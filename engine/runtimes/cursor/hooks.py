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
    SECONDS,
    SESSION_END,
    SESSION_START,
    TURN_END,
    as_told,
    event_of,
    no_hold,
    number,
    prompt_text,
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
TIMEOUTS = SECONDS
PROJECT_DIR = "${CURSOR_PROJECT_DIR:-$PWD}"
UNLESS: tuple[str, ...] = ()
UNHEARD: tuple[str, ...] = ()
TAIL_BYTES = 0
settled = as_told
hold = no_hold  # not documented


def event(payload: Mapping[str, Any]) -> HookEvent | None:
    shell = {**payload, "tool_name": "shell"}
    return event_of(shell, EVENTS, ("shell",), prompt_text, _entry, EVENT_KEY, SESSION_KEY)


def reply(name: str, context: str) -> dict[str, Any]:
    return {"additional_context": context}


def _entry(payload: Mapping[str, Any]) -> dict[str, object]:
    return feedback.entry(
        "",
        text(payload, "command"),
        text(payload, "output"),
        duration_ms=number(payload, "duration"),
        error="its exit code is not told",
    )
