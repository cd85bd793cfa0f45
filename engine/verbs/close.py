"""Close a session: check that the workbench is clean, verify, and write the packet."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from .. import gate, git
from . import board, checkpoint, clean, snapshot, verify
from .publish import Outcome, publish, told

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from ..project import Project
    from ..session import Session


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--session", metavar="ID", help="the session (default: the newest one)")
    parser.add_argument("--no-verify", action="store_true", help="do not run acceptance commands")


def run(project: Project, options: Namespace) -> int:
    current = project.current_session(options.session)
    at = git.repository(project.root)
    current = checkpoint.caught_up(project, current)
    if not options.no_verify:
        _verify(project, current)
    with project.exclusive():
        board.close_finished(project, current)
    state = gate.check(snapshot.take(project, at, current, None))
    clean.record(project, current, state)
    _remember(project, current.id)
    outcome = publish(project, current)
    print("\n".join(_report(state, outcome)), file=sys.stderr)
    print(outcome.path)
    return 3 if "blocked" in outcome.value else 0


def _report(state: gate.CleanState, outcome: Outcome) -> list[str]:
    """What the agent in the session should know: what to mend, or what was handed over."""
    if "blocked" not in outcome.value:
        return [*clean.table(state), *told(outcome)]
    others = tuple(issue for issue in state.issues if issue not in state.refused)
    rest = clean.table(gate.CleanState(others)) if others else []
    return [*rest, *told(outcome), "not handed over: mend this, then run `close` again"]


def _verify(project: Project, current: Session) -> None:
    """Run what must pass, unless it ran on this very workbench already."""
    if project.config.acceptance_commands and verify.stands(project, current):
        print(
            "verified already: nothing has changed since; `verify` runs it again", file=sys.stderr
        )
    else:
        verify.verify(project, current)


def _remember(project: Project, session_id: str) -> None:
    """The session's record says that it was closed: its turn may end with a full context."""
    with project.exclusive():
        known = project.load_session(session_id)
        if known is not None:
            project.save_session(known._replace(closed=True))
