"""Text in which nothing is hidden and that no terminal obeys."""

from __future__ import annotations

import re

# Besides Unicode's categories of control and format characters: what has no width or no ink.
INKLESS = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0000-\U000e0fff]"
)


def visible(text: str) -> str:
    """`text` with whatever nobody sees or a terminal obeys spelled as JSON does; line breaks and
    tabs stay."""
    flat = text.replace("\n", "").replace("\t", "")
    if flat.isprintable() and not INKLESS.search(flat):
        return text
    return "".join(map(_visible, text))


def _visible(char: str) -> str:
    if char in "\n\t\ufe0f" or (char.isprintable() and not INKLESS.match(char)):
        return char
    units = char.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))
