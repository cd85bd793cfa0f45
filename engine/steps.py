"""The next action: one concrete first step, from the first source that has one."""

from __future__ import annotations

import re
from itertools import accumulate
from typing import Callable, NamedTuple

from . import verdict
from .model import Snapshot
from .runs import Run

MAX_CHARS = 400
_ANNOUNCED = re.compile(
    r"^[\s*_#-]*(?:next(?: steps?| action)?|to ?do|remaining|still to do|left to do)"
    r"[*_]*\s*[:：][*_]*\s*(.*)$",
    re.IGNORECASE | re.MULTILINE,
)

# What the agent quotes is not what it says: a page, a log, a file.
_QUOTED = re.compile(
    r"^[ \t]*(`{3,}|~{3,}).*?(?:^[ \t]*\1|\Z)|^[ \t]*>[^\n]*$", re.DOTALL | re.MULTILINE
)
_NO_STEP = ("none", "nothing", "nothing left", "n/a", "-", "all done", "done")


class NextAction(NamedTuple):
    text: str
    source: str  # state, plan, board, acceptance, statement or repository


def next_action(snapshot: Snapshot) -> NextAction | None:
    """The first step for the next session, or None where nothing tells one."""
    for source, find in _SOURCES:
        text = " ".join(find(snapshot).split())
        if text:
            return NextAction(_short(text), source)
    return None


def must_pass(snapshot: Snapshot) -> tuple[Run, ...]:
    """The commands that failed last and have to pass: the acceptance commands where some are
    configured, else whatever check or program the session left red."""
    wanted = snapshot.config.acceptance_commands
    if wanted:
        last = [verdict.last_run(command, snapshot.feedback) for command in wanted]
        return tuple(record for record in last if record and verdict.failed(record))
    red = [
        record
        for record in verdict.unrepeated(snapshot.feedback)
        if verdict.failed(record) and not verdict.did_not_run(record)
    ]
    checks = [r for r in red if verdict.counts_as_verification(r.command, wanted)]
    return tuple(checks + [r for r in red if r not in checks and verdict.tells_of_trouble(r)])


def _from_state(snapshot: Snapshot) -> str:
    state = snapshot.workbench.state
    return state.next_action if state and state.current else ""


def _from_plan(snapshot: Snapshot) -> str:
    steps = snapshot.session.plan
    first = [step for step in steps if step.status == "in_progress"] or [
        step for step in steps if step.status == "open"
    ]
    return first[0].text if first else ""


def _from_board(snapshot: Snapshot) -> str:
    for feature in snapshot.workbench.features:
        if feature.status == "in_progress":
            goal = f": {feature.goal}" if feature.goal else ""
            done = f" (done when `{feature.done_when}` holds)" if feature.done_when else ""
            return f"continue feature {feature.id}{goal}{done}"
    return ""


def _from_acceptance(snapshot: Snapshot) -> str:
    for record in must_pass(snapshot):
        return f"make `{record.command}` pass: it failed with exit code {record.exit_code}"
    for command in snapshot.config.acceptance_commands:
        last = verdict.last_run(command, snapshot.feedback)
        if last is None:
            hidden = verdict.masked_run(command, snapshot.feedback)
            why = "its exit code was hidden" if hidden else "it must pass and has not run"
            bare = " by itself" if hidden else ""
            return f"run `{command}`{bare}: {why} in this session"
        if last.exit_code is None:
            return f"run `{command}` again: how its last run ended is unknown"
    return ""


def _from_statement(snapshot: Snapshot) -> str:
    said = _QUOTED.sub("", snapshot.session.statement or "")
    found = _ANNOUNCED.search(said)
    if found is None:
        asked = open_question(said)
        return f"get an answer to the agent's question: {asked}" if asked else ""
    first = found[1].strip() or said[found.end() :].strip().split("\n")[0]
    step = re.sub(r"^(?:[-*•]|\d+[.)])\s+", "", first).strip(" *_")
    return "" if step.lower().rstrip(".!") in _NO_STEP else step


def open_question(said: str) -> str | None:
    """The question to the human with which the agent's last words end."""
    last = said.strip().splitlines()[-1:] or [""]
    sentences = re.split(r"(?<=[.!?])\s+", last[0].strip())
    return sentences[-1].strip(" *_") if sentences[-1].rstrip(" *_").endswith("?") else None


def _from_older_state(snapshot: Snapshot) -> str:
    state = snapshot.workbench.state
    if state is None or state.current or not state.next_action:
        return ""
    return f"{state.next_action} (set before this session: check that it still holds)"


def _from_repository(snapshot: Snapshot) -> str:
    git = snapshot.git
    if git.stashes:
        return f"bring back what was set aside: `git stash apply {git.stashes[0].commit}`"
    if git.dirty:
        return f"review and commit, or stash, {named(git.dirty)}"
    if git.ahead:
        return f"push {counted(git.ahead, 'commit')} of `{git.branch}` and open a pull request"
    if git.commits and git.remotes and git.branch and not git.upstream:
        ahead = counted(len(git.commits), "commit")
        return f"push `{git.branch}` ({ahead} in this session) and open a pull request"
    for feature in snapshot.workbench.features:
        if feature.status == "todo":
            return f"take the next feature, {feature.id}: {feature.goal}"
    return ""


_SOURCES: tuple[tuple[str, Callable[[Snapshot], str]], ...] = (
    ("state", _from_state),
    ("plan", _from_plan),
    ("board", _from_board),
    ("acceptance", _from_acceptance),
    ("statement", _from_statement),
    ("state", _from_older_state),
    ("repository", _from_repository),
)


def _short(text: str) -> str:
    """At most MAX_CHARS, also when a byte that is no UTF-8 is written as `\\xNN`."""
    sizes = [4 if "\udc80" <= char <= "\udcff" else 1 for char in text]
    if sum(sizes) <= MAX_CHARS:
        return text
    kept = sum(total < MAX_CHARS for total in accumulate(sizes))
    return text[:kept].rstrip() + "…"


def named(paths: tuple[str, ...], most: int = 3) -> str:
    """The first paths by name, the others by number."""
    first = ", ".join(f"`{path}`" for path in paths[:most])
    return first if len(paths) <= most else f"{first} and {len(paths) - most} more"


def counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
