"""Feedback records: one command that ran, one JSON line in `feedback_record.jsonl`.

The line's shape is the agent workbench's (`command_id`, `command`, `exit_code`, …); `session_id`
and `source` are ours. Later lines about the same command complete earlier ones.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, NamedTuple

from . import redact

MAX_COMMAND_CHARS = 2_000
MAX_TAIL_CHARS = 2_000
MAX_TAIL_LINES = 30
MAX_OUTPUT_CHARS = 256_000  # what is redacted before the tail is taken


class Record(NamedTuple):
    command_id: str
    session_id: str
    command: str
    exit_code: int | None = None  # None = unknown: never 0 by default
    started_at: float | None = None  # epoch seconds
    duration_ms: int | None = None
    stdout_tail: str = ""
    stderr_tail: str = ""
    stdout_cut: int = 0  # lines cut from the front
    stderr_cut: int = 0
    source: str = "hook"  # hook, transcript or runner
    error: str | None = None
    agent_note: str | None = None
    parent_command_id: str | None = None
    redactions: int = 0


def record(
    command_id: str, command: str, stdout: str = "", stderr: str = "", **rest: Any
) -> Record:
    """A record of `command`, redacted and cut to size; `rest` are further `Record` fields."""
    text, hits = redact.redact(command)
    out, out_cut, out_hits = _tail(stdout)
    err, err_cut, err_hits = _tail(stderr)
    return Record(
        command_id=command_id,
        session_id=rest.pop("session_id", ""),
        command=_shortened(text),
        stdout_tail=out,
        stdout_cut=out_cut,
        stderr_tail=err,
        stderr_cut=err_cut,
        redactions=hits + out_hits + err_hits,
        **rest,
    )


def line(record: Record) -> str:
    """The record as one JSON line, newline included."""
    value = {
        "command_id": record.command_id,
        "parent_command_id": record.parent_command_id,
        "session_id": record.session_id,
        "source": record.source,
        "command": record.command,
        "exit_code": record.exit_code,
        "started_at": record.started_at,
        "duration_ms": record.duration_ms,
        "stdout_tail": record.stdout_tail,
        "stderr_tail": record.stderr_tail,
        "agent_note": record.agent_note,
        "error": record.error,
        "truncations": {"stdout": record.stdout_cut, "stderr": record.stderr_cut},
        "redactions": record.redactions,
    }
    return json.dumps(value, sort_keys=True) + "\n"


def parse(value: Any) -> Record | None:
    """The record in a parsed line, or None when the line is no feedback record."""
    if not isinstance(value, dict) or not isinstance(value.get("command"), (str, list)):
        return None
    command = value["command"]
    cut = value.get("truncations")
    cut = cut if isinstance(cut, dict) else {}
    code = value.get("exit_code")
    return Record(
        command_id=_text(value.get("command_id")),
        session_id=_text(value.get("session_id")),
        command=command if isinstance(command, str) else " ".join(map(str, command)),
        exit_code=code if type(code) is int else None,
        started_at=_number(value.get("started_at")),
        duration_ms=int(_number(value.get("duration_ms")) or 0) or None,
        stdout_tail=_text(value.get("stdout_tail")),
        stderr_tail=_text(value.get("stderr_tail")),
        stdout_cut=int(_number(cut.get("stdout")) or 0),
        stderr_cut=int(_number(cut.get("stderr")) or 0),
        source=_text(value.get("source")) or "runner",
        error=_text(value.get("error")) or None,
        agent_note=_text(value.get("agent_note")) or None,
        parent_command_id=_text(value.get("parent_command_id")) or None,
        redactions=value["redactions"] if type(value.get("redactions")) is int else 0,
    )


def merged(records: Iterable[Record]) -> tuple[Record, ...]:
    """One record per command id, in order of first appearance; a known exit code stays known."""
    found: dict[str, Record] = {}
    for number, new in enumerate(records):
        key = new.command_id or f"line {number}"
        old = found.get(key)
        if old is None or (old.exit_code is None and new.exit_code is not None):
            started = old.started_at if old else None
            found[key] = new._replace(started_at=started or new.started_at)
    return tuple(found.values())


def _tail(output: str) -> tuple[str, int, int]:
    """The end of `output`, redacted, with the lines cut in front of it and the redactions made."""
    text, hits = redact.redact(output[-MAX_OUTPUT_CHARS:])
    lines = text.rstrip().splitlines()
    kept = lines[-MAX_TAIL_LINES:]
    while len(kept) > 1 and sum(map(len, kept)) > MAX_TAIL_CHARS:
        kept = kept[1:]
    return "\n".join(kept)[-MAX_TAIL_CHARS:], len(lines) - len(kept), hits


def _shortened(command: str) -> str:
    if len(command) <= MAX_COMMAND_CHARS:
        return command
    return f"{command[:MAX_COMMAND_CHARS]} […{len(command) - MAX_COMMAND_CHARS} characters cut]"


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _number(value: Any) -> float | None:
    return float(value) if type(value) in (int, float) else None
