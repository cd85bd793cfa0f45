"""pi's hooks: what our extension sends in, replies for it out."""

from __future__ import annotations

from ... import feedback
from ..base import (
    COMMAND,
    PLUGIN,
    PRE_COMPACT,
    PROMPT,
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

SETTINGS = {
    "project": ".pi/extensions/handoff.ts",
    "user": "~/.pi/agent/extensions/handoff.ts",
}
SHAPE = PLUGIN
COMMENTS = False
UNDER: tuple[str, ...] = ()
FRESH: dict[str, object] = {}
HANDLER: dict[str, object] = {}
TIMEOUT_KEY = ""
EVENT_KEY, SESSION_KEY = "hook_event_name", "session_id"
EVENTS = {
    SESSION_START: ("SessionStart",),
    PROMPT: ("UserPromptSubmit",),
    COMMAND: ("PostToolUse",),
    TURN_END: ("Stop",),
    PRE_COMPACT: ("PreCompact",),
    SESSION_END: ("SessionEnd",),
}
MATCHERS: dict[str, str] = {}
TIMEOUTS: dict[str, int] = {}
PROJECT_DIR = ""
UNLESS: tuple[str, ...] = ()
UNHEARD: tuple[str, ...] = ()
TAIL_BYTES = 0
settled = as_told
hold = no_hold


def event(payload: Mapping[str, Any]) -> HookEvent | None:
    found = event_of(payload, EVENTS, ("bash",), prompt_text, _entry)
    if found is not None:
        found.used_tokens = number(payload, "used_tokens")
        found.window_tokens = number(payload, "window_tokens")
    return found


def reply(name: str, context: str) -> dict[str, Any]:
    return {"context": context}


def _entry(payload: Mapping[str, Any]) -> dict[str, object]:
    from .outcome import outcome

    given, response = payload.get("tool_input"), payload.get("tool_response")
    response = response if isinstance(response, dict) else {}
    code, output, error = outcome(response.get("is_error") is not False, text(response, "text"))
    return feedback.entry(
        text(payload, "tool_use_id"),
        text(given, "command") if isinstance(given, dict) else "",
        output,
        exit_code=code,
        error=error,
    )
