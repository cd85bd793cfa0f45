"""Goose's hooks, as documented: a plugin folder with entries in Claude Code's shape.

What a tool answered is not documented, so exit codes stay unknown; nor is it that a hook's words
reach the model.
"""

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
    no_hold,
    prompt_text,
    text,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ..base import HookEvent

SETTINGS = {
    "project": ".agents/plugins/handoff/hooks/hooks.json",
    "user": "~/.agents/plugins/handoff/hooks/hooks.json",
}
SHAPE = NESTED
COMMENTS = False
UNDER: tuple[str, ...] = ("hooks",)
FRESH: dict[str, object] = {}
HANDLER: dict[str, object] = {}
TIMEOUT_KEY = "timeout"
EVENT_KEY, SESSION_KEY = "event", "session_id"
EVENTS = {
    SESSION_START: ("SessionStart",),
    PROMPT: ("UserPromptSubmit",),
    COMMAND: ("PostToolUse", "PostToolUseFailure"),
    TURN_END: ("Stop",),
    SESSION_END: ("SessionEnd",),
}
MATCHERS: dict[str, str] = {}
TIMEOUTS = {SESSION_START: 15, PROMPT: 10, COMMAND: 10, TURN_END: 30, SESSION_END: 20}
PROJECT_DIR = "$PWD"
UNLESS: tuple[str, ...] = ()
UNHEARD: tuple[str, ...] = ()
TAIL_BYTES = 0
_SHELLS = ("shell", "developer__shell")
settled = as_told
reply = nested_reply
hold = no_hold  # not documented


def event(payload: Mapping[str, Any]) -> HookEvent | None:
    return event_of(payload, EVENTS, _SHELLS, prompt_text, _entry, EVENT_KEY, SESSION_KEY)


def _entry(payload: Mapping[str, Any]) -> dict[str, object]:
    given = payload.get("tool_input")
    command = text(given, "command") if isinstance(given, dict) else ""
    return feedback.entry("", command, error="its exit code is not told")
