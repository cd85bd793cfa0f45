"""Factory droid's hooks, as documented: in Claude Code's shape, with the shell tool `Execute`.

What a tool's response holds is not documented, so exit codes stay unknown.
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

SETTINGS = {
    "project": ".factory/settings.json",
    "local": ".factory/settings.local.json",
    "user": "~/.factory/settings.json",
}
SHAPE = NESTED
COMMENTS = False
UNDER: tuple[str, ...] = ("hooks",)
FRESH: dict[str, object] = {}
HANDLER: dict[str, object] = {}
TIMEOUT_KEY = "timeout"
EVENT_KEY, SESSION_KEY = "hook_event_name", "session_id"
EVENTS = {
    SESSION_START: ("SessionStart",),
    PROMPT: ("UserPromptSubmit",),
    COMMAND: ("PostToolUse",),
    TURN_END: ("Stop",),
    PRE_COMPACT: ("PreCompact",),
    SESSION_END: ("SessionEnd",),
}
MATCHERS = {"PostToolUse": "Execute"}
TIMEOUTS = SECONDS
PROJECT_DIR = "${FACTORY_PROJECT_DIR:-$PWD}"
UNLESS: tuple[str, ...] = ()
UNHEARD: tuple[str, ...] = ()
TAIL_BYTES = 0
settled = as_told
reply = nested_reply
hold = block


def event(payload: Mapping[str, Any]) -> HookEvent | None:
    return event_of(payload, EVENTS, ("Execute",), prompt_text, _entry)


def _entry(payload: Mapping[str, Any]) -> dict[str, object]:
    given = payload.get("tool_input")
    command = text(given, "command") if isinstance(given, dict) else ""
    return feedback.entry("", command, error="its exit code is not told")
