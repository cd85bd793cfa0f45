"""Names from outside (session ids, topics, branches) as parts of paths and refs."""

from __future__ import annotations

import re

_PLAIN_FOLDER = re.compile(r"[a-z0-9][a-z0-9_-]{0,79}")
_MAX_REF_CHARS = 150
# Windows opens a device for these, whatever the folder.
_DEVICES = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)")


def folder(identifier: str) -> str:
    """A folder name for `identifier`: itself where it is harmless, else cleaned and hashed.

    Two identifiers never share a name, not even on a file system that ignores case.
    """
    if _PLAIN_FOLDER.fullmatch(identifier) and not _DEVICES.fullmatch(identifier):
        return identifier
    cleaned = re.sub(r"[^a-z0-9]+", "-", identifier.lower()).strip("-")[:40]
    return f"{cleaned or 'id'}.{_hash(identifier)}"


def ref_part(name: str) -> str:
    """`name` as one component of a ref: percent-encoded, and hashed where it is too long.

    Capital letters are encoded too, so that refs differ where file systems ignore case.
    """
    encoded = "".join(
        char
        if char.isascii() and (char.islower() or char.isdigit() or char in "-_")
        else _percent(char)
        for char in name
    )
    if len(encoded) <= _MAX_REF_CHARS:
        return encoded or "%"
    return f"{encoded[:_MAX_REF_CHARS]}%-{_hash(name)}"


def _percent(char: str) -> str:
    return "".join(f"%{byte:02X}" for byte in char.encode("utf-8", "surrogateescape"))


def _hash(text: str) -> str:
    import hashlib  # only odd names pay for it

    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
