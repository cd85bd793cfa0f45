"""Hand the conversation to another agent: its own session again, or a new one."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import shutil
import sys
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from .. import bare, git, layout, ledger, registry, talks
from ..errors import HandoffError
from ..records import BACKGROUND
from ..times import iso
from . import checkpoint, conversation, topic
from . import publish as publishing

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from ..project import Project
    from ..session import Session
    from ..timeline import Talk

GIVEN_UP_SECONDS = 60  # after which a switch under way was killed
BYTES_PER_TOKEN = 4  # of a budget, roughly


class Plan(NamedTuple):
    """Whom the conversation goes to, and how they are started."""

    runtime: str
    session: str | None  # None: a new one
    native_id: str | None
    folder: str
    command: str  # for a shell
    notes: tuple[str, ...]  # what the person should know
    proved: str | None  # the agent's version that was seen working


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("runtime", metavar="RUNTIME", help="the agent to go on in")
    parser.add_argument("--topic", metavar="NAME", help="the line of work (default: the current)")
    parser.add_argument("--fresh", action="store_true", help="a new session, also where it has one")
    parser.add_argument(
        "--budget", type=int, metavar="TOKENS", help="at most so much of the conversation"
    )
    parser.add_argument("--force", action="store_true", help="also from a session in a turn")
    parser.add_argument("--print", action="store_true", dest="only_print", help="for any machine")
    parser.add_argument("--json", action="store_true", help="print the plan as JSON")


def run(project: Project, options: Namespace) -> int:
    at = git.repository(project.root)
    on = topic.current(project, options.topic)
    start = registry.launch(options.runtime).START
    program = shlex.split(start)[0]
    if not options.only_print and shutil.which(program) is None:
        raise HandoffError(
            f"`{program}` is not installed: the conversation stays where it is",
            hint="install it, or look at the command with `--print`",
        )
    with _alone(project, at, on):
        current = _current(project, at, on)
        if current is not None:
            current = checkpoint.caught_up(project, current)
            _expect_idle(current, options.force)
        before = _others(at, on, current)
        notes = _close(project, at, current) if current is not None else []
        if _others(at, on, current) != before:
            raise HandoffError(
                "another session spoke in this conversation meanwhile: nothing was switched",
                hint="look at it with `handoff timeline -n 10`, then switch again",
            )
        plan = _planned(project, at, on, options.runtime, options.fresh, notes)
        _remember(project, options.runtime, options.budget)
        if options.topic is not None and options.topic != topic.current(project):
            topic.use(project, git.branch(at.top), on)
    print(json.dumps(plan._asdict(), indent=2) if options.json else plan.command)
    for note in plan.notes:
        print(note, file=sys.stderr)
    return 0


@contextlib.contextmanager
def _alone(project: Project, at: git.Place, on: str) -> Iterator[None]:
    """Hold the conversation while its next agent is chosen.

    Raises: HandoffError where another switch is under way.
    """
    where = ledger.path(at.common_dir)
    ref = ledger.ref(git.branch(at.top), git.head(at.top), on, "switch")
    bare.ensure(where)
    mine = json.dumps({"pid": os.getpid(), "at": time.time()}).encode()
    blob = bare.blob(where, mine)
    held = _holder(where, ref)
    if held is not None and abs(time.time() - held[1]) < GIVEN_UP_SECONDS:
        raise HandoffError(
            "another switch of this conversation is under way",
            hint="wait for it to end; one that was killed counts no more after a minute",
        )
    try:
        bare.git(where, "update-ref", ref, blob, held[0] if held else "0" * len(blob))
    except HandoffError as error:
        if _holder(where, ref) == held:
            raise  # not a race: say what is wrong
        raise HandoffError(
            "another switch of this conversation was faster", hint="look at it first"
        ) from error
    try:
        yield
    finally:
        bare.git(where, "update-ref", "-d", ref, blob)


def _holder(where: str, ref: str) -> tuple[str, float] | None:
    """The mark of another switch, and since when it is there (epoch seconds)."""
    name = bare.git(where, "for-each-ref", "--format=%(objectname)", ref).decode().strip()
    if not name:
        return None
    try:
        return name, float(json.loads(bare.git(where, "cat-file", "blob", name))["at"])
    except (ValueError, KeyError, TypeError):
        return name, 0.0


def _current(project: Project, at: git.Place, on: str) -> Session | None:
    """The session of this work tree that spoke last in the conversation."""
    found = conversation.sessions(project, git.branch(at.top), on)
    return found[-1] if found else None


def _expect_idle(current: Session, force: bool) -> None:
    """Raises: HandoffError where the session is at work."""
    if force or current.ended_at is not None:
        return
    if current.busy:
        since = iso(current.last_event_at) or "some time"
        raise HandoffError(
            f"{current.runtime} session {current.id} is in the middle of a turn, or waits for an "
            f"approval, since {since}",
            hint="let the turn end; `--force` where the session was killed",
        )
    running = [call.command for call in current.pending if call.note != BACKGROUND]
    running += [f"{use.tool} {use.subject}".strip() for use in current.uses]  # such as a subagent
    running += current.background
    if running:
        raise HandoffError(
            f"{current.runtime} session {current.id} still runs `{running[0]}`",
            hint="wait for it or stop it; `--force` where the session was killed",
        )


def _others(at: git.Place, on: str, current: Session | None) -> dict[str, str]:
    """What identifies all that other sessions have said."""
    prefix = talks.ref(git.branch(at.top), git.head(at.top), on)
    found = talks.tips(ledger.path(at.common_dir), prefix)
    if current is not None:
        found.pop(f"{prefix}{current.id}", None)
    return found


def _close(project: Project, at: git.Place, current: Session) -> list[str]:
    """Write the session's packet, or why there is none: the next agent is told either."""
    conversation.keep(project, at, current)
    outcome = publishing.publish(project, current, unless_empty=True)
    return publishing.told(outcome) if "blocked" in outcome.value else []


