"""The next action: one concrete first step, from the first source that has one."""

from __future__ import annotations

import re
from itertools import accumulate
from typing import Callable, NamedTuple

from . import verdict
from .model import Snapshot
from .runs import Run

MAX_CHARS = 400
# Programs for which a non-zero exit code is an ordinary answer.
_ANSWERS = re.compile(
    r"(?:\[|(?:grep|egrep|rg|diff|cmp|test|which|type|command|ls|cat|find|git|kill|pgrep)\b)"
)
_ANNOUNCED = re.compile(
    r"^[\s>*_#-]*(?:next(?: steps?| action)?|to ?do|remaining|still to do|left to do)"
    r"[*_]*\s*[:：][*_]*\s*(.*)$",
    re.IGNORECASE | re.MULTILINE,
)


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
    red = []
    for place, record in enumerate(snapshot.feedback):
        later = snapshot.feedback[place + 1 :]
        again = verdict.last_run(record.command, later)
        if verdict.failed(record) and again is None and not verdict.did_not_run(record):
            red.append(record)
    checks = [r for r in red if verdict.counts_as_verification(r.command, wanted)]
    return tuple(checks + [r for r in red if r not in checks and _tells_of_trouble(r)])


def _tells_of_trouble(record: Run) -> bool:
    """Whether a program that is no check failed: neither an ordinary answer nor a program ended
    from outside, as a server is."""
    ordinary = _ANSWERS.match(verdict.last_program(record.command))
    return not ordinary and not verdict.was_stopped(record)


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
            return f"run `{command}`: it must pass and has not run in this session"
        if last.exit_code is None:
            return f"run `{command}` again: how its last run ended is unknown"
    return ""


def _from_statement(snapshot: Snapshot) -> str:
    said = snapshot.session.statement or ""
    found = _ANNOUNCED.search(said)
    if found is None:
        return ""
    first = found[1].strip() or said[found.end() :].strip().split("\n")[0]
    return re.sub(r"^(?:[-*•]|\d+[.)])\s+", "", first).strip(" *_")


def _from_older_state(snapshot: Snapshot) -> str:
    state = snapshot.workbench.state
    if state is None or state.current or not state.next_action:
        return ""
    return f"{state.next_action} (set before this session: check that it still holds)"


def _from_repository(snapshot: Snapshot) -> str:
    git = snapshot.git
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
