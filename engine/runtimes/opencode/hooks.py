"""OpenCode's hooks: what our plugin sends in, replies for it out."""

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
    path,
    text,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ...records import Step, Use
    from ..base import HookEvent

SETTINGS = {
    "project": ".opencode/plugins/handoff.js",
    "user": "${XDG_CONFIG_HOME:-~/.config}/opencode/plugins/handoff.js",
}
SHAPE = PLUGIN
COMMENTS = False
UNDER: tuple[str, ...] = ("hooks",)
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
    found = event_of(payload, EVENTS, ("bash", "todowrite"), _prompt, _entry)
    if found is None:
        return None
    found.used_tokens = number(payload, "used_tokens")
    found.window_tokens = number(payload, "window_tokens")
    if found.kind == SESSION_START:
        found.database = path(payload, "database")
    if found.kind == TURN_END:
        found.uses = _uses(payload)
    if payload.get("tool_name") == "todowrite":
        found.entry, found.plan = None, _plan(payload)
    return found


def reply(name: str, context: str) -> dict[str, Any]:
    return {"context": context}


def unquoted(prompt: str) -> str:
    """The human's words: `opencode run` hands a prompt with spaces on in quotes."""
    said = prompt.strip()
    return said[1:-1].strip() if len(said) > 1 and said[0] == said[-1] == '"' else said


def outcome(metadata: Mapping[str, Any], error: str) -> tuple[int | None, str | None]:
    """A command's exit code, or None and why it is unknown."""
    code = number(metadata, "exit")
    return code, None if code is not None else error or "no exit code told"


def _prompt(payload: Mapping[str, Any]) -> str:
    return unquoted(text(payload, "prompt"))


def _plan(payload: Mapping[str, Any]) -> tuple[Step, ...] | None:
    from .words import plan_steps

    given = payload.get("tool_input")
    return plan_steps(given.get("todos")) if isinstance(given, dict) else None


def _uses(payload: Mapping[str, Any]) -> tuple[Use, ...]:
    """The tools of a turn, as the plugin collected them: it hears of those that succeeded."""
    from ...records import Use
    from ..lines import items, mapping, seconds, string, subject

    return tuple(
        Use(
            string(one.get("tool_use_id")),
            string(one.get("tool_name")),
            subject(mapping(one.get("tool_input"))),
            seconds(one.get("at")),
            "subagent" if one.get("agent_id") else None,
        )
        for one in map(mapping, items(payload.get("tools")))
        if string(one.get("tool_name"))
    )


def _entry(payload: Mapping[str, Any]) -> dict[str, object]:
    given, response = payload.get("tool_input"), payload.get("tool_response")
    response = response if isinstance(response, dict) else {}
    code, error = outcome(response, "")
    return feedback.entry(
        text(payload, "tool_use_id"),
        text(given, "command") if isinstance(given, dict) else "",
        text(response, "output"),
        exit_code=code,
        error=error,
        agent_note="subagent" if payload.get("agent_id") else None,
    )
