"""The context plot: how full each packet's session was, drawn from left to right in their order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from handoff_cli.pages.turns import Milestone

WIDTH, HEIGHT = 400, 168
LEFT, RIGHT, TOP, BOTTOM = 34, 388, 20, 140
_LABELLED = 14  # more percents than these would stand in each other's way


@dataclass(frozen=True)
class Point:
    milestone: Milestone
    x: float
    y: float
    percent: int
    labelled: bool


@dataclass(frozen=True)
class Plot:
    points: tuple[Point, ...]
    paths: tuple[tuple[int, str], ...]  # agent, the way of a session with more than one packet
    scale: float  # of the signs, so that many do not hide each other
    grid: tuple[tuple[int, float], ...]  # percent, height


def plot(made: Sequence[Milestone]) -> Plot | None:
    """None: no runtime told how full its context was."""
    told = [one for one in made if one.packet.percent is not None]
    if not told:
        return None
    step = (RIGHT - LEFT) / len(told)
    points = tuple(
        _point(one, LEFT + step * (place + 0.5), len(told) <= _LABELLED)
        for place, one in enumerate(told)
    )
    ways: dict[str, list[Point]] = {}
    for point in points:
        ways.setdefault(point.milestone.packet.session, []).append(point)
    paths = tuple(
        (way[0].milestone.agent, " ".join(f"{point.x:.1f},{point.y:.1f}" for point in way))
        for way in ways.values()
        if len(way) > 1
    )
    scale = round(min(1.0, max(0.35, step / 12)), 2)
    return Plot(
        points, paths, scale, tuple((percent, _height(percent)) for percent in (0, 25, 50, 75, 100))
    )


def _point(one: Milestone, x: float, labelled: bool) -> Point:
    percent = max(0, min(100, one.packet.percent or 0))
    return Point(one, round(x, 1), _height(percent), percent, labelled)


def _height(percent: int) -> float:
    return round(BOTTOM - (BOTTOM - TOP) * percent / 100, 1)
