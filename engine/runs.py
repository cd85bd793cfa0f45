"""Runs: the commands on record, read from the lines that `feedback` writes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from . import feedback

SOURCES = ("hook", "transcript", "runner")


class Run(NamedTuple):
    id: str
    session_id: str
    command: str
    exit_code: int | None = None  # None = unknown
    started_at: float | None = None  # epoch seconds
    duration_ms: int | None = None
    stdout_tail: str = ""
    stderr_tail: str = ""
    lines_cut: int = 0  # of both, from the front
    source: str = "runner"  # one of the three above
    note: str | None = None  # what went wrong with running it, or who ran it


def parse(value: Any) -> Run | None:
    """The run in a parsed line, or None when the line is no feedback entry."""
    if not isinstance(value, dict) or not isinstance(value.get("command"), (str, list)):
        return None
    command, code = value["command"], value.get("exit_code")
    cut = value.get("truncations")
    counts = cut.values() if isinstance(cut, dict) else ()
    took, source = _number(value.get("duration_ms")), value.get("source")
    return Run(
        id=_text(value.get("command_id")),
        session_id=_text(value.get("session_id")),
        command=command if isinstance(command, str) else " ".join(map(str, command)),
        exit_code=code if type(code) is int else None,
        started_at=_number(value.get("started_at")),
        duration_ms=int(took) if took is not None and took >= 0 else None,
        stdout_tail=_text(value.get("stdout_tail")),
        stderr_tail=_text(value.get("stderr_tail")),
        lines_cut=sum(count for count in counts if type(count) is int and count > 0),
        source=source if source in SOURCES else "runner",
        note=_text(value.get("error")) or _text(value.get("agent_note")) or None,
    )


def merged(runs: Iterable[Run]) -> tuple[Run, ...]:
    """One run per id, in order of first appearance; a known exit code completes an unknown one."""
    found: dict[str, Run] = {}
    for number, new in enumerate(runs):
        key = new.id or f"line {number}"
        old = found.get(key)
        if old is None:
            found[key] = new
        elif old.exit_code is None and new.exit_code is not None:
            found[key] = new._replace(started_at=old.started_at or new.started_at)
    return tuple(found.values())


def news(known: Iterable[Run], entries: Iterable[dict[str, object]]) -> Iterator[dict[str, object]]:
    """The entries of a transcript that say more than the `known` runs of the log, in its order.

    A command that a hook recorded without an id takes the place of the first such record of the
    same command that no transcript has completed yet.
    """
    known = tuple(known)
    told = {run.id for run in known if run.source == "transcript"}
    waiting: dict[str, list[str]] = {}
    for run in known:
        if run.id.startswith(feedback.UNNAMED) and run.id not in told:
            waiting.setdefault(run.command, []).append(run.id)
    exit_codes = {run.id: run.exit_code for run in merged(known)}
    for entry in entries:
        unnamed = waiting.get(str(entry["command"]))
        if unnamed and entry["command_id"] not in exit_codes:
            yield {**entry, "command_id": unnamed.pop(0)}
        elif entry["command_id"] not in exit_codes or (
            exit_codes[str(entry["command_id"])] is None and entry["exit_code"] is not None
        ):
            yield entry


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _number(value: Any) -> float | None:
    """A number that a time can be; JSON may hold `NaN`, and whole numbers without an end."""
    known = type(value) in (int, float) and abs(value) < 1e15 and not math.isnan(value)
    return float(value) if known else None
