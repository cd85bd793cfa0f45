"""Claude Code's hooks: payloads in, replies out."""

from __future__ import annotations

import re

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
    number,
    text,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ..base import HookEvent

SETTINGS = {
    "project": ".claude/settings.json",
    "local": ".claude/settings.local.json",
    "user": "~/.claude/settings.json",
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
    COMMAND: ("PostToolUse", "PostToolUseFailure"),
    TURN_END: ("Stop",),
    PRE_COMPACT: ("PreCompact",),
    SESSION_END: ("SessionEnd",),
}
MATCHERS = {"PostToolUse": "Bash", "PostToolUseFailure": "Bash"}
# Seconds. SessionEnd's own default is 1.5 s; an entry's timeout raises it.
TIMEOUTS = SECONDS
PROJECT_DIR = "${CLAUDE_PROJECT_DIR:-$PWD}"
UNLESS = ("COPILOT_CLI", "DEVIN_PROJECT_DIR")
UNHEARD: tuple[str, ...] = ()
TAIL_BYTES = 0

# Claude Code itself writes this in front of a failed command's output.
_FAILURE = re.compile(r"Exit code (-?[0-9]{1,10})(?:\n|$)")
settled = as_told
reply = nested_reply
hold = block


def event(payload: Mapping[str, Any]) -> HookEvent | None:
    return event_of(payload, EVENTS, ("Bash",), _prompt, _entry)


def _prompt(payload: Mapping[str, Any]) -> str:
    from .words import human_words

    return human_words(text(payload, "prompt"))


def _entry(payload: Mapping[str, Any]) -> dict[str, object]:
    given = payload.get("tool_input")
    command = text(given, "command") if isinstance(given, dict) else ""
    code, stdout, stderr, error = outcome(payload.get("tool_response"), text(payload, "error"))
    return feedback.entry(
        text(payload, "tool_use_id"),
        command,
        stdout,
        stderr,
        exit_code=code,
        error="interrupted" if payload.get("is_interrupt") is True else error,
        duration_ms=number(payload, "duration_ms"),
        agent_note="subagent" if payload.get("agent_id") else None,
    )


def outcome(response: Any, failure: str) -> tuple[int | None, str, str, str | None]:
    """Exit code, stdout, stderr and error of a Bash call, from its response or its failure text.

    A success carries no code: it is 0 unless the command was cut short or sent to the background,
    or ended with a 1 that its program means as an answer.
    """
    if failure:
        match = _FAILURE.match(failure)
        if match is None:
            return None, "", failure, "did not run to its end"
        return int(match[1]) or None, "", failure[match.end() :], None
    if not isinstance(response, dict):
        return None, "", "", "no response"
    stdout, stderr = text(response, "stdout"), text(response, "stderr")
    if response.get("interrupted") is True:
        return None, stdout, stderr, "interrupted"
    if is_running(response):
        return None, stdout, stderr, "sent to the background"
    if text(response, "returnCodeInterpretation"):  # `grep` found nothing: it shows this as 1
        return 1, stdout, stderr, None
    return 0, stdout, stderr, None


def is_running(response: Any) -> bool:
    """Whether a tool's response says that it goes on in the background."""
    if not isinstance(response, dict):
        return False
    return bool(response.get("backgroundTaskId")) or response.get("status") == "async_launched"
