"""A session in OpenCode's database (SQLite), as of 1.2: messages and their parts are rows."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import Any

from ...errors import HandoffError

BUSY_SECONDS = 1.0
MAX_REASON_CHARS = 100  # of which damaged names may be part

_FAMILY = """
WITH RECURSIVE family(id) AS (
  SELECT id FROM session WHERE id = ?
  UNION SELECT session.id FROM session JOIN family ON session.parent_id = family.id
) SELECT id FROM family"""
_MESSAGES = """
SELECT CAST(time_created AS INTEGER), CAST(id AS TEXT) FROM message
WHERE session_id = ? AND time_created > ? ORDER BY 1, 2"""


class Rows:
    """The database at a path, opened read-only. Raises: HandoffError, as every method does."""

    def __init__(self, path: str) -> None:
        self._path = path
        try:
            self._database = sqlite3.connect(
                _uri(path), uri=True, timeout=BUSY_SECONDS, isolation_level=None
            )
        except (sqlite3.Error, UnicodeError) as error:
            raise _told(path, error) from None
        self._database.text_factory = bytes  # what is no UTF-8 stops no query
        list(self._query("BEGIN"))  # whatever is written meanwhile, all is read as it is now

    def sessions(self, native_id: str) -> list[str]:
        """The session and those that it called, or none where it is not here."""
        found = [_text(row[0]) for row in self._query(_FAMILY, native_id)]
        if found and not self._has("message", native_id) and self._has_elsewhere(native_id):
            raise HandoffError(
                f"`{self._path}` has the session in `session_message`, of no known shape"
            )
        return found

    def messages(self, session: str, after: int) -> Iterator[tuple[int, str]]:
        """When each message later than `after` (epoch milliseconds) was begun, and its id."""
        for created, key in self._query(_MESSAGES, session, after):
            if created is not None and created > after:  # a column may hold a fraction
                yield created, _text(key)

    def message(self, session: str, key: str) -> bytes:
        rows = list(self._query("SELECT data FROM message WHERE id = ?", key))
        return _bytes(rows[0][0]) if rows else b""

    def parts(self, key: str) -> list[bytes]:
        query = "SELECT data FROM part WHERE message_id = ? ORDER BY id"
        return [_bytes(row[0]) for row in self._query(query, key)]

    def close(self) -> None:
        self._database.close()

    def _has(self, table: str, native_id: str) -> bool:
        query = f"SELECT 1 FROM {table} WHERE session_id = ? LIMIT 1"
        return bool(list(self._query(query, native_id)))

    def _has_elsewhere(self, native_id: str) -> bool:
        """Whether a table that is to replace `message` has the session."""
        table = "session_message"
        there = list(self._query("SELECT 1 FROM sqlite_master WHERE name = ?", table))
        return bool(there) and self._has(table, native_id)

    def _query(self, query: str, *values: object) -> Iterator[Any]:
        try:
            for row in self._database.execute(query, values):  # noqa: UP028 - its cursor may
                yield row  # outlive the database, and `yield from` would close it then
        except (sqlite3.Error, UnicodeError) as error:  # of an id, or a message of SQLite's own
            raise _told(self._path, error) from None


def _told(path: str, error: Exception) -> HandoffError:
    why = "malformed" if isinstance(error, UnicodeError) else str(error)[:MAX_REASON_CHARS]
    what = "has no known schema" if why.startswith("no such") else "cannot be read"
    return HandoffError(f"`{path}` {what} ({why})")


def _uri(path: str) -> str:
    """The database, read-only. Nobody has one in WAL mode open that has no `-wal` file beside it:
    it is read as if it could not change, since SQLite would leave two files there else."""
    name = f"/{path}".replace("\\", "/") if path[1:2] == ":" else path  # of a drive of Windows
    for mark in "%?#":
        name = name.replace(mark, f"%{ord(mark):02x}")
    return f"file:{name}?mode=ro{'&immutable=1' if _is_at_rest(path) else ''}"


def _is_at_rest(path: str) -> bool:
    wal_mode = False
    try:
        with open(path, "rb") as file:
            wal_mode = file.read(20)[18:] == b"\x02\x02"
        with open(f"{path}-wal", "rb"):
            return False
    except FileNotFoundError:
        return wal_mode
    except OSError:
        return False


def _bytes(value: object) -> bytes:
    return value if isinstance(value, bytes) else b""


def _text(value: object) -> str:
    return _bytes(value).decode("utf-8", "replace")
