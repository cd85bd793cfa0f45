"""Check that the workbench is clean: what a next session would stumble over, and how to mend it."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

from .. import gate, git, redact, steps, worktree
from ..errors import HandoffError
from . import snapshot

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from ..gate import CleanState
    from ..project import Project
    from ..session import Session


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--session", metavar="ID", help="the session (default: the newest one)")
    parser.add_argument("--json", action="store_true", help="print `clean_state.json`")
    parser.add_argument("--stash", action="store_true", help="stash what is not committed, noted")
    parser.add_argument("--except", dest="excepted", metavar="CODE", help="let a finding through")
    parser.add_argument("--reason", help="why it is let through; needed with --except")


def run(project: Project, options: Namespace) -> int:
    current = project.current_session(options.session)
    at = git.repository(project.root)
    if options.stash:
        print(stash(project, at, current), file=sys.stderr)
    if options.excepted:
        let_through(project, current, options.excepted, options.reason or "")
    state = gate.check(snapshot.take(project, at, current, None))
    value = record(project, current, state)
    if options.json:
        print(json.dumps(value, indent=2))
    else:
        print("\n".join(table(state)))
    return 3 if state.refused else 0


def record(project: Project, current: Session, state: CleanState) -> dict[str, Any]:
    """Write `clean_state.json`; its value: an entry for each issue, and whether one blocks."""
    value: dict[str, Any] = {
        "schema_version": 1,
        "session": current.id,
        "clean": not state.issues,
        "blocked": bool(state.refused),
        "issues": [
            {
                "check": issue.check,
                "code": issue.code,
                "severity": "block" if issue in state.refused else "warn",
                "detail": issue.detail,
                "mend": issue.mend,
                "excepted": issue.excepted,
            }
            for issue in state.issues
        ],
    }
    value = redact.value(value)
    path = project.config.artifacts["clean_state"]
    project.write(path, (json.dumps(value, indent=2) + "\n").encode())
    return value


def table(state: CleanState) -> list[str]:
    """The issues for a person, the blocking ones first."""
    if not state.issues:
        return ["clean"]
    lines = []
    for issue in sorted(state.issues, key=lambda one: one not in state.refused):
        word = "block" if issue in state.refused else "note " if issue.excepted else "warn "
        lines.append(f"{word}  {issue.code}: {issue.detail}")
        why = f"let through: {issue.excepted}" if issue.excepted else f"mend: {issue.mend}"
        lines.append(f"       {why}")
    return lines


def stash(project: Project, at: git.Place, current: Session) -> str:
    """Stash every uncommitted file that is not ours, with a note that finds it again."""
    dirty = snapshot.repository(project, at, None).dirty
    if not dirty:
        return "nothing to stash"
    note = worktree.set_aside(at, dirty, current.id)
    return f"stashed {steps.counted(len(dirty), 'file')} as `{note}`"


def let_through(project: Project, current: Session, code: str, reason: str) -> None:
    """Except a finding in this session. Raises: HandoffError without a reason."""
    if not reason.strip():
        raise HandoffError(
            "`--except` needs a reason", hint="add `--reason '…'`: the packet says it"
        )
    try:
        value = project.json(snapshot.EXCEPTIONS)
    except HandoffError:
        value = {}
    value.setdefault(current.id, {})[code] = redact.redacted(" ".join(reason.split()))
    project.write(
        snapshot.EXCEPTIONS, (json.dumps(value, indent=2, sort_keys=True) + "\n").encode()
    )
