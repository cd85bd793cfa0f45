"""How a command of pi ended: its tool succeeds for 0, and else adds a last line of its own."""

from __future__ import annotations

import re

_ADDED = re.compile(r"Command (?:exited with code ([0-9]{1,10})|(timed out|aborted).*)")


def outcome(is_error: bool, text: str) -> tuple[int | None, str, str | None]:
    """Exit code, output and error of a command."""
    if not is_error:
        return 0, text, None
    output, _, last = text.rstrip().rpartition("\n")
    added = _ADDED.fullmatch(last)
    if added is None:
        return None, text, "did not run to its end"
    output = output.rstrip("\n")
    return (int(added[1]) or None, output, None) if added[1] else (None, output, added[2])
