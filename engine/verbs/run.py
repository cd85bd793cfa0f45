"""Run a command, and record how it ended: `run [options] -- CMD…`."""

from __future__ import annotations

import argparse
import shlex
import sys
import uuid
from typing import TYPE_CHECKING, Any

from .. import feedback, layout, process, redact, verdict

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from ..project import Project

MAX_HEAD_CHARS = 600
MAX_HEAD_LINES = 10


def arguments(parser: ArgumentParser) -> None:
    parser.usage = "%(prog)s [--timeout S] [--note TEXT] [--session ID] -- CMD…"
    parser.add_argument(
        "--timeout", type=_seconds, metavar="S", help="end it after so many seconds, with 124"
    )
    parser.add_argument("--note", metavar="TEXT", help="why it is run; goes into the record")
    parser.add_argument("--session", metavar="ID", help="the session (default: the newest one)")
    parser.epilog = "CMD is a program with its arguments, or shell text where it is one argument."


def run(project: Project, options: Namespace) -> int:
    session_id = project.current_session(options.session).id
    ended = execute(project, session_id, options.command_line, options.timeout, options.note)
    if ended.error:
        print(f"handoff: `{options.command_line[0]}` {ended.error}", file=sys.stderr)
    return ended.passed_on


def execute(
    project: Project,
    session_id: str,
    command: list[str],
    timeout_seconds: float | None = None,
    note: str | None = None,
    out: int = process.STDOUT,
    cwd: str = ".",
) -> process.Ended:
    """Run the command and append its record to the feedback log, however it ends."""
    ended = process.run(command, timeout_seconds, out, cwd)
    text = command[0] if len(command) == 1 else " ".join(map(shlex.quote, command))
    line = feedback.line(_entry(project, session_id, text, ended, note))
    try:
        layout.append_feedback(project.root, line)
    except OSError as error:  # a sandbox that lets nobody write: the command counts all the same
        print(f"handoff: this run could not be recorded: {error}", file=sys.stderr)
    return ended


def _entry(
    project: Project, session_id: str, command: str, ended: process.Ended, note: str | None
) -> dict[str, Any]:
    entry = feedback.entry(
        str(uuid.uuid4()),
        command,
        ended.stdout.tail,
        ended.stderr.tail,
        ended.exit_code,
        session_id=session_id,
        source="runner",
        started_at=ended.started_at,
        duration_ms=ended.duration_ms,
        error=ended.error,
        agent_note=redact.redacted(note) if note else None,
    )
    _add_head(entry, "stdout", ended.stdout.head, ended.stdout.lines_before)
    _add_head(entry, "stderr", ended.stderr.head, ended.stderr.lines_before)
    recorded = str(entry["command"])  # as it reads in the log, so without secrets
    before = verdict.last_same(recorded, project.runs(session_id))
    return {**entry, "parent_command_id": before.id or None if before else None}


def _add_head(entry: dict[str, object], stream: str, head: str, lines_before: int) -> None:
    """Add the first lines of an output ("stdout" or "stderr") that its tail does not have.

    `head` is how the output begins, `lines_before` how many lines of it were never given.
    """
    truncations, redactions = entry["truncations"], entry["redactions"]
    assert isinstance(truncations, dict)
    assert isinstance(redactions, dict)
    cut = truncations[stream] + lines_before
    text, hits = redact.redact(head)
    kept = text.splitlines()[: min(cut, MAX_HEAD_LINES)]
    while kept and sum(map(len, kept)) + len(kept) > MAX_HEAD_CHARS:
        kept.pop()
    if kept:
        entry[f"{stream}_head"] = "\n".join(kept)
        redactions[stream] += hits if lines_before else 0  # else the tail counted them
    truncations[stream] = cut - len(kept)


def _seconds(text: str) -> float:
    seconds = float(text)
    if not 0 < seconds < 1e9:
        raise argparse.ArgumentTypeError("give a number of seconds above 0")
    return seconds
