"""What others say in a conversation, read when something has changed on disk.

Asking the engine for a timeline costs a process and the whole of it. Whoever speaks leaves traces:
hooks write records and chunks, the ledger's refs move, a transcript grows. Those are cheap to see.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from handoff_cli import state, worktree
from handoff_cli.chat import history
from handoff_cli.chat.events import Event

LOOK_SECONDS = 0.5
RESTS = 2  # times as long as a look took
LEDGER = "handoff/ledger.git"


class Following:
    """A conversation that others hold."""

    def __init__(self, project: Path, history: Callable[[], list[Event]]) -> None:
        git = worktree.git(project, "rev-parse", "--git-dir").rstrip("\n")
        self._head = project / git / "HEAD"
        self._ledger = worktree.common_folder(project) / LEDGER
        self._state = project / state.FOLDER
        self._history = history
        self._seen: dict[str, tuple[int, int]] | None = None
        self.pause_seconds = LOOK_SECONDS  # until the next look

    def look(self) -> list[Event] | None:
        """All that was said, or None where nothing has changed since the last look.

        Raises: HandoffError where the engine fails; the next look asks it again.
        """
        began = time.monotonic()
        try:
            now = dict(self._traces())
            if now == self._seen:
                return None
            events = self._history()
            self._seen = now
            return events
        finally:
            self.pause_seconds = max(LOOK_SECONDS, RESTS * (time.monotonic() - began))

    def _traces(self) -> Iterator[tuple[str, tuple[int, int]]]:
        """Times and sizes of what is written when somebody speaks; of a folder, when a file came
        into it or was replaced."""
        folders = [str(self._state), str(self._ledger)]
        for top in (self._state / "timeline", self._ledger / "refs/handoff/timeline"):
            folders += [folder for folder, _, _ in os.walk(top)]
        for path in (*folders, str(self._head), *self._transcripts()):
            with contextlib.suppress(OSError, ValueError):
                there = Path(path).stat()
                yield path, (there.st_mtime_ns, there.st_size)

    def _transcripts(self) -> Iterator[str]:
        """The records of sessions, and the files where their runtimes keep them."""
        for record in (self._state / "sessions").glob("*.json"):
            yield str(record)
            with contextlib.suppress(OSError, ValueError, AttributeError, RecursionError):
                value = json.loads(record.read_bytes())
                kept = value.get("transcript"), value.get("database")
                for path in filter(None, kept):
                    yield from (str(path), f"{path}-wal")


def following(project: Path, topic: str | None) -> Following:
    """The conversation of a project's branch and topic."""
    return Following(project, lambda: history.events(project, topic))


def news(old: Sequence[Event], new: Sequence[Event]) -> list[Event]:
    """What is in the new history and not in the old one, which may begin or end elsewhere."""
    left = Counter(old)
    found = []
    for event in new:
        left[event] -= 1
        if left[event] < 0:
            found.append(event)
    return found
