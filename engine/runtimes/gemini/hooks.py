"""Gemini CLI's hooks: payloads in, replies out."""

from __future__ import annotations

from ... import feedback
from ..base import (
    COMMAND,
    NESTED,
    PROMPT,
    SESSION_END,
    SESSION_START,
    TURN_END,
    as_told,
    event_of,
    nested_reply,
    text,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ..base import HookEvent

SETTINGS = {"project": ".gemini/settings.json", "user": "~/.gemini/settings.json"}
SHAPE = NESTED
COMMENTS = True
UNDER: tuple[str, ...] = ("hooks",)
FRESH: dict[str, object] = {}
HANDLER: dict[str, object] = {"name": "handoff"}
TIMEOUT_KEY = "timeout"
# `PreCompress` is called before every model call, compressed or not: it tells nothing.
EVENT_KEY, SESSION_KEY = "hook_event_name", "session_id"
EVENTS = {
    SESSION_START: ("SessionStart",),
    PROMPT: ("BeforeAgent",),
    COMMAND: ("AfterTool",),
    TURN_END: ("AfterAgent",),
    SESSION_END: ("SessionEnd",),
}
MATCHERS = {"AfterTool": "run_shell_command"}
# Milliseconds.
TIMEOUTS = {
    SESSION_START: 15_000,
    PROMPT: 10_000,
    COMMAND: 10_000,
    TURN_END: 30_000,
    SESSION_END: 20_000,
}
PROJECT_DIR = "${GEMINI_PROJECT_DIR:-$PWD}"
UNLESS: tuple[str, ...] = ()
UNHEARD = ("clear",)
TAIL_BYTES = 0  # the payload says all there is
settled = as_told
reply = nested_reply


def event(payload: Mapping[str, Any]) -> HookEvent | None:
    found = event_of(payload, EVENTS, ("run_shell_command",), _prompt, _entry)
    if found and found.kind == TURN_END:
        found.statement = text(payload, "prompt_response") or None
    return found


def hold(reason: str) -> dict[str, Any]:
    return {"decision": "deny", "reason": reason}


def _prompt(payload: Mapping[str, Any]) -> str:
    from .words import human_words

    return human_words(text(payload, "prompt"))


def _entry(payload: Mapping[str, Any]) -> dict[str, object]:
    from .outcome import outcome

    given, response = payload.get("tool_input"), payload.get("tool_response")
    response = response if isinstance(response, dict) else {}
    given = given if isinstance(given, dict) else {}
    command = text(given, "command")
    shown = response.get("returnDisplay")
    code, output, error = outcome(text(response, "llmContent"), shown, command)
    background = given.get("is_background") is True
    return feedback.entry(
        "",  # Gemini tells none
        command,
        output,
        exit_code=None if background else code,
        error="sent to the background" if background else error,
    )
