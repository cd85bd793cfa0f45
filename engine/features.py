"""The board's features: added, moved, and told to be finished by what ran."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, NamedTuple

from . import jsontext, times, verdict, workbench
from .errors import HandoffError
from .jsontext import Document
from .model import Feature
from .runs import Run

_ID = re.compile(r"\S{1,60}")
_AND = re.compile(r"\s*&&\s*")


class Board(NamedTuple):
    document: Document
    features: tuple[Feature, ...]
    problems: tuple[str, ...] = ()  # what is not as it has to be

    @property
    def is_list(self) -> bool:
        """Whether it is the older form, a bare list of tasks."""
        return isinstance(self.document.value, list)


def read(path: str, data: bytes | None, name: str = "") -> Board:
    """The board in a file's bytes, or an empty one of the project `name`.

    Raises: HandoffError where it is no JSON.
    """
    empty = {"project": name, "active": "", "features": []}
    document = jsontext.parse(path, data) if data is not None else jsontext.fresh(path, empty)
    return _board(document)


def checked(board: Board) -> Board:
    """The board. Raises: HandoffError where it must not be written to."""
    if board.problems:
        raise HandoffError("; ".join(board.problems), hint=jsontext.UNTOUCHED)
    return board


def added(board: Board, goal: str, wanted: str | None, done_when: str) -> tuple[Board, Feature]:
    """The board with one more feature, and that feature; the same one again where it is there.

    Raises: HandoffError where its id or goal is taken by another one.
    """
    for one in board.features:
        if one.id != wanted and (wanted is not None or one.goal != goal):
            continue
        if one.goal == goal and done_when in ("", one.done_when):
            return board, one
        raise HandoffError(
            f"`{board.document.name}` has {one.id} already: {one.goal} "
            f"(done when: {one.done_when or 'not said'})",
            hint="choose another id or goal, or change it by hand",
        )
    new = _id(wanted) if wanted is not None else _next_id(board)
    entry: dict[str, Any] = {"id": new, "status": "todo", "goal": goal, "done_when": done_when}
    if board.is_list:
        entry = {"id": new, "goal": goal, "owner": "builder", "acceptance": [], "status": "todo"}
        entry["acceptance"] = [done_when] if done_when else []
    if board.is_list or "features" in board.document.value:
        document = jsontext.appended(board.document, _place(board), entry)
    else:
        document = jsontext.replaced(board.document, ("features",), [entry])
    return _board(document), Feature(new, "todo", goal, done_when)


def started(board: Board, wanted: str, now: float) -> Board:
    """The board with that feature in progress.

    Raises: HandoffError where another one is: at most one may be.
    """
    number, feature = _found(board, wanted)
    for other in board.features:
        if other.status == "in_progress" and other is not feature:
            raise HandoffError(
                f"{other.id} is in progress ({other.goal}), and at most one feature may be",
                hint=f"first `handoff board finish {other.id}` (or `block` instead of `finish`)",
            )
    if feature.status == "in_progress":
        return board
    changes = {"status": "in_progress", "started_at": times.iso(now) or ""}
    return _with(board, number, changes, active=wanted)


def finished(board: Board, wanted: str) -> Board:
    number, feature = _found(board, wanted)
    if feature.status == "done":
        return board
    return _with(board, number, {"status": "done"}, active="")


def blocked(board: Board, wanted: str, reason: str) -> Board:
    number, feature = _found(board, wanted)
    changes = {"status": "blocked", **({"reason": reason} if reason else {})}
    if feature.status == "blocked" and not reason:
        return board
    return _with(board, number, changes, active="")


def proved(features: Iterable[Feature], runs: Iterable[Run]) -> tuple[str, ...]:
    """The ids of the features in progress whose `done_when` commands all passed, last time each,
    in `runs`; a run from before the feature was started proves nothing."""
    known = tuple(runs)
    return tuple(
        one.id
        for one in features
        if one.status == "in_progress" and one.done_when and _passed(one, known)
    )


def _passed(feature: Feature, runs: tuple[Run, ...]) -> bool:
    """Whether every part of `done_when` passed the last time, alone or in a longer command."""
    parts = [part for part in _AND.split(feature.done_when.strip()) if part]
    groups = {
        " && ".join(parts[first:end]): range(first, end)
        for first in range(len(parts))
        for end in range(first + 1, len(parts) + 1)
    }
    groups[feature.done_when] = range(len(parts))
    since = times.epoch(feature.started_at)
    passed = [False] * len(parts)
    for run in runs:
        if since is not None and run.started_at is not None and run.started_at < since:
            continue
        for command, covered in groups.items():
            if verdict.last_run(command, (run,)) is not None:
                for place in covered:
                    passed[place] = run.exit_code == 0
    return bool(parts) and all(passed)


def _board(document: Document) -> Board:
    reader = workbench.Reader(document.name)
    found = workbench.features(reader, document.value)
    return Board(document, found, tuple(problem.detail for problem in reader.problems))


def _with(board: Board, number: int, changes: dict[str, str], active: str) -> Board:
    document, place = board.document, (*_place(board), number)
    before = (board.document.value if board.is_list else board.document.value["features"])[number]
    for key, new in changes.items():
        if before.get(key) != new:
            document = jsontext.replaced(document, (*place, key), new)
    if not board.is_list and "active" in document.value:
        named = document.value["active"]
        if named != active and (active or named == before["id"]):
            document = jsontext.replaced(document, ("active",), active)
    return _board(document)


def _found(board: Board, wanted: str) -> tuple[int, Feature]:
    found = [(number, one) for number, one in enumerate(board.features) if one.id == wanted]
    if len(found) == 1:
        return found[0]
    known = ", ".join(one.id for one in board.features) or "none"
    said = "no feature" if not found else f"{len(found)} features"
    raise HandoffError(
        f"`{board.document.name}` has {said} with the id `{wanted}`", hint=f"it has: {known}"
    )


def _place(board: Board) -> tuple[jsontext.Key, ...]:
    return () if board.is_list else ("features",)


def _id(wanted: str) -> str:
    if not _ID.fullmatch(wanted) or not wanted.isprintable():
        raise HandoffError(f"{wanted!r} is no id", hint="use up to 60 characters without spaces")
    return wanted


def _next_id(board: Board) -> str:
    prefix, width = ("T-", 3) if board.is_list else ("F-", 1)
    numbers = [re.fullmatch(prefix + r"(\d{1,9})", one.id) for one in board.features]
    newest = max((int(found[1]) for found in numbers if found), default=0)
    return f"{prefix}{newest + 1:0{width}}"
