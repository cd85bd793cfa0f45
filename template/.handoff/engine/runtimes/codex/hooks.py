"""Codex's hooks: payloads in, replies out. An unknown key in a reply voids all of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ... import feedback
from ..base import (
    COMMAND,
    PRE_COMPACT,
    PROMPT,
    SESSION_END,
    SESSION_START,
    TURN_END,
    HookEvent,
    text,
)
from .words import human_words

SETTINGS = ".codex/hooks.json"
EVENTS = {
    SESSION_START: ("SessionStart",),
    PROMPT: ("UserPromptSubmit",),
    COMMAND: ("PostToolUse",),
    TURN_END: ("Stop", "Interrupt"),
    PRE_COMPACT: ("PreCompact",),
    SESSION_END: ("SessionEnd",),
}
MATCHERS = {"PostToolUse": "Bash"}
# Seconds. SessionEnd is clamped to 3 with a warning at every start.
TIMEOUTS = {
    SESSION_START: 15,
    PROMPT: 10,
    COMMAND: 10,
    TURN_END: 30,
    PRE_COMPACT: 30,
    SESSION_END: 3,
}
PROJECT_DIR = "$PWD"
# A finished command's line is on disk when its hook runs; its output is in it.
TAIL_BYTES = 512_000


def event(payload: Mapping[str, Any]) -> HookEvent | None:
    name = text(payload, "hook_event_name")
    kind = next((ours for ours, theirs in EVENTS.items() if name in theirs), None)
    native_id = text(payload, "session_id")
    if kind is None or not native_id:
        return None
    if kind == COMMAND and payload.get("tool_name") != "Bash":
        return None
    return HookEvent(
        kind=kind,
        native_id=native_id,
        transcript=text(payload, "transcript_path") or None,
        source=text(payload, "source"),
        prompt=human_words(text(payload, "prompt")),
        statement=text(payload, "last_assistant_message") or None,
        reason=text(payload, "reason"),
        record=_record(payload) if kind == COMMAND else None,
    )


def settled(record: feedback.Record, tail: bytes) -> feedback.Record:
    """The record with the exit code of the rollout's item of the same id."""
    needle = json.dumps(record.command_id).encode()
    for line in reversed(tail.split(b"\n")):
        if needle not in line or b'"CommandExecution"' not in line:
            continue
        try:
            item = json.loads(line)["payload"]["item"]
        except (ValueError, KeyError, TypeError):
            continue
        if isinstance(item, dict) and item.get("id") == record.command_id:
            code, milliseconds = item.get("exit_code"), duration_ms(item)
            return record._replace(
                exit_code=code if type(code) is int else None, duration_ms=milliseconds
            )
    return record


def reply(kind: str, context: str) -> dict[str, Any]:
    output = {"hookEventName": EVENTS[kind][0], "additionalContext": context}
    return {"hookSpecificOutput": output}


def duration_ms(item: Mapping[str, Any]) -> int | None:
    """Milliseconds of a rollout item's `{"secs": …, "nanos": …}`."""
    value = item.get("duration")
    if not isinstance(value, dict):
        return None
    secs, nanos = value.get("secs"), value.get("nanos")
    if type(secs) is not int or type(nanos) is not int:
        return None
    return secs * 1_000 + nanos // 1_000_000


def _record(payload: Mapping[str, Any]) -> feedback.Record:
    given = payload.get("tool_input")
    return feedback.record(
        text(payload, "tool_use_id"),
        text(given, "command") if isinstance(given, dict) else "",
        text(payload, "tool_response"),  # stdout and stderr as one; no exit code
    )
