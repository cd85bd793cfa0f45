"""The door to a log's older files: `.1` is the newest of them, and `.5` the last."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import Any

MAX_OLDER = 5


def lines(path: str) -> Iterator[bytes]:
    """The complete lines of a log and of its older files, the oldest first.

    The newest is opened first: a file that moves on meanwhile is met again, and never missed.
    """
    with contextlib.ExitStack() as opened:
        files: dict[tuple[int, int], Any] = {}
        for name in (path, *older(path)):
            with contextlib.suppress(OSError):
                file = opened.enter_context(open(name, "rb"))
                found = os.fstat(file.fileno())
                files.setdefault((found.st_dev, found.st_ino), file)
        for file in reversed(files.values()):
            for line in file:
                # Without its end it is still being written; one of nothing ended what seemed half.
                if line.endswith(b"\n") and line != b"\n":
                    yield line


def older(path: str) -> list[str]:
    """The names of a log's older files, the newest first."""
    return [f"{path}.{number}" for number in range(1, MAX_OLDER + 1)]


def rotate(path: str, handle: int) -> None:
    """Move the file open at `handle` aside. Of many writers one does; the others find it moved,
    and lines that they still add to it are kept where it is now."""
    try:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX)  # given back when the file is closed
    except (ImportError, OSError):  # a system without: the worst is a file that moves twice
        pass
    with contextlib.suppress(OSError):
        ours, there = os.fstat(handle), os.stat(path)
        if (ours.st_dev, ours.st_ino) != (there.st_dev, there.st_ino):
            return
        names = [path, *older(path)]
        free = next((n for n, name in enumerate(names) if not os.path.exists(name)), MAX_OLDER)
        for number in range(free, 0, -1):
            os.replace(names[number - 1], names[number])
