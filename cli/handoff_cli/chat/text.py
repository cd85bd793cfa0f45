"""What agents say, as lines that a terminal shows and does not obey."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rich.cells import cell_len, chop_cells

from handoff_cli.pages import prose

TAB_CELLS = 4
_SPACES = re.compile("[\xa0\u1680\u2000-\u200a\u202f\u205f\u3000]")
# Besides control and format characters: what has no width or no ink.
_INKLESS = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0e\uffa0\U000e0000-\U000e0fff]"
)


def visible(text: str) -> str:
    """The text without terminal sequences; signs stand where nobody would see anything."""
    if text.isascii() and text.replace("\n", "").isprintable():
        return text
    text = _SPACES.sub(" ", prose.plain(text))
    if text.replace("\n", "").replace("\t", "").isprintable() and not _INKLESS.search(text):
        return text
    return "".join(map(_visible, text))


def visible_lines(text: str) -> list[str]:
    """The visible text's lines, tabs as spaces."""
    return visible(text).expandtabs(TAB_CELLS).split("\n")


def wrapped(text: str, width: int, hang: int = 0) -> list[str]:
    """The visible text in lines of at most `width` cells, broken at spaces where there are any;
    what a line goes on with stands `hang` cells further in."""
    return [
        " " * (hang if start else 0) + line[start:end]
        for line in visible_lines(text)
        for start, end in breaks(line, width, hang)
    ]


def breaks(line: str, width: int, hang: int = 0) -> Iterator[tuple[int, int]]:
    """Where each part of a visible line begins and ends; those after the first have `hang` cells
    less."""
    at = 0
    while True:
        start = line[at : at + width + 1]
        cells = cell_len(start)
        if cells <= width and at + len(start) == len(line):
            yield at, len(line)
            return
        end = at + (max(1, len(chop_cells(start, width)[0])) if cells > width else len(start))
        space = line.rfind(" ", at, end + 1) if cells > width else -1
        if space > at and not line[at:space].isspace():
            yield at, space
            at = space + 1
        else:
            yield at, end
            at = end
        width, hang = width - hang, 0


def _visible(char: str) -> str:
    if char in "\n\t\ufe0f" or (char.isprintable() and not _INKLESS.match(char)):
        return char
    return f"⟨U+{ord(char):04X}⟩"
