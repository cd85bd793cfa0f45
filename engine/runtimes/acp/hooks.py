"""What a chat reports of an agent that has no hooks: events of our own shape, in a hook's place.

Keys are Claude Code's. `Stop` has all that was said in the turn as `last_assistant_message` and its
other tools as `tools`; the tool `plan` has `entries` as the protocol has them; every event may have
`used_tokens` and `window_tokens`. Nothing is installed anywhere, so what the protocol has for
settings files is not here.
"""

from __future__ import annotations

from ... import feedback
from ..base import (
    COMMAND,
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

    from ...records import Step, Use
    from ..base import HookEvent

EVENTS = {
    SESSION_START: ("SessionStart",),
    PROMPT: ("UserPromptSubmit",),
    COMMAND: ("PostToolUse",),
    TURN_END: ("Stop",),
    SESSION_END: ("SessionEnd",),
}
UNHEARD: tuple[str, ...] = ()
TAIL_BYTES = 0
_STATUSES = {"in_progress": "in_progress", "completed": "done"}
settled = as_told
hold = no_hold


def event(payload: Mapping[str, Any]) -> HookEvent | None:
    found = event_of(payload, EVENTS, ("shell", "plan"), prompt_text, _entry)
    if found is None:
        return None
    found.used_tokens = number(payload, "used_tokens")
    found.window_tokens = number(payload, "window_tokens")
    if found.kind == TURN_END:
        found.uses, found.failed = _uses(payload)
    if payload.get("tool_name") == "plan":
        found.entry, found.plan = None, _plan(payload)
    return found


def reply(name: str, context: str) -> dict[str, Any]:
    return {"context": context}


def _entry(payload: Mapping[str, Any]) -> dict[str, object]:
    given, response = payload.get("tool_input"), payload.get("tool_response")
    response = response if isinstance(response, dict) else {}
    code = number(response, "exit_code")
    why = text(response, "status") or "it did not end"
    return feedback.entry(
        text(payload, "tool_use_id"),
        text(given, "command") if isinstance(given, dict) else "",
        text(response, "output"),
        exit_code=code,
        error=None if code is not None else f"no exit code told: {why}",
    )


def _plan(payload: Mapping[str, Any]) -> tuple[Step, ...]:
    from ...records import Step
    from ..lines import items, mapping, string

    return tuple(
        Step(str(place), string(one.get("content")), _status(one))
        for place, one in enumerate(map(mapping, items(payload.get("entries"))), 1)
    )


def _status(step: Mapping[str, Any]) -> str:
    return _STATUSES.get(text(step, "status"), "open")


def _uses(payload: Mapping[str, Any]) -> tuple[tuple[Use, ...], dict[str, str]]:
    """The turn's other tools, and what those that failed said."""
    from ...records import Use
    from ..lines import items, mapping

    uses, failed = [], {}
    for one in map(mapping, items(payload.get("tools"))):
        key, at = text(one, "tool_use_id"), one.get("at")
        when = at if isinstance(at, float) else None
        uses.append(Use(key, text(one, "tool_name") or "tool", text(one, "subject"), when))
        if one.get("status") != "completed":
            failed[key] = text(one, "output")
    return tuple(uses), failed
