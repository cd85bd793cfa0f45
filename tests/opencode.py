"""OpenCode's database, as far as it is read."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

SCHEMA = """
CREATE TABLE session (id text PRIMARY KEY, parent_id text);
CREATE TABLE message (id text PRIMARY KEY, session_id text, time_created integer, data text);
CREATE TABLE part (id text PRIMARY KEY, message_id text, session_id text, data text);
CREATE TABLE session_message (id text PRIMARY KEY, session_id text, type text, data text);
"""


def keep(path: Path, session_id: str, lines: bytes) -> None:
    """Put a recorded session into the database, which is made where there is none."""
    is_new = not path.exists()
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as database, database:
        if is_new:
            database.executescript(SCHEMA)
        database.execute("INSERT OR IGNORE INTO session VALUES (?, NULL)", (session_id,))
        for number, line in enumerate(lines.splitlines()):
            value, key = json.loads(line), f"msg_{number}_{session_id}"
            row = (key, session_id, value["info"]["time"]["created"], json.dumps(value["info"]))
            database.execute("INSERT OR IGNORE INTO message VALUES (?, ?, ?, ?)", row)
            for place, part in enumerate(value["parts"]):
                of_it = (f"prt_{place:03}_{key}", key, session_id, json.dumps(part))
                database.execute("INSERT OR IGNORE INTO part VALUES (?, ?, ?, ?)", of_it)
