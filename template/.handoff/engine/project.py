"""What lies where in this project, read and written through `store`."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from . import config, feedback, store
from .errors import HandoffError

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from .config import Config
    from .session import Session

MAX_LOG_BYTES = 256_000


class Project:
    """A folder with `.handoff/` in it."""

    def __init__(self, root: str) -> None:
        self.root = root
        self._config: Config | None = None

    @property
    def config(self) -> Config:
        if self._config is None:
            self._config = config.parse(self.json(config.PATH))
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
        from . import session

        try:
            return session.parse(self.json(f"{config.STATE_FOLDER}/sessions/{session_id}.json"))
        except HandoffError:
            return None

    def save_session(self, session: Session) -> None:
        from . import session as sessions

        data = json.dumps(sessions.value(session), sort_keys=True, indent=1).encode()
        self.hide_state()
        self.write(f"{config.STATE_FOLDER}/sessions/{session.id}.json", data + b"\n")

    def sessions(self) -> tuple[Session, ...]:
        """Every session on record, the one with the newest event last."""
        try:
            names = os.listdir(self.path(f"{config.STATE_FOLDER}/sessions"))
        except OSError:
            return ()
        ids = [name[:-5] for name in names if name.endswith(".json")]
        found = [one for one in map(self.load_session, sorted(ids)) if one is not None]
        return tuple(sorted(found, key=lambda one: one.last_event_at or 0))

    def append_feedback(self, records: tuple[feedback.Record, ...]) -> None:
        if records:
            data = "".join(map(feedback.line, records)).encode()
            self.hide_state()
            store.append(self.path(self.config.artifacts["feedback"]), data, self.root)

    def feedback(self, session_id: str) -> tuple[feedback.Record, ...]:
        """The session's commands, one record each."""
        data = self.read(self.config.artifacts["feedback"]) or b""
        found = []
        for line in data.split(b"\n"):
            try:
                record = feedback.parse(json.loads(line)) if line.strip() else None
            except (ValueError, RecursionError):
                continue
            if record is not None and record.session_id == session_id:
                found.append(record)
        return feedback.merged(found)

    def hide_state(self) -> None:
        store.hide(self.path(config.STATE_FOLDER), self.root)

    def exclusive(self) -> AbstractContextManager[None]:
        return store.exclusive(self.path(f"{config.STATE_FOLDER}/lock"), self.root)

    def log(self, text: str) -> None:
        """One entry in `hook.log`, which is started anew when it has grown."""
        name = self.path(f"{config.STATE_FOLDER}/hook.log")
        if len(store.tail(name, MAX_LOG_BYTES)) >= MAX_LOG_BYTES:
            store.write(f"{name}.1", store.tail(name, MAX_LOG_BYTES), self.root)
            store.remove(name, self.root)
        self.hide_state()
        store.append(name, text.encode("utf-8", "replace") + b"\n", self.root)
