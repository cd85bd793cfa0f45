"""What a command printed, kept in little room: its beginning, its end, and the lines between."""

from __future__ import annotations

import re
from collections import deque
from typing import NamedTuple

MAX_HEAD_BYTES = 16_000
MAX_TAIL_BYTES = 250_000
_PIECE_BYTES = 8_192
# Colours, cursor movements, titles and the like.
CONTROLS = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]{0,2000}(?:\x07|\x1b\\)|[@-Z\\^_]|[ -/]+[0-~])"
)


class Output(NamedTuple):
    head: str  # the first characters; what is short is in both
    tail: str  # the last ones
    lines_before: int  # in front of the tail


class Ends:
    """Takes an output in pieces; never holds more than its beginning and its end."""

    def __init__(self) -> None:
        self._head = b""
        self._pieces: deque[bytearray] = deque()
        self._held = 0
        self._dropped_lines = 0

    def add(self, data: bytes) -> None:
        if len(self._head) < MAX_HEAD_BYTES:
            self._head += data[: MAX_HEAD_BYTES - len(self._head)]
        if self._pieces and len(self._pieces[-1]) < _PIECE_BYTES:
            self._pieces[-1] += data
        else:
            self._pieces.append(bytearray(data))
        self._held += len(data)
        while self._held - len(self._pieces[0]) >= MAX_TAIL_BYTES:
            gone = self._pieces.popleft()
            self._held -= len(gone)
            self._dropped_lines += gone.count(b"\n")

    def output(self) -> Output:
        return Output(_plain(self._head), _plain(b"".join(self._pieces)), self._dropped_lines)


def _plain(data: bytes) -> str:
    """The text as a reader saw it in the end: no controls, no lines that were written over."""
    text = CONTROLS.sub("", data.decode("utf-8", "replace"))
    return "\n".join(map(_written_last, text.split("\n")))


def _written_last(line: str) -> str:
    """What stands on a line after its carriage returns."""
    return line.rstrip("\r").rpartition("\r")[2]
