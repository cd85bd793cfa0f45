"""One thing that `doctor` found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

BROKEN, WARN, OK = "broken", "warn", "ok"


@dataclass(frozen=True)
class Finding:
    level: str  # broken: packets are not written or not received; warn: they may not be; ok
    code: str
    detail: str
    mend: str = ""
    fix: Callable[[], None] | None = None  # what `--fix` does: safe, and done twice it is once


@dataclass(frozen=True)
class Place:
    """Where to look."""

    project: Path
    home: Path
    hooks: Path  # the runtime's settings file with our hooks in it
    mark: str  # stands in every hook of ours