def _planned(
    project: Project, at: git.Place, on: str, runtime: str, fresh: bool, notes: list[str]
) -> Plan:
    launch = registry.launch(runtime)
    talked = [talk for talk in conversation.of(project, at, on) if talk.runtime == runtime]
    talked.sort(key=lambda talk: max((entry.at or 0 for entry in talk.entries), default=0))
    if talked and not fresh:
        newest = talked[-1]
        known = project.load_session(newest.session)
        why = _why_not(newest, known)
        folder = (known.folder if known else None) or project.root
        if why is None and not os.path.isdir(folder):
            notes.append(f"`{folder}`, where it was started, is gone: it starts in the project")
            folder = project.root
        if why is None:
            command = launch.resume_command(newest.native_id)
            told = (newest.session, newest.native_id, folder, command, tuple(notes))
            return Plan(runtime, *told, launch.PROVED)
        notes.append(f"{why}: a new session begins, and is told the conversation")
    return Plan(runtime, None, None, project.root, launch.START, tuple(notes), launch.PROVED)


def _why_not(talk: Talk, known: Session | None) -> str | None:
    """Why a session cannot be gone on with here, if it cannot."""
    if known is None:
        return f"{talk.runtime} session {talk.session} was on another machine or work tree"
    kept = known.transcript or known.database
    if kept and not os.path.exists(kept):
        return f"the transcript of {talk.runtime} session {talk.session} is gone"
    return None


def _remember(project: Project, runtime: str, budget: int | None) -> None:
    """How much of the conversation the agent is to be told at its next start or prompt."""
    if budget is None:
        return
    layout.hide(project.root)
    value = {"runtime": runtime, "max_bytes": max(0, budget) * BYTES_PER_TOKEN}
    project.write(conversation.BUDGET, json.dumps(value).encode() + b"\n")
