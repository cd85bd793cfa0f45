"""A recorded terminal as an animated picture that needs nothing else: SVG and its style.

The frames stand below one another on a strip that moves behind a window; a row that several have
is there once.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from html import escape
from itertools import groupby
from typing import NamedTuple

import pyte

CELL, LINE, SIZE, EDGE = 8.4, 18, 14, 12  # pixels
MERGED_SECONDS = 0.06  # what is drawn within that is one frame
END_SECONDS = 4.0
GROUND, INK = "#121212", "#e0e0e0"
STYLE = (
    "text{{font-family:ui-monospace,Menlo,Consolas,monospace;font-size:{size}px;white-space:pre}}"
    "#strip{{animation:film {seconds}s steps(1,end) infinite}}"
    "@media (prefers-reduced-motion:reduce){{#strip{{animation:none;"
    "transform:translateY({last}px)}}}}@keyframes film{{{moves}}}"
)


class Run(NamedTuple):
    """Cells beside one another that look alike."""

    at: int
    text: str
    ink: str
    ground: str
    bold: bool


Row = tuple[Run, ...]
Frame = tuple[Row, ...]


def svg(cast: Iterable[str]) -> str:
    """The picture of an asciicast (version 2), given by its lines."""
    about, *events = map(json.loads, cast)
    taken = list(frames(about["width"], about["height"], events))
    height, wide = about["height"] * LINE, round(about["width"] * CELL)
    seconds = taken[-1][0] + END_SECONDS
    rows: dict[Row, int] = {}
    strip = [
        f'<use href="#r{rows.setdefault(row, len(rows))}" y="{number * height + line * LINE}"/>'
        for number, (_, frame) in enumerate(taken)
        for line, row in enumerate(frame)
        if row
    ]
    moves = "".join(
        f"{100 * at / seconds:.2f}%{{transform:translateY({-number * height}px)}}"
        for number, (at, _) in enumerate(taken)
    )
    last = -(len(taken) - 2) * height  # the one before it was left
    style = STYLE.format(size=SIZE, seconds=round(seconds, 1), last=last, moves=moves)
    frame = f'width="{wide + 2 * EDGE}" height="{height + 2 * EDGE}"'
    kept = "".join(f'<g id="r{number}">{drawn(row)}</g>' for row, number in rows.items())
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {frame}><style>{style}</style>'
        f'<rect {frame} rx="6" fill="{GROUND}"/><defs>{kept}</defs>'
        f'<svg x="{EDGE}" y="{EDGE}" width="{wide}" height="{height}">'
        f'<g id="strip">{"".join(strip)}</g></svg></svg>\n'
    )


def frames(
    width: int, height: int, events: Iterable[list[object]]
) -> Iterator[tuple[float, Frame]]:
    """Each screen that stood for a moment, and when it came (seconds)."""
    screen = pyte.Screen(width, height)
    stream = pyte.Stream(screen)
    shown, since = frame_of(screen), 0.0
    yield since, shown
    for _, group in groupby(events, lambda event: int(float(str(event[0])) / MERGED_SECONDS)):
        for at, _, text in group:
            stream.feed(str(text))
            since = float(str(at))
        if (now := frame_of(screen)) != shown:
            shown = now
            yield since, shown


def frame_of(screen: pyte.Screen) -> Frame:
    return tuple(row_of(screen, line) for line in range(screen.lines))


def row_of(screen: pyte.Screen, line: int) -> Row:
    cells = [(at, screen.buffer[line][at]) for at in range(screen.columns)]
    found = []
    for look, group in groupby(cells, lambda cell: looks(cell[1])):
        run = list(group)
        text = "".join(char.data for _, char in run)
        if text.strip() or look[1] != GROUND:
            found.append(Run(run[0][0], text, *look))
    return tuple(found)


def looks(char: pyte.screens.Char) -> tuple[str, str, bool]:
    ink, ground = colour(char.fg, INK), colour(char.bg, GROUND)
    return (ground, ink, char.bold) if char.reverse else (ink, ground, char.bold)


def colour(name: str, default: str) -> str:
    return default if name == "default" else f"#{name}" if len(name) == 6 else name


def drawn(row: Row) -> str:
    parts = []
    for run in row:
        at, wide = round(run.at * CELL, 1), round(len(run.text) * CELL, 1)
        if run.ground != GROUND:
            parts.append(f'<rect x="{at}" width="{wide}" height="{LINE}" fill="{run.ground}"/>')
        if run.text.strip():
            bold = ' font-weight="700"' if run.bold else ""
            parts.append(
                f'<text x="{at}" y="{SIZE}" textLength="{wide}" fill="{run.ink}"{bold} '
                f'xml:space="preserve">{escape(run.text)}</text>'
            )
    return "".join(parts)
