"""Who holds the conversation of a work tree: one client at a time."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

from handoff_cli import state
from handoff_cli.errors import HandoffError

LOCK = "chat.lock"
TAKE_SECONDS = 20


@contextlib.contextmanager
def held(project: Path, take_over: bool = False) -> Iterator[None]:
    """Hold the conversation while the block runs; it is free again whatever ends us.

    Raises: HandoffError where another client holds it.
    """
    import fcntl

    path = state.file(project, LOCK)
    with path.open("a+", encoding="ascii") as file:
        until = time.monotonic() + TAKE_SECONDS
        asked = False
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except OSError:
                pid, _ = _written(path)
                if not take_over:
                    raise HandoffError(
                        f"another client holds this conversation (process {pid or 'unknown'})",
                        "`--watch` shows it, `--take-over` ends the other and goes on here",
                    ) from None
                if not asked and pid:
                    file.write(f"{os.getpid()}\n")
                    file.flush()
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGTERM)
                    asked = True
                if time.monotonic() > until:
                    raise HandoffError(f"process {pid} does not give it up", "end it") from None
                time.sleep(0.1)
        file.truncate(0)
        file.write(f"{os.getpid()}\n")
        file.flush()
        yield


def who(project: Path) -> int | None:
    """The process that holds the conversation, if one does."""
    import fcntl

    path = state.file(project, LOCK)
    pid, _ = _written(path)
    if pid is None or not _lives(pid):
        return None  # and nobody who begins now finds the lock taken by a look
    try:
        with path.open(encoding="ascii") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return pid
    except OSError:
        pass  # it was taken away just now
    return None


def taker(project: Path) -> int | None:
    """The process that ended us to go on itself, if one did; asked while we hold it."""
    return _written(state.file(project, LOCK))[1]


def _written(path: Path) -> tuple[int | None, int | None]:
    """The process that held the lock last, and the one that wanted it."""
    try:
        first, second, *_ = [*map(int, path.read_text(encoding="ascii").split()), None, None]
    except (OSError, ValueError):
        return None, None
    return first, second


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        pass  # somebody else's
    return True
