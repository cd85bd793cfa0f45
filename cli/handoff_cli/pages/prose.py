"""Words of strangers, made fit to be read: nothing in them acts or hides."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_ANSI = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # colours and cursor movements
    r"|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)"  # titles and links
    r"|\x1b[ -/]*[0-~]"
    r"|\x9b[0-?]*[ -/]*[@-~]"
)
_LINE_ENDS = re.compile("\r\n|[\r\u2028\u2029]")
# Controls, what turns the direction of text round, halves of characters, invisible tags.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\U000e0000-\U000e007f]"
)
_MARKS = re.compile(
    r"^[ \t]*```[^\n`]*\n(?P<block>.*?)(?:^[ \t]*```[ \t]*(?:\n|\Z)|\Z)"
    r"|`(?P<code>[^`\n]+)`"
    r"|\*\*(?P<strong>[^\s*](?:[^*\n]*[^\s*])?)\*\*",
    re.MULTILINE | re.DOTALL,
)


class Segment(NamedTuple):
    kind: str  # "text", or one of the groups above
    text: str


def plain(text: str) -> str:
    """The text without terminal sequences; characters that hide or act stand there as signs."""
    text = _LINE_ENDS.sub("\n", _ANSI.sub("", text))
    return _HIDDEN.sub(_sign, text)


def line(text: str) -> str:
    """The text on one line."""
    return " ".join(plain(text).split())


def segments(text: str) -> Iterator[Segment]:
    """The parts of an agent's Markdown that look different: code, code blocks, what is bold."""
    end = 0
    for mark in _MARKS.finditer(text):
        kind = mark.lastgroup or "text"
        before = text[end : mark.start()]
        if kind == "block":
            before = before.rstrip("\n")
        if before:
            yield Segment("text", before)
        yield Segment(kind, mark[kind].rstrip("\n"))
        end = mark.end()
        while kind == "block" and text[end : end + 1] == "\n":
            end += 1
    if text[end:]:
        yield Segment("text", text[end:])


def _sign(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    return "\ufffd" if 0xD800 <= code <= 0xDFFF else f"⟨U+{code:04X}⟩"
