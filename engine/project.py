"""What lies where in this project, read and written through the doors."""

from __future__ import annotations

import json
import os
import time
from typing import TYPE_CHECKING, Any

from . import config, git, layout, names, redact, rotation, runs, session, store
from .errors import HandoffError
from .layout import STATE_FOLDER

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from .config import Config
    from .runs import Run
    from .session import Session

AHEAD_SECONDS = 300  # by which the clock of another machine on the same disk may differ
MANUAL = "manual"  # the session where none is on record
# What a session and what belongs to it is found again by, in git or on the disk: kept as it is.
_FOUND_BY = (
    "id", "native_id", "topic", "branch", "start_branch", "start_branches", "transcript", "folder",
)  # fmt: skip


class Project:
    """A folder with `.handoff/` in it."""

    def __init__(self, root: str) -> None:
        self.root = root
        self._config: Config | None = None

    @property
    def config(self) -> Config:
        if self._config is None:
            self._config = config.parse(self.json(layout.CONFIG))
        return self._config

    def path(self, relative: str) -> str:
        return os.path.join(self.root, *relative.split("/"))

    def read(self, relative: str) -> bytes | None:
        return store.read(self.path(relative))

    def write(self, relative: str, data: bytes) -> bool:
        return store.write(self.path(relative), data, self.root)

    def json(self, relative: str) -> Any:
        """The JSON value of a file. Raises: HandoffError where there is none."""
        data = self.read(relative)
        if data is None:
            raise HandoffError(f"`{relative}` is missing", hint="run `handoff init`")
        try:
            return json.loads(data.decode("utf-8-sig"))
        except (ValueError, RecursionError) as error:
            raise HandoffError(
                f"`{relative}` is not valid JSON: {error}",
                hint="fix it by hand; it was left untouched",
            ) from None

    def outputs(self, session_id: str) -> str:
        return f"{self.config.artifacts['outputs']}/{session_id}"

    def load_session(self, session_id: str) -> Session | None:
        try:
            return session.parse(self.json(layout.session(session_id)))
        except HandoffError:
            return None

    def save_session(self, one: Session) -> None:
        value = session.value(one)
        value.update(redact.value({key: value[key] for key in value if key not in _FOUND_BY}))
        data = json.dumps(value, sort_keys=True, indent=1).encode()
        layout.hide(self.root)
        self.write(layout.session(one.id), data + b"\n")

    def sessions(self) -> tuple[Session, ...]:
        """Every session on record, the one with the newest event last; none that came with a clone
        of somebody's repository."""
        folder = f"{STATE_FOLDER}/sessions"
        try:
            listed = set(os.listdir(self.path(folder)))
        except OSError:
            return ()
        own = listed - git.tracked(self.root, folder)
        ids = [name[:-5] for name in own if name.endswith(".json")]
        found = [one for one in map(self.load_session, sorted(ids)) if one is not None]
        now = time.time() + AHEAD_SECONDS

        def age(one: Session) -> tuple[bool, float]:
            at = one.last_event_at or 0
            return at <= now, at  # a later one is of a clock that was set back since

        return tuple(sorted(found, key=age))

    def current_session(self, wanted: str | None = None) -> Session:
        """The session asked for, the newest one, or none: the repository alone tells then.

        Raises: HandoffError where the one asked for is not on record.
        """
        if wanted is None:
            known = self.sessions()
            return known[-1] if known else session.Session(MANUAL, runtime="", native_id="")
        found = self.load_session(names.folder(wanted)) or self.load_session(wanted)
        if found is None:
            raise HandoffError(f"no session `{wanted}` is on record", hint="see `handoff status`")
        return found

    def runs(self, session_id: str) -> tuple[Run, ...]:
        """The session's commands, one run each."""
        return runs.merged(self.recorded(session_id))

    def recorded(self, session_id: str) -> tuple[Run, ...]:
        """The session's lines of the feedback log: several may be about one command."""
        found = []
        for line in rotation.lines(self.path(self.config.artifacts["feedback"])):
            run = runs.parse(_value(line)) if session_id.encode() in line else None
            if run is not None and run.session_id == session_id:
                found.append(run)
        return tuple(found)

    def exclusive(self) -> AbstractContextManager[None]:
        return store.exclusive(self.path(f"{STATE_FOLDER}/lock"), self.root)


def _value(line: bytes) -> Any:
    """A line's JSON value; None for a line that somebody else wrote and that is none."""
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None
