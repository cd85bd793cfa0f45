"""An agent's Markdown as lines of a terminal: every sign of it stays, and says how it looks."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from handoff_cli.chat.text import breaks, visible_lines

_FENCE = re.compile(r"\s*(`{3,}|~{3,})(?P<about>[^`]*)\Z")
_HEADING = re.compile(r" {0,3}#{1,6} ")
_ITEM = re.compile(r"\s*(?:(?:[-*+•]|\d{1,3}[.)])\s+|>\s?)+")
_MARKS = re.compile(
    r"(?<!`)(?P<ticks>`{1,2})(?!`)(?P<code>[^`]+)(?P=ticks)(?!`)"
    r"|\*\*(?=\S)(?P<strong>[^*]+)(?<=\S)\*\*"
)


class Span(NamedTuple):
    """A part of a row that looks different."""

    start: int
    end: int
    look: str  # strong, code or quiet


class Row(NamedTuple):
    text: str
    look: str  # text, strong, block (of code) or quiet
    spans: tuple[Span, ...] = ()


def rows(text: str, width: int) -> Iterator[Row]:
    """The visible text in lines of at most `width` cells, with what looks different."""
    fence = ""
    for line in visible_lines(text):
        mark = _FENCE.match(line)
        if mark and not fence:
            fence = mark[1]
            yield from _rows(line, width, "quiet")
        elif mark and mark[1].startswith(fence) and not mark["about"].strip():
            fence = ""
            yield from _rows(line, width, "quiet")
        else:
            yield from _rows(line, width, "block" if fence else "text")


def _rows(line: str, width: int, look: str) -> tuple[Row, ...]:
    """The rows of one line; one of plain text may be a heading, an item or have marks."""
    hang, spans = 0, []
    if look == "text":
        look = "strong" if _HEADING.match(line) else look
        item = _ITEM.match(line)
        hang = min(item.end(), width // 2) if item else 0
        spans = _spans(line)
    ends = [one.end for one in spans]
    found = []
    for number, (start, end) in enumerate(breaks(line, width, hang)):
        indent = hang if number else 0
        shift = indent - start
        inside = spans[bisect_right(ends, start) : bisect_right(ends, end) + 1]
        shown = tuple(
            Span(max(one.start, start) + shift, min(one.end, end) + shift, one.look)
            for one in inside
            if one.start < end
        )
        found.append(Row(" " * indent + line[start:end], look, shown))
    return tuple(found)


def _spans(line: str) -> list[Span]:
    found = []
    for mark in _MARKS.finditer(line):
        look = str(mark.lastgroup)
        start, end = mark.span(look)
        found += [
            Span(mark.start(), start, "quiet"),
            Span(start, end, look),
            Span(end, mark.end(), "quiet"),
        ]
    return found
