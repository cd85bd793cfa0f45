"""What every runtime offers: three modules of module-level names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from .. import records
    from .base import HookEvent


class Hooks(Protocol):
    """`runtimes/<name>/hooks.py`: the entries to install, payloads in, replies out."""

    SETTINGS: Mapping[str, str]  # by scope (project, local, user): the settings file, from the
    # repository's root or the user's home (`~/…`, `${VARIABLE:-~/…}/…`)
    SHAPE: str  # nested, flat or plugin, as in `base`
    COMMENTS: bool  # the settings file's reader takes comments
    UNDER: tuple[str, ...]  # the keys that lead to the events in the settings file
    FRESH: Mapping[str, object]  # what a settings file that we create needs besides
    HANDLER: Mapping[str, object]  # what each handler has besides its command
    TIMEOUT_KEY: str
    EVENT_KEY: str  # of a payload: their event
    SESSION_KEY: str  # of a payload: the native session's id
    EVENTS: Mapping[str, tuple[str, ...]]  # ours: theirs
    MATCHERS: Mapping[str, str]  # their event: which of its occasions
    TIMEOUTS: Mapping[str, int]  # our event: in the runtime's own unit
    PROJECT_DIR: str  # shell expression for a folder inside the project
    UNLESS: tuple[str, ...]  # variables of other programs that run this settings file's hooks, too
    UNHEARD: tuple[str, ...]  # sources of a start at which what the hook says reaches no model
    TAIL_BYTES: int  # how much of the transcript's end may hold a command's exit code; 0 = none

    def event(self, payload: Mapping[str, Any]) -> HookEvent | None:
        """The event in a hook's payload, or None when it is none of ours."""

    def settled(self, entry: dict[str, object], tail: bytes) -> dict[str, object]:
        """The command's entry with the exit code that the transcript's last bytes give it."""

    def reply(self, name: str, context: str) -> dict[str, Any]:
        """The object that hands `context` to the model at their event `name`."""

    def hold(self, reason: str) -> dict[str, Any]:
        """The object that makes a turn which is about to end go on, for this reason."""


class Plugin(Protocol):
    """`runtimes/<name>/plugin.py`, where its `hooks.SHAPE` is plugin."""

    TEXT: str  # the whole file of code, whose first line holds `hookplan.MARK`


class Transcript(Protocol):
    """`runtimes/<name>/transcript.py`: complete lines in, records out. Sessions that the runtime
    keeps in a database instead become lines first; where neither is to be had, the hooks tell all.
    """

    KEPT: bool  # whether the runtime keeps each session in a file of lines
    FLUSH_SECONDS: float  # how late the file gets what happened before a hook was called

    def records(self, lines: Iterable[bytes]) -> Iterator[records.Record]: ...


class Files(Protocol):
    """The door to the disk, as a runtime is handed it."""

    def names(self, folder: str) -> list[str]: ...

    def read(self, path: str) -> bytes | None: ...


class Lines(Protocol):
    """What of a session is new, as lines; `offset` is how far it was read."""

    offset: int
    size: int  # of the file, in bytes; 0 where it is none
    cut_bytes: int  # of its end, which is no whole line

    def __iter__(self) -> Iterator[bytes]: ...

    def close(self) -> None: ...


class Database(Protocol):
    """`runtimes/<name>/database.py`, where its hooks name one that has the session."""

    def Messages(  # noqa: N802 - a class
        self, path: str, native_id: str, offset: int, files: Files, whole: bool = False
    ) -> Lines:
        """Lines for the transcript's `records`; with `whole` of what is still being written, too.

        Raises: HandoffError, also while they are read: locked, damaged, of no known schema.
        """


class Launch(Protocol):
    """`runtimes/<name>/launch.py`: how to start it."""

    START: str  # the shell command that opens a new session
    PROVED: str | None  # the version that was seen working; None: from documentation

    def resume_command(self, native_id: str) -> str:
        """The shell command that opens the native session again."""
