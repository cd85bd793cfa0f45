"""Who holds the conversation of a work tree: one client at a time."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

from handoff_cli.errors import HandoffError

LOCK = ".handoff/state/chat.lock"
TAKE_SECONDS = 20


@contextlib.contextmanager
def held(project: Path, take_over: bool = False) -> Iterator[None]:
    """Hold the conversation while the block runs; it is free again whatever ends us.

    Raises: HandoffError where another client holds it.
    """
    import fcntl

    path = project / LOCK
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+", encoding="ascii") as file:
        until = time.monotonic() + TAKE_SECONDS
        asked = False
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except OSError:
                pid = _holder(path)
                if not take_over:
                    raise HandoffError(
                        f"another client holds this conversation (process {pid or 'unknown'})",
                        "`--watch` shows it, `--take-over` ends the other and goes on here",
                    ) from None
                if not asked and pid:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGTERM)
                    asked = True
                if time.monotonic() > until:
                    raise HandoffError(f"process {pid} does not give it up", "end it") from None
                time.sleep(0.1)
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        yield


def _holder(path: Path) -> int | None:
    """The process that wrote itself down; the lock is held, so it is alive."""
    try:
        return int(path.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None
