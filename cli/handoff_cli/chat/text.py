"""What agents say, as lines that a terminal shows and does not obey."""

from __future__ import annotations

import re

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


def wrapped(text: str, width: int) -> list[str]:
    """The visible text in lines of at most `width` cells, broken at spaces where there are any."""
    found = []
    for rest in visible(text).expandtabs(TAB_CELLS).split("\n"):
        while (cells := cell_len(start := rest[: width + 1])) > width or len(rest) > len(start):
            at = len(chop_cells(start, width)[0]) if cells > width else len(start)
            space = rest.rfind(" ", 0, at + 1) if cells > width else -1
            if space > 0 and not rest[:space].isspace():
                found.append(rest[:space])
                rest = rest[space + 1 :]
            else:
                found.append(rest[:at])
                rest = rest[at:]
        found.append(rest)
    return found


def _visible(char: str) -> str:
    if char in "\n\t\ufe0f" or (char.isprintable() and not _INKLESS.match(char)):
        return char
    return f"⟨U+{ord(char):04X}⟩"
