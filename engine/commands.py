"""The session's commands as the packet shows them: what ran, failed and was printed last."""

from __future__ import annotations

from typing import NamedTuple

from . import verdict
from .runs import Run
from .times import iso

MAX_COMMANDS = 100
MAX_ATTEMPTS = 30
MAX_TAIL = 30
MAX_WHY_CHARS = 1_200
MAX_PASSED_CHARS = 200


class CommandRun(NamedTuple):
    id: str
    command: str
    exit_code: int | None
    started_at: str | None
    duration_ms: int | None
    source: str
    note: str | None
    counts_as_verification: bool


class Resolution(NamedTuple):
    id: str
    at: str | None


class FailedAttempt(NamedTuple):
    id: str
    command: str
    exit_code: int
    why: str
    did_not_run: bool
    resolved_by: Resolution | None


class Tail(NamedTuple):
    """One record of the feedback tail."""

    command: str
    exit_code: int | None
    at: str | None
    output: str
    lines_cut: int


def kept(records: tuple[Run, ...]) -> tuple[Run, ...]:
    """The newest commands, and of the older ones those that failed, as far as there is room."""
    if len(records) <= MAX_COMMANDS:
        return records
    red = [place for place, record in enumerate(records) if verdict.failed(record)]
    places = set(red[-MAX_ATTEMPTS:])
    for place in range(len(records) - 1, -1, -1):
        if len(places) >= MAX_COMMANDS:
            break
        places.add(place)
    return tuple(records[place] for place in sorted(places))


def commands_run(records: tuple[Run, ...], acceptance: tuple[str, ...]) -> tuple[CommandRun, ...]:
    return tuple(
        CommandRun(
            id=record.id,
            command=record.command,
            exit_code=record.exit_code,
            started_at=iso(record.started_at),
            duration_ms=record.duration_ms,
            source=record.source,
            note=record.note,
            counts_as_verification=verdict.counts_as_verification(record.command, acceptance),
        )
        for record in kept(records)
    )


def failed_attempts(records: tuple[Run, ...]) -> tuple[FailedAttempt, ...]:
    found = []
    for place, record in enumerate(records):
        if record.exit_code is None or not verdict.failed(record):
            continue
        passed = verdict.resolving(record, records[place + 1 :])
        found.append(
            FailedAttempt(
                id=record.id,
                command=record.command,
                exit_code=record.exit_code,
                why=_ending(record.stderr_tail or record.stdout_tail, MAX_WHY_CHARS),
                did_not_run=verdict.did_not_run(record),
                resolved_by=Resolution(passed.id, iso(passed.started_at)) if passed else None,
            )
        )
    return tuple(found)


def feedback_tail(records: tuple[Run, ...], newest: int) -> tuple[Tail, ...]:
    """The `newest` runs plus every failed one, never more than 30."""
    first = len(records) - newest
    shown = [r for place, r in enumerate(records) if place >= first or verdict.failed(r)]
    return tuple(map(_tail_entry, shown[-MAX_TAIL:]))


def _tail_entry(record: Run) -> Tail:
    output = "\n".join(filter(None, (record.stdout_tail, record.stderr_tail)))
    most = MAX_WHY_CHARS if verdict.failed(record) else MAX_PASSED_CHARS
    kept = _ending(output, most)
    cut = record.lines_cut + max(0, output.count("\n") - kept.count("\n"))
    return Tail(record.command, record.exit_code, iso(record.started_at), kept, cut)


def _ending(text: str, max_chars: int) -> str:
    """The end of a text, with a mark where its beginning is missing."""
    return text if len(text) <= max_chars else "…" + text[1 - max_chars :]
