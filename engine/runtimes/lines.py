"""Transcript lines as JSON objects, and times as epoch seconds: shared by the readers."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from datetime import datetime, timezone
from typing import Any

from ..records import Skipped
from .base import number

SUBJECTS = (
    "file_path", "filePath", "path", "pattern", "query", "url", "description", "question", "prompt",
)  # fmt: skip


def subject(given: dict[str, Any]) -> str:
    """What a tool is called for, from its arguments."""
    known = (given.get(key) for key in SUBJECTS)
    return next((value for value in (*known, *given.values()) if isinstance(value, str)), "")


def objects(lines: Iterable[bytes]) -> Iterator[dict[str, Any] | Skipped]:
    """Each line's object, or a `Skipped` that says why there is none."""
    for line in lines:
        if not line.strip():
            continue
        try:
            value = json.loads(line.decode("utf-8-sig", "replace"))
        except (ValueError, RecursionError):
            yield Skipped("not JSON")
            continue
        yield value if isinstance(value, dict) else Skipped("JSON, but no object")


def unread(lines: Iterable[bytes]) -> Iterator[Skipped]:
    """Nothing but `Skipped`: of a session's file whose shape nobody here has seen."""
    for value in objects(lines):
        yield value if isinstance(value, Skipped) else Skipped("of no known shape")


def mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def string(value: Any) -> str:
    return value if isinstance(value, str) else ""


def total(counts: dict[str, Any], keys: tuple[str, ...]) -> int:
    """The sum of the whole numbers at `keys`, of which some may be missing; 0 where one is none."""
    found = [number(counts, key) for key in keys if counts.get(key, 0) != 0]
    return sum(filter(None, found)) if None not in found else 0


def seconds(timestamp: Any) -> float | None:
    """Epoch seconds of an ISO 8601 timestamp such as `2026-11-29T16:04:24.963Z`."""
    if not isinstance(timestamp, str):
        return None
    try:
        at = datetime.fromisoformat(timestamp.replace("Z", "+00:00"))
    except ValueError:
        return None
    return (at if at.tzinfo else at.replace(tzinfo=timezone.utc)).timestamp()
