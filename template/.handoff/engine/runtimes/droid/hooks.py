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
    SESSION_END,
    SESSION_START,
    TURN_END,
    event_of,
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
TIMEOUTS = {
    SESSION_START: 15,
    PROMPT: 10,
    COMMAND: 10,
    TURN_END: 30,
    PRE_COMPACT: 30,
    SESSION_END: 20,
}
PROJECT_DIR = "${FACTORY_PROJECT_DIR:-$PWD}"
UNLESS: tuple[str, ...] = ()
UNHEARD: tuple[str, ...] = ()
TAIL_BYTES = 0


def event(payload: Mapping[str, Any]) -> HookEvent | None:
    return event_of(payload, EVENTS, ("Execute",), _prompt, _entry)


def settled(entry: dict[str, object], tail: bytes) -> dict[str, object]:
    return entry


def reply(name: str, context: str) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": name, "additionalContext": context}}


def hold(reason: str) -> dict[str, Any]:
    return {"decision": "block", "reason": reason}


def _prompt(payload: Mapping[str, Any]) -> str:
    return text(payload, "prompt").strip()


def _entry(payload: Mapping[str, Any]) -> dict[str, object]:
    given = payload.get("tool_input")
    command = text(given, "command") if isinstance(given, dict) else ""
    return feedback.entry("", command, error="its exit code is not told")
