"""Devin CLI's hooks, as documented: Claude Code's payloads without a folder and a transcript.

A shell call's response says whether it succeeded, but not with which code it failed.
"""

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
    prompt_text,
    text,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ..base import HookEvent

SETTINGS = {"project": ".devin/hooks.v1.json", "user": "~/.config/devin/hooks.v1.json"}
SHAPE = NESTED
COMMENTS = False
UNDER: tuple[str, ...] = ()
FRESH: dict[str, object] = {}
HANDLER: dict[str, object] = {}
TIMEOUT_KEY = "timeout"
EVENT_KEY, SESSION_KEY = "hook_event_name", "session_id"
EVENTS = {
    SESSION_START: ("SessionStart",),
    PROMPT: ("UserPromptSubmit",),
    COMMAND: ("PostToolUse",),
    TURN_END: ("Stop",),
    PRE_COMPACT: ("PostCompaction",),
    SESSION_END: ("SessionEnd",),
}
MATCHERS = {"PostToolUse": "exec"}
TIMEOUTS = SECONDS
PROJECT_DIR = "${DEVIN_PROJECT_DIR:-$PWD}"
UNLESS: tuple[str, ...] = ()
UNHEARD: tuple[str, ...] = ()
TAIL_BYTES = 0
settled = as_told
reply = nested_reply
hold = block


def event(payload: Mapping[str, Any]) -> HookEvent | None:
    return event_of(payload, EVENTS, ("exec",), prompt_text, _entry)


def _entry(payload: Mapping[str, Any]) -> dict[str, object]:
    given, response = payload.get("tool_input"), payload.get("tool_response")
    given = given if isinstance(given, dict) else {}
    response = response if isinstance(response, dict) else {}
    passed = response.get("success") is True
    return feedback.entry(
        "",
        text(given, "command"),
        text(response, "output"),
        text(response, "error"),
        exit_code=0 if passed else None,
        error=None if passed else "with which code it failed is not told",
    )
