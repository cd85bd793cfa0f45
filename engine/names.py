"""Names from outside (session ids, topics, branches) as parts of paths and refs."""

from __future__ import annotations

_FOLDER_CHARS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-_")
_MAX_FOLDER_CHARS = 80
_MAX_REF_CHARS = 150
# Windows opens a device for these, whatever the folder.
_DEVICES = ("con", "prn", "aux", "nul", "com", "lpt")


def folder(identifier: str) -> str:
    """A folder name for `identifier`: itself where it is harmless, else cleaned and hashed.

    Two identifiers never share a name, not even on a file system that ignores case.
    """
    device = identifier[:3] in _DEVICES and len(identifier) <= 4
    plain = _FOLDER_CHARS.issuperset(identifier) and identifier[:1] not in ("", "-", "_")
    if plain and not device and len(identifier) <= _MAX_FOLDER_CHARS:
        return identifier
    kept = (char if char in _FOLDER_CHARS else "-" for char in identifier.lower()[:40])
    # No dot: Windows takes `con.anything` for the device, too.
    return f"{''.join(kept).strip('-_') or 'id'}+{_hash(identifier)}"


def known_folder(name: str) -> str:
    """`name` where `folder` may have given it, else a folder name for it."""
    kept, plus, digits = name.partition("+")
    given = (
        plus
        and kept[:1] not in ("", "-", "_")
        and len(kept) <= 40
        and _FOLDER_CHARS.issuperset(kept)
        and len(digits) == 16
        and set(digits) <= set("0123456789abcdef")
    )
    return name if given else folder(name)


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
    if "\ud800" <= char <= "\udfff" and not "\udc80" <= char <= "\udcff":
        return f"%u{ord(char):04X}"  # half a character: no byte of a name stands for it
    return "".join(f"%{byte:02X}" for byte in char.encode("utf-8", "surrogateescape"))


def _hash(text: str) -> str:
    import hashlib  # only odd names pay for it

    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
