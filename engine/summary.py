"""The summary: one paragraph made of counted facts."""

from __future__ import annotations

from . import steps, verdict
from .model import Snapshot


def paragraph(snapshot: Snapshot) -> str:
    return " ".join([_who(snapshot), _changes(snapshot), _commands(snapshot), _checks(snapshot)])


def _who(snapshot: Snapshot) -> str:
    session, git = snapshot.session, snapshot.git
    where = f"on `{git.branch}`" if git.branch else "on a detached HEAD"
    who = f"A {session.runtime} session" if session.runtime else "Work"
    goal = f" towards “{_first_line(session.goal)}”" if session.goal else ""
    return f"{who} {where}{goal}."


def _changes(snapshot: Snapshot) -> str:
    git = snapshot.git
    files, commits = len(git.changed), len(git.commits)
    if not files and not commits:
        return "No file differs from where it started."
    made = f"{steps.counted(commits, 'commit')}, " if git.base else ""
    open_files = sum(not item.committed for item in git.changed)
    left = "all committed" if not open_files else f"{open_files} of them not committed"
    return f"{made}{steps.counted(files, 'file')} changed, {left}.".capitalize()


def _commands(snapshot: Snapshot) -> str:
    records = snapshot.feedback
    if not records:
        return "No command is on record."
    passed = sum(record.exit_code == 0 for record in records)
    failed = sum(map(verdict.failed, records))
    unknown = len(records) - passed - failed
    parts = [f"{passed} passed", f"{failed} failed"] + (
        [f"{unknown} with unknown end"] if unknown else []
    )
    return f"{steps.counted(len(records), 'command')} on record: {', '.join(parts)}."


def _checks(snapshot: Snapshot) -> str:
    red = steps.must_pass(snapshot)
    if red:
        first = ", ".join(f"`{run.command}` (exit code {run.exit_code})" for run in red[:3])
        return f"Still red: {first}{f' and {len(red) - 3} more' if red[3:] else ''}."
    wanted = snapshot.config.acceptance_commands
    if not wanted:
        return "Nothing is left red; no acceptance command is configured."
    last = [verdict.last_run(command, snapshot.feedback) for command in wanted]
    if all(record and record.exit_code == 0 for record in last):
        return "Every acceptance command passed."
    return "Not every acceptance command has run."


def _first_line(goal: str) -> str:
    line = goal.split("\n")[0]
    return line if len(line) <= 120 else f"{line[:119]}…"
