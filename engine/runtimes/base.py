"""The event that every runtime's hook payload turns into.

Neither this module nor a runtime's `hooks` imports `typing`: a command's hook costs hardly more
than starting Python, and that import alone is a quarter of it. What a runtime has to offer is in
`protocol`.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from ..records import Step, Use

SESSION_START = "session-start"
PROMPT = "prompt"
COMMAND = "command"
TURN_END = "turn-end"
PRE_COMPACT = "pre-compact"
SESSION_END = "session-end"

# How a runtime takes hooks: groups of handlers by event, handlers by event, or a file of code.
NESTED, FLAT, PLUGIN = "nested", "flat", "plugin"

SECONDS = {  # what a hook of ours may take at most, for runtimes that count so
    SESSION_START: 15,
    PROMPT: 10,
    COMMAND: 10,
    TURN_END: 30,
    PRE_COMPACT: 30,
    SESSION_END: 20,
}


class HookEvent:
    """One call of a hook; fields that an event does not have are empty."""

    def __init__(
        self,
        kind: str,  # one of the six above
        native_id: str,
        transcript: str | None,  # path, as the runtime sent it
        name: str = "",  # theirs, which a reply repeats
        source: str = "",  # session-start: startup, resume, clear, compact or fork
        prompt: str = "",  # prompt: the human's words
        statement: str | None = None,  # turn-end: the agent's last words
        reason: str = "",  # session-end
        may_hold: bool = False,  # turn-end: the turn can be made to go on, and was not yet
        entry: dict[str, object] | None = None,  # command: its feedback entry
        plan: tuple[Step, ...] | None = None,  # command: the agent's to-do list, where that is one
        used_tokens: int | None = None,  # of the context, where the payload tells
        window_tokens: int | None = None,
        uses: tuple[Use, ...] = (),  # turn-end: other tools in it, where no transcript is kept
        failed: Mapping[str, str] | None = None,  # of these, what those that failed said, by id
        background: tuple[str, ...] = (),  # turn-end: what still runs, as the program calls it
        folder: str | None = None,  # where it was called; at a start that of the session
        database: str | None = None,  # session-start: path of the one that has the session
        kept_in: str | None = None,  # a pattern of the transcript's path, where it is not told
    ) -> None:
        self.kind = kind
        self.name = name
        self.native_id = native_id
        self.transcript = transcript
        self.source = source
        self.prompt = prompt
        self.statement = statement
        self.reason = reason
        self.may_hold = may_hold
        self.entry = entry
        self.plan = plan
        self.used_tokens = used_tokens
        self.window_tokens = window_tokens
        self.uses = uses
        self.failed = failed or {}
        self.background = background
        self.folder = folder
        self.database = database
        self.kept_in = kept_in


def event_of(
    payload: Mapping[str, Any],
    events: Mapping[str, tuple[str, ...]],
    tools: tuple[str, ...],
    prompt: Callable[[Mapping[str, Any]], str],
    entry: Callable[[Mapping[str, Any]], dict[str, object]],
    event_key: str = "hook_event_name",
    session_key: str = "session_id",
) -> HookEvent | None:
    """The event in a payload whose keys are Claude Code's, as several runtimes have them.

    `events` maps ours to theirs, `tools` are those we listen to; `prompt` and `entry` read
    the human's words and the command out of a payload. None: it is no event of ours.
    """
    name, native_id = text(payload, event_key), text(payload, session_key)
    kind = next((ours for ours, theirs in events.items() if name in theirs), None)
    if kind is None or not native_id or (kind == COMMAND and payload.get("tool_name") not in tools):
        return None
    return HookEvent(
        kind=kind,
        name=name,
        native_id=native_id,
        transcript=path(payload, "transcript_path"),
        source=text(payload, "source"),
        prompt=prompt(payload) if kind == PROMPT else "",
        statement=text(payload, "last_assistant_message") or None,
        reason=text(payload, "reason"),
        may_hold=payload.get("stop_hook_active") is False,
        entry=entry(payload) if kind == COMMAND else None,
        background=_running(payload.get("background_tasks")) if kind == TURN_END else (),
        folder=path(payload, "cwd"),
    )


def _running(tasks: Any) -> tuple[str, ...]:
    found = [task for task in tasks if isinstance(task, dict)] if isinstance(tasks, list) else []
    return tuple(
        text(task, "command") or text(task, "description") or "a task"
        for task in found
        if task.get("status") == "running"
    )


# What several runtimes offer alike; each assigns it in its own folder.


def as_told(entry: dict[str, object], tail: bytes) -> dict[str, object]:
    """`settled` where the end of the transcript says no more than the payload."""
    return entry


def nested_reply(name: str, context: str) -> dict[str, Any]:
    """`reply` in Claude Code's shape."""
    return {"hookSpecificOutput": {"hookEventName": name, "additionalContext": context}}


def block(reason: str) -> dict[str, Any]:
    """`hold` in Claude Code's shape."""
    return {"decision": "block", "reason": reason}


def no_hold(reason: str) -> dict[str, Any]:
    """`hold` where a turn that ended cannot be made to go on, or nobody knows how."""
    return {}


def prompt_text(payload: Mapping[str, Any]) -> str:
    """The prompt where nothing but the human's words stands in it."""
    return text(payload, "prompt").strip()


def number(payload: Mapping[str, Any], key: str) -> int | None:
    """The whole number at `key`, or None; one that no float holds exactly counts nothing."""
    value = payload.get(key)
    return value if type(value) is int and abs(value) <= 2**53 else None


def path(payload: Mapping[str, Any], key: str) -> str | None:
    """The path at `key`; None where there is none, or what no system takes for one."""
    value = text(payload, key)
    try:
        value.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return None
    return value if value and "\0" not in value else None


def text(payload: Mapping[str, Any], key: str) -> str:
    """The string at `key`, or an empty one."""
    value = payload.get(key)
    return value if isinstance(value, str) else ""
