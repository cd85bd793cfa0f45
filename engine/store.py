"""The door to the disk: whole files, atomically, inside the repository only."""

from __future__ import annotations

import contextlib
import json
import os
import re
import time
from collections.abc import Iterator

from .paths import inside

MAX_FILE_BYTES = 20_000_000
MAX_LINE_BYTES = 64_000_000
MAX_HEAD_BYTES = 1_000
ABANDONED_SECONDS = 60  # after which the writer of a temporary file was killed
_TEMPORARY = re.compile(r"\..+\.[0-9a-f]{12}\.tmp", re.DOTALL)


def read(path: str) -> bytes | None:
    """The file's bytes, or None where there is no regular file of a sensible size."""
    try:
        if not os.path.isfile(path) or os.path.getsize(path) > MAX_FILE_BYTES:
            return None
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return None


def names(folder: str) -> list[str]:
    """What lies in the folder, sorted; nothing where there is none."""
    try:
        return sorted(os.listdir(folder or "."))
    except OSError:
        return []


def write(path: str, data: bytes, within: str) -> bool:
    """Replace the file as a whole, keeping its mode and symlink; whether anything changed.

    Raises: HandoffError where the path leads out of the folder `within`.
    """
    target = inside(path, within)
    if read(target) == data:
        return False
    folder = os.path.dirname(target)
    os.makedirs(folder, exist_ok=True)
    _tidy(folder)
    name = f".{os.path.basename(target)[:60]}.{os.urandom(6).hex()}.tmp"
    temporary = os.path.join(folder, name)
    try:
        with open(temporary, "xb") as file:
            file.write(data)
        with contextlib.suppress(FileNotFoundError):
            os.chmod(temporary, os.stat(target).st_mode & 0o7777)
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    return True


def _tidy(folder: str) -> None:
    """Take away what writers that were killed left in the folder."""
    for name in os.listdir(folder):
        if name.endswith(".tmp") and _TEMPORARY.fullmatch(name):
            path = os.path.join(folder, name)
            with contextlib.suppress(OSError):
                if abs(time.time() - os.path.getmtime(path)) > ABANDONED_SECONDS:
                    os.unlink(path)


def remove(path: str, within: str) -> None:
    with contextlib.suppress(FileNotFoundError):
        os.unlink(inside(path, within))


def hide(folder: str, within: str) -> None:
    """Make git ignore the folder from the inside."""
    write(os.path.join(folder, ".gitignore"), b"*\n", within)


class Lines:
    """The complete lines of a file from a byte offset on; `offset` is where the next one starts.

    A last line without an end is complete once it is an object, since no beginning of one is. Of a
    line that is too long there is only its beginning. A file of the name `.json` is one line.
    """

    def __init__(self, path: str, offset: int) -> None:
        self._file = open(path, "rb")  # noqa: SIM115 - closed by `close`
        self.size = os.fstat(self._file.fileno()).st_size
        self.offset = offset if offset <= self.size else 0  # a shorter file is another file
        self.cut_bytes = 0  # at the end: a line that is still being written, or was cut off
        self._is_document = path.endswith(".json")
        self._file.seek(self.offset)

    def __iter__(self) -> Iterator[bytes]:
        if self._is_document:
            yield self._file.read(MAX_LINE_BYTES)  # written anew each time: read as a whole again
            return
        while line := self._file.readline(MAX_LINE_BYTES):
            size, end = len(line), line[-1:]
            if size == MAX_LINE_BYTES:
                line = line[:MAX_HEAD_BYTES]
                while end != b"\n" and (more := self._file.readline(MAX_LINE_BYTES)):
                    size, end = size + len(more), more[-1:]
            if end != b"\n" and not _is_object(line):
                self.cut_bytes = size
                return
            self.offset += size
            yield line

    def close(self) -> None:
        self._file.close()


def _is_object(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


@contextlib.contextmanager
def exclusive(path: str, within: str, timeout_seconds: float = 10) -> Iterator[None]:
    """Hold a lock file while the block runs; go on without it when it stays taken."""
    target = inside(path, within)
    os.makedirs(os.path.dirname(target), exist_ok=True)
    with open(target, "ab") as file:
        locked = _lock(file.fileno(), timeout_seconds)
        try:
            yield
        finally:
            if locked:
                _unlock(file.fileno())


def _lock(handle: int, timeout_seconds: float) -> bool:
    try:
        import fcntl
    except ImportError:  # Windows: atomic writes and compare-and-swap still hold
        return False
    until = time.monotonic() + timeout_seconds
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except OSError:
            if time.monotonic() > until:
                return False
            time.sleep(0.02)


def _unlock(handle: int) -> None:
    import fcntl

    fcntl.flock(handle, fcntl.LOCK_UN)
