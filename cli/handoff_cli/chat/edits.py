"""What an agent's edit changes in a file, as a unified diff of bounded size and bounded cost."""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

MAX_COMPARED_LINES = 400  # on either side, without what both begin and end with
MAX_LINES = 400
MAX_LINE_CHARS = 1_000
CONTEXT_LINES = 2
_NUMBERS = re.compile(r"(?<=[-+])\d+")


class Edit(NamedTuple):
    """A change of one file."""

    path: str
    is_new: bool  # there was no such file
    added: int  # lines
    removed: int
    diff: tuple[str, ...] = ()  # unified, without names; empty where it would cost too much
    cut_lines: int = 0  # of the diff, from its end

    def value(self) -> dict[str, Any]:
        """As a JSON value."""
        return {**self._asdict(), "diff": list(self.diff)}


def edit(path: str, old: str | None, new: str) -> Edit:
    """The edit that makes the new text of the old one; without an old one the file is new."""
    before, after = (old or "").splitlines(), new.splitlines()
    start = alike(before, after)
    ends = before[start:][::-1], after[start:][::-1]
    end = alike(*ends)
    if before and max(map(len, ends)) - end > MAX_COMPARED_LINES:
        was, now = Counter(before), Counter(after)
        return Edit(path, False, (now - was).total(), (was - now).total())
    start, end = max(0, start - CONTEXT_LINES), max(0, end - CONTEXT_LINES)
    pair = before[start : len(before) - end], after[start : len(after) - end]
    lines = list(difflib.unified_diff(*pair, n=CONTEXT_LINES, lineterm=""))[2:]
    signs = Counter(line[0] for line in lines)
    told = tuple(_placed(line, start)[:MAX_LINE_CHARS] for line in lines[:MAX_LINES])
    return Edit(path, old is None, signs["+"], signs["-"], told, max(0, len(lines) - MAX_LINES))


def alike(one: Sequence[Any], other: Sequence[Any]) -> int:
    """How many items both begin with."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((n for n, (a, b) in pairs if a != b), min(len(one), len(other)))


def _placed(line: str, start: int) -> str:
    """A line of a diff of texts that began so many lines into the file."""
    if not line.startswith("@@"):
        return line
    return _NUMBERS.sub(lambda number: str(int(number[0]) + start), line)
