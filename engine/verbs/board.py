"""Keep the board of features: add, start, finish, block; at most one is in progress."""

from __future__ import annotations

import json
import os
import sys
import time
from typing import TYPE_CHECKING

from .. import features, notes
from ..errors import HandoffError
from . import state

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from ..features import Board
    from ..model import Feature
    from ..project import Project
    from ..session import Session


def arguments(parser: ArgumentParser) -> None:
    acts = parser.add_subparsers(dest="act", required=True, metavar="ACT")
    show = acts.add_parser("show", help="print the features")
    show.add_argument("--json", action="store_true", help="print them as JSON")
    add = acts.add_parser("add", help="add a feature")
    add.add_argument("goal", help="one line")
    add.add_argument("--id", help="its id (default: the next free one)")
    add.add_argument("--done-when", default="", metavar="CMD", help="the command that proves it")
    for act, about in (
        ("start", "a feature is in progress from now on"),
        ("finish", "a feature is done"),
        ("block", "a feature cannot go on"),
    ):
        moving = acts.add_parser(act, help=about)
        moving.add_argument("id")
        if act == "block":
            moving.add_argument("--reason", default="", metavar="TEXT", help="what is in the way")


def run(project: Project, options: Namespace) -> int:
    path = project.config.artifacts["board"]
    if options.act == "show":
        return _show(_read(project, path), options.json)
    with project.exclusive():
        before = features.checked(_read(project, path))
        after, one = _changed(before, options)
        changed = _write(project, before, after)
    told = f"{one.id} {one.status}: {one.goal}"
    print(told if changed else f"nothing to change: {told}", file=sys.stderr)
    if options.act == "add":
        print(one.id)
    return 0


def close_finished(project: Project, session: Session) -> tuple[str, ...]:
    """Write the features in progress that the session's runs prove back as done; their ids.

    For a caller that holds the project's lock. A board that cannot be written to stays as it is:
    the packet names what is wrong with it.
    """
    path = project.config.artifacts["board"]
    if project.read(path) is None:
        return ()
    try:
        before = after = features.checked(_read(project, path))
    except HandoffError:
        return ()
    ids = features.proved(before.features, project.runs(session.id))
    for one in ids:
        after = features.finished(after, one)
    _write(project, before, after)
    return ids


def _changed(board: Board, options: Namespace) -> tuple[Board, Feature]:
    """The board after what was asked for, and the feature it is about."""
    if options.act == "add":
        goal = notes.said("goal", options.goal)
        for remark in goal.remarks:
            print(f"goal: {remark}", file=sys.stderr)
        done_when = options.done_when and notes.command("--done-when", options.done_when)
        return features.added(board, goal.text, options.id, done_when)
    if options.act == "start":
        after = features.started(board, options.id, time.time())
    elif options.act == "finish":
        after = features.finished(board, options.id)
    else:
        reason = notes.said("reason", options.reason).text if options.reason else ""
        after = features.blocked(board, options.id, reason)
    return after, next(one for one in after.features if one.id == options.id)


def _read(project: Project, path: str) -> Board:
    data = state.existing(project, path)
    return features.read(path, data, os.path.basename(os.path.abspath(project.root)))


def _write(project: Project, before: Board, after: Board) -> bool:
    if after.document.text == before.document.text:
        return False
    return state.save(project, after.document.name, after.document.text)


def _show(board: Board, as_json: bool) -> int:
    active = [one.id for one in board.features if one.status == "in_progress"]
    problems = list(board.problems)
    if len(active) > 1:
        problems.append(f"more than one feature is in progress: {', '.join(active)}")
    if as_json:
        listed = [one._asdict() for one in board.features]
        value = {"path": board.document.name, "features": listed, "problems": problems}
        print(json.dumps(value, indent=2))
        return 0
    for one in board.features:
        done = f" (done when `{one.done_when}`)" if one.done_when else ""
        print(f"{one.id}  {one.status}  {one.goal}{done}")
    if not board.features:
        print("no features: add one with `handoff board add GOAL`", file=sys.stderr)
    for problem in problems:
        print(f"problem: {problem}", file=sys.stderr)
    return 0
