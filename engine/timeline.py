"""What was said and done, entry by entry: the visible conversation of a session.

Never an agent's hidden reasoning, its internal state or the bytes of an image: no reader of a
transcript yields them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from . import redact
from .records import Prompt, Reply, Result, Use
from .runs import Run

PROMPT, REPLY, COMMAND, TOOL = "prompt", "reply", "command", "tool"
MAX_TEXT_CHARS = 20_000
MAX_SUBJECT_CHARS = 300
MAX_FAILURE_CHARS = 600


class Entry(NamedTuple):
    kind: str  # one of the four above
    at: float | None  # epoch seconds
    text: str  # the words, the command line, or a tool and what for; redacted
    model: str | None = None  # of a reply
    exit_code: int | None = None  # of a command; None = unknown
    output: str = ""  # of a command: the tail of both streams
    error: str | None = None  # why the exit code is unknown, or that a tool failed
    by: str | None = None  # "subagent" where another agent of the session asked for it
    cut_chars: int = 0  # of the text, from its end


class Talk(NamedTuple):
    """One session's part of a conversation."""

    session: str
    runtime: str
    native_id: str
    started_at: float | None = None
    ended_at: float | None = None
    entries: tuple[Entry, ...] = ()


def said(record: Prompt | Reply, model: str | None) -> Entry:
    kind = PROMPT if isinstance(record, Prompt) else REPLY
    said = record.text.strip()
    text = redact.beginning(said, MAX_TEXT_CHARS)
    unread = max(0, len(said) - MAX_TEXT_CHARS - redact.MAX_SECRET_CHARS)
    cut = max(0, len(text) - MAX_TEXT_CHARS) + unread
    return Entry(
        kind,
        record.at,
        text[:MAX_TEXT_CHARS],
        model=model if kind == REPLY else None,
        cut_chars=cut,
    )


def ran(command: dict[str, Any]) -> Entry:
    """The entry of a command, from its entry in the feedback log."""
    return Entry(
        COMMAND,
        command["started_at"],
        command["command"],
        exit_code=command["exit_code"],
        output=_output(command["stdout_tail"], command["stderr_tail"]),
        error=command["error"],
        by=command["agent_note"],
    )


def of_run(run: Run) -> Entry:
    """The entry of a command, from its run."""
    return Entry(
        COMMAND,
        run.started_at,
        run.command,
        exit_code=run.exit_code,
        output=_output(run.stdout_tail, run.stderr_tail),
        error=run.note if run.exit_code is None else None,
    )


def _output(*tails: str) -> str:
    return "\n".join(filter(None, tails))


def used(use: Use, result: Result) -> Entry:
    """The entry of a tool other than the shell; of one that failed with what it said."""
    subject = redact.beginning(use.subject, MAX_SUBJECT_CHARS)[:MAX_SUBJECT_CHARS]
    error = output = None
    if not result.succeeded:
        error = result.error or ("failed" if result.succeeded is False else "no outcome recorded")
        told = result.stderr or result.stdout
        output = redact.beginning(told, MAX_FAILURE_CHARS)[:MAX_FAILURE_CHARS]
    text = f"{use.tool} {subject}".strip()
    return Entry(TOOL, use.at, text, output=output or "", error=error, by=use.note)


def lines(entries: Iterable[Entry]) -> bytes:
    """The entries as JSON lines."""
    return b"".join(json.dumps(entry._asdict()).encode() + b"\n" for entry in entries)


def parse(data: bytes) -> Iterator[Entry]:
    """The entries in what `lines` wrote; what is no entry is passed over."""
    for line in data.splitlines():
        try:
            value = json.loads(line)
            yield Entry(**{key: value[key] for key in Entry._fields if key in value})
        except (ValueError, TypeError, RecursionError):
            continue


def in_order(talks: Iterable[Talk]) -> list[tuple[Talk, Entry]]:
    """Every entry once, in the order of time. What a resumed or forked session repeats of an
    earlier one stands there under the earlier one; what has no time follows what it came after. A
    command that was known before its end has the exit code that came later."""
    rows: list[tuple[float, int, Talk, Entry]] = []
    for talk in talks:
        now = talk.started_at or 0.0
        for entry in talk.entries:
            now = entry.at if entry.at is not None else now
            rows.append((now, len(rows), talk, entry))
    places: dict[tuple[str, float, str], int] = {}
    found: list[tuple[Talk, Entry]] = []
    for _, _, talk, entry in sorted(rows, key=lambda row: row[:2]):
        key = (entry.kind, entry.at or 0.0, entry.text)
        if entry.at is None or key not in places:
            places[key] = len(found)
            found.append((talk, entry))
        elif entry.exit_code is not None and found[places[key]][1].exit_code is None:
            found[places[key]] = (found[places[key]][0], entry)
    return found
