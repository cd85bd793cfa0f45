"""The door to files that only grow: our logs, and the transcripts of others."""

from __future__ import annotations

import os

from .paths import inside


def append(path: str, data: bytes, within: str, max_bytes: int | None = None) -> None:
    """Add whole lines to a file's end in one write, so that writers never mix. Half a line there,
    from when the disk was full, is ended first.

    A file that has grown past `max_bytes` afterwards becomes `.1`, and an older one the next.
    """
    target = inside(path, within)
    try:
        handle = os.open(target, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
    except FileNotFoundError:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        handle = os.open(target, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
    try:
        if os.fstat(handle).st_size:
            os.lseek(handle, -1, os.SEEK_END)
            data = data if os.read(handle, 1) == b"\n" else b"\n" + data
        while data:  # all at once, unless the disk is nearly full
            data = data[os.write(handle, data) :]
        if max_bytes is not None and os.fstat(handle).st_size > max_bytes:
            from .rotation import rotate  # once in a megabyte

            rotate(target, handle)
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


def named(pattern: str, name: str) -> str | None:
    """The file of that name below the user's home, by a pattern `${VARIABLE:-~/folder}/*/file`.

    The name stands for `*`. It is looked for among those that are there, since it may be any text.
    """
    variable, _, rest = pattern[2:].partition(":-")
    home, _, rest = rest.partition("}")
    folder, _, file = rest.partition("/*/")
    folder = (os.environ.get(variable) or os.path.expanduser(home)) + folder
    try:
        found = next((one for one in os.listdir(folder) if one == name), None)
    except OSError:
        return None
    path = os.path.join(folder, found, file) if found else ""
    return path if os.path.isfile(path) else None
