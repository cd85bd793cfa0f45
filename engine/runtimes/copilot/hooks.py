"""GitHub Copilot CLI's hooks: payloads in, replies out.

An event named as Claude Code names it comes with a payload in that shape, without ids of calls and,
but for the end of a turn, without the path of the session's file.
"""

from __future__ import annotations

from ... import feedback
from ..base import (
    COMMAND,
    FLAT,
    PRE_COMPACT,
    PROMPT,
    SECONDS,
    SESSION_END,
    SESSION_START,
    TURN_END,
    as_told,
    block,
    event_of,
    prompt_text,
    text,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ..base import HookEvent

SETTINGS = {
    "project": ".github/hooks/handoff.json",
    "user": "${COPILOT_HOME:-~/.copilot}/hooks/handoff.json",
}
SHAPE = FLAT
COMMENTS = False
UNDER: tuple[str, ...] = ("hooks",)
FRESH: dict[str, object] = {"version": 1}
HANDLER: dict[str, object] = {}
TIMEOUT_KEY = "timeoutSec"
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
TIMEOUTS = SECONDS
PROJECT_DIR = "${COPILOT_PROJECT_DIR:-$PWD}"
UNLESS: tuple[str, ...] = ()
UNHEARD: tuple[str, ...] = ()
TAIL_BYTES = 0
settled = as_told
hold = block


def event(payload: Mapping[str, Any]) -> HookEvent | None:
    found = event_of(payload, EVENTS, ("Bash",), prompt_text, _entry)
    if found is not None:
        found.kept_in = "${COPILOT_HOME:-~/.copilot}/session-state/*/events.jsonl"
    return found


def reply(name: str, context: str) -> dict[str, Any]:
    return {"additionalContext": context}


def _entry(payload: Mapping[str, Any]) -> dict[str, object]:
    """A command's entry. Its exit code stands here only in text that a command could print too; the
    session's file has it as a number."""
    given, result = payload.get("tool_input"), payload.get("tool_result")
    return feedback.entry(
        "",
        text(given, "command") if isinstance(given, dict) else "",
        text(result, "text_result_for_llm") if isinstance(result, dict) else "",
    )
