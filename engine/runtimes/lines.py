"""Transcript lines as JSON objects, and times as epoch seconds: shared by the readers."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
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


# Control characters in strings are no JSON, but do no harm.
_DECODER = json.JSONDecoder(strict=False)
_MAX_TRIES = 1_000


def objects(
    lines: Iterable[bytes], known: Callable[[dict[str, Any]], bool] = bool
) -> Iterator[dict[str, Any] | Skipped]:
    """Each line's object, or a `Skipped` that says why there is none; `known` tells whether an
    object is one of the runtime's at all."""
    for line in lines:
        text = line.decode("utf-8-sig", "replace")
        try:
            value = _DECODER.decode(text)
        except (ValueError, RecursionError):
            if not text.strip():
                continue
            yield Skipped("not JSON")
            value = _appended(text)
            if value is None:
                continue
        if not isinstance(value, dict):
            yield Skipped("JSON, but no object")
        else:
            yield value if known(value) else Skipped("of no known shape")


def _appended(text: str) -> dict[str, Any] | None:
    """The object at the end of a line: what was written after another that was cut off."""
    text = text.rstrip("\0 \t\r\n")
    at = len(text) if text.endswith("}") else 0
    for _ in range(_MAX_TRIES):
        at = text.rfind('{"', 0, at)
        if at < 1:
            return None
        try:
            value, end = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            continue
        if end == len(text):
            return value if isinstance(value, dict) else None
    return None


def unread(lines: Iterable[bytes]) -> Iterator[Skipped]:
    """Nothing but `Skipped`: of a session's file whose shape nobody here has seen."""
    for value in objects(lines, lambda value: False):
        if isinstance(value, Skipped):
            yield value


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
