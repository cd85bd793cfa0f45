"""Codex's hooks: payloads in, replies out. An unknown key in a reply voids all of it."""

from __future__ import annotations

import json

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
    block,
    event_of,
    nested_reply,
    number,
    text,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ...records import Step
    from ..base import HookEvent

SETTINGS = {"project": ".codex/hooks.json", "user": "${CODEX_HOME:-~/.codex}/hooks.json"}
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
    TURN_END: ("Stop", "Interrupt"),
    PRE_COMPACT: ("PreCompact",),
    SESSION_END: ("SessionEnd",),
}
# In code mode the plan is in no other place than its hook's payload.
MATCHERS = {"PostToolUse": "Bash|update_plan"}
# Seconds. SessionEnd is clamped to 3 with a warning at every start.
TIMEOUTS = {**SECONDS, SESSION_END: 3}
PROJECT_DIR = "$PWD"
UNLESS: tuple[str, ...] = ()
UNHEARD: tuple[str, ...] = ()
# A finished command's line is on disk when its hook runs; its output is in it.
TAIL_BYTES = 512_000
PLAN_ACCEPTED = "Plan updated"
reply = nested_reply
hold = block


def event(payload: Mapping[str, Any]) -> HookEvent | None:
    found = event_of(payload, EVENTS, ("Bash", "update_plan"), _prompt, _entry)
    if found and payload.get("tool_name") == "update_plan":
        found.entry, found.plan = None, _plan(payload)
    return found


def settled(entry: dict[str, object], tail: bytes) -> dict[str, object]:
    """The entry with the exit code of the rollout's item of the same id."""
    needle = json.dumps(entry["command_id"]).encode()
    for line in reversed(tail.split(b"\n")):
        if needle not in line or b'"CommandExecution"' not in line:
            continue
        try:
            item = json.loads(line)["payload"]["item"]
        except (ValueError, KeyError, TypeError, RecursionError):
            continue
        if isinstance(item, dict) and item.get("id") == entry["command_id"]:
            return {**entry, "exit_code": exit_code(item), "duration_ms": duration_ms(item)}
    return entry


def exit_code(item: Mapping[str, Any]) -> int | None:
    """Of a rollout's command; Codex writes -1 where it killed it, which says nothing."""
    code = number(item, "exit_code")
    return code if code is not None and code >= 0 else None


def duration_ms(item: Mapping[str, Any]) -> int | None:
    """Milliseconds of a rollout item's `{"secs": …, "nanos": …}`."""
    value = item.get("duration")
    if not isinstance(value, dict):
        return None
    secs, nanos = number(value, "secs"), number(value, "nanos")
    return None if secs is None or nanos is None else secs * 1_000 + nanos // 1_000_000


def _plan(payload: Mapping[str, Any]) -> tuple[Step, ...] | None:
    from .words import plan_steps

    given = payload.get("tool_input")
    if payload.get("tool_response") != PLAN_ACCEPTED or not isinstance(given, dict):
        return None
    return plan_steps(given.get("plan"))


def _prompt(payload: Mapping[str, Any]) -> str:
    from .words import human_words

    return human_words(text(payload, "prompt"))


def _entry(payload: Mapping[str, Any]) -> dict[str, object]:
    given = payload.get("tool_input")
    return feedback.entry(
        text(payload, "tool_use_id"),
        text(given, "command") if isinstance(given, dict) else "",
        text(payload, "tool_response"),  # stdout and stderr as one; no exit code
    )
