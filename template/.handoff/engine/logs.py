"""The door to files that only grow: our logs, and the transcripts of others."""

from __future__ import annotations

import os

from .paths import inside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

MAX_OLDER = 5  # files beside a log that rotates: `.1` is the newest of them


def append(path: str, data: bytes, within: str, max_bytes: int | None = None) -> None:
    """Add whole lines to a file's end in one write, so that writers never mix.

    A file that has grown past `max_bytes` afterwards becomes `.1`, and an older one the next.
    """
    target = inside(path, within)
    try:
        handle = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    except FileNotFoundError:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        handle = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    try:
        while data:  # all at once, unless the disk is nearly full
            data = data[os.write(handle, data) :]
        if max_bytes is not None and os.fstat(handle).st_size > max_bytes:
            _rotate(target, handle)
    finally:
        os.close(handle)


def tail(path: str, max_bytes: int) -> bytes:
    """A file's last bytes; empty where it cannot be read."""
    try:
        with open(path, "rb") as file:
            file.seek(0, os.SEEK_END)
            file.seek(max(0, file.tell() - max_bytes))
            return file.read(max_bytes)
    except OSError:
        return b""


def lines(path: str) -> Iterator[bytes]:
    """The complete lines of a log and of its older files, the oldest first.

    The newest is opened first: a file that moves on meanwhile is met again, and never missed.
    """
    import contextlib

    with contextlib.ExitStack() as opened:
        files: dict[tuple[int, int], Any] = {}
        for name in (path, *older(path)):
            with contextlib.suppress(OSError):
                file = opened.enter_context(open(name, "rb"))
                found = os.fstat(file.fileno())
                files.setdefault((found.st_dev, found.st_ino), file)
        for file in reversed(files.values()):
            for line in file:
                if line.endswith(b"\n"):  # else it is still being written
                    yield line


def older(path: str) -> list[str]:
    """The names of a log's older files, the newest first."""
    return [f"{path}.{number}" for number in range(1, MAX_OLDER + 1)]


def _rotate(path: str, handle: int) -> None:
    """Move the file open at `handle` aside. Of many writers one does; the others find it moved,
    and lines that they still add to it are kept where it is now."""
    import contextlib

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
        there_are = next((n for n, name in enumerate(names) if not os.path.exists(name)), MAX_OLDER)
        for number in range(there_are, 0, -1):
            os.replace(names[number - 1], names[number])
