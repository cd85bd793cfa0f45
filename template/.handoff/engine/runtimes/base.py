"""What every runtime offers, and the event its hooks turn into.

A runtime is three modules of module-level names: `hooks`, `transcript` and `launch`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from .. import feedback, records

SESSION_START = "session-start"
PROMPT = "prompt"
COMMAND = "command"
TURN_END = "turn-end"
PRE_COMPACT = "pre-compact"
SESSION_END = "session-end"


class HookEvent(NamedTuple):
    kind: str  # one of the six above
    native_id: str
    transcript: str | None  # path, as the runtime sent it
    source: str = ""  # session-start: startup, resume, clear, compact or fork
    prompt: str = ""  # prompt: the human's words
    statement: str | None = None  # turn-end: the agent's last words
    reason: str = ""  # session-end
    record: feedback.Record | None = None  # command


class Hooks(Protocol):
    """`runtimes/<name>/hooks.py`: the entries to install, payloads in, replies out."""

    SETTINGS: str  # the project's settings file, from the repository root
    EVENTS: Mapping[str, tuple[str, ...]]  # ours: theirs
    MATCHERS: Mapping[str, str]  # their event: which of its occasions
    TIMEOUTS: Mapping[str, int]  # our event: in the runtime's own unit
    PROJECT_DIR: str  # shell expression for a folder inside the project
    TAIL_BYTES: int  # how much of the transcript's end may hold a command's exit code; 0 = none

    def event(self, payload: Mapping[str, Any]) -> HookEvent | None:
        """The event in a hook's payload, or None when it is none of ours."""

    def settled(self, record: feedback.Record, tail: bytes) -> feedback.Record:
        """The record with the exit code that the transcript's last bytes give it."""

    def reply(self, kind: str, context: str) -> dict[str, Any]:
        """The object that hands `context` to the model at this event."""


class Transcript(Protocol):
    """`runtimes/<name>/transcript.py`: complete lines in, records out."""

    def records(self, lines: Iterable[bytes]) -> Iterator[records.Record]: ...


class Launch(Protocol):
    """`runtimes/<name>/launch.py`: how to start it."""

    def resume_command(self, native_id: str) -> str:
        """The shell command that opens the native session again."""


def text(payload: Mapping[str, Any], key: str) -> str:
    """The string at `key`, or an empty one."""
    value = payload.get(key)
    return value if isinstance(value, str) else ""
