"""A timeline as `handoff timeline --json` prints it; what is missing or strange is empty."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any

from handoff_cli.errors import HandoffError
from handoff_cli.pages import prose

_YEARS = range(1971, 9999)  # every zone can tell them


@dataclass(frozen=True)
class Session:
    id: str
    runtime: str
    model: str
    folder: str
    resume_command: str
    started_at: datetime | None
    turns: int


@dataclass(frozen=True)
class Entry:
    kind: str  # "prompt", "reply", "command", "tool", or what a newer engine tells
    at: datetime | None
    session: str
    runtime: str
    model: str
    text: str
    exit_code: int | None  # None = unknown
    output: str
    error: str
    by: str
    cut_chars: int

    @property
    def failed(self) -> bool:
        return self.kind == "command" and self.exit_code not in (0, None)


@dataclass(frozen=True)
class Attempt:
    """A failing command of a packet."""

    command: str
    exit_code: int | None
    why: str
    resolved: bool
    resolved_at: datetime | None


@dataclass(frozen=True)
class Packet:
    session: str
    runtime: str
    status: str
    made_at: datetime | None
    next_action: str
    summary: str
    supersedes: str  # a session, or ""
    changed_files: tuple[tuple[str, str], ...]  # path, change
    risks: tuple[tuple[str, str, str], ...]  # severity, code, detail
    failed_attempts: tuple[Attempt, ...]
    used_tokens: int | None
    window_tokens: int | None
    percent: int | None  # of the context window


@dataclass(frozen=True)
class Timeline:
    branch: str
    topic: str
    sessions: tuple[Session, ...]
    entries: tuple[Entry, ...]
    packets: tuple[Packet, ...]  # oldest first
    left_out: int  # entries, the oldest


def parse(value: Any) -> Timeline:
    """Raises: HandoffError where the value is no timeline."""
    if not isinstance(value, dict) or not isinstance(value.get("entries"), list):
        raise HandoffError("this is no timeline", "make one with `handoff timeline --json`")
    cut = _object(_object(value, "truncated"), "entries")
    return Timeline(
        branch=_line(value, "branch"),
        topic=_line(value, "topic"),
        sessions=tuple(map(_session, _objects(value, "sessions"))),
        entries=tuple(map(_entry, _objects(value, "entries"))),
        packets=tuple(map(_packet, _objects(value, "packets"))),
        left_out=max(0, (_number(cut, "total") or 0) - (_number(cut, "kept") or 0)),
    )


def _session(value: dict[str, Any]) -> Session:
    return Session(
        id=_line(value, "id"),
        runtime=_line(value, "runtime"),
        model=_line(value, "model"),
        folder=_line(value, "folder"),
        resume_command=_line(value, "resume_command"),
        started_at=_time(value, "started_at"),
        turns=_number(value, "turns") or 0,
    )


def _entry(value: dict[str, Any]) -> Entry:
    return Entry(
        kind=_line(value, "kind"),
        at=_time(value, "at"),
        session=_line(value, "session"),
        runtime=_line(value, "runtime"),
        model=_line(value, "model"),
        text=_text(value, "text").strip("\n"),
        exit_code=_number(value, "exit_code"),
        output=_text(value, "output").strip("\n"),
        error=_text(value, "error").strip(),
        by=_line(value, "by"),
        cut_chars=max(0, _number(value, "cut_chars") or 0),
    )


def _packet(value: dict[str, Any]) -> Packet:
    usage = _object(value, "context_usage")
    return Packet(
        session=_line(value, "session"),
        runtime=_line(value, "runtime"),
        status=_line(value, "status"),
        made_at=_time(value, "made_at"),
        next_action=_text(value, "next_action").strip(),
        summary=_text(value, "summary").strip(),
        supersedes=_line(value, "supersedes"),
        changed_files=tuple(
            (_line(one, "path"), _line(one, "change")) for one in _objects(value, "changed_files")
        ),
        risks=tuple(
            (_line(one, "severity"), _line(one, "code"), _text(one, "detail").strip())
            for one in _objects(value, "open_risks")
        ),
        failed_attempts=tuple(map(_attempt, _objects(value, "failed_attempts"))),
        used_tokens=_number(usage, "used_tokens"),
        window_tokens=_number(usage, "window_tokens"),
        percent=_number(usage, "percent"),
    )


def _attempt(value: dict[str, Any]) -> Attempt:
    return Attempt(
        command=_text(value, "command").strip(),
        exit_code=_number(value, "exit_code"),
        why=_text(value, "why").strip(),
        resolved=bool(value.get("resolved_by")),
        resolved_at=_time(_object(value, "resolved_by"), "at"),
    )


def _objects(value: dict[str, Any], key: str) -> list[dict[str, Any]]:
    found = value.get(key)
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def _object(value: dict[str, Any], key: str) -> dict[str, Any]:
    found = value.get(key)
    return found if isinstance(found, dict) else {}


def _text(value: dict[str, Any], key: str) -> str:
    found = value.get(key)
    return prose.plain(found) if isinstance(found, str) else ""


def _line(value: dict[str, Any], key: str) -> str:
    found = value.get(key)
    return prose.line(found) if isinstance(found, str) else ""


def _number(value: dict[str, Any], key: str) -> int | None:
    found = value.get(key)
    if isinstance(found, bool) or not isinstance(found, (int, float)):
        return None
    return round(found) if abs(found) < 10**15 else None  # neither NaN nor endless


def _time(value: dict[str, Any], key: str) -> datetime | None:
    found = value.get(key)
    if not isinstance(found, str):
        return None
    try:
        at = datetime.fromisoformat(f"{found[:-1]}+00:00" if found.endswith("Z") else found)
    except ValueError:
        return None
    if at.year not in _YEARS:
        return None
    return at if at.tzinfo else at.replace(tzinfo=timezone.utc)
