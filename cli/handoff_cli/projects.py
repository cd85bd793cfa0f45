"""The projects that handoff is in on this machine: one small file for each, so nobody waits.

A file is written whole and named after the path, so that any number of `init`s at once lose nothing
and no lock is needed. What is read is checked: a folder without answers is a project no more.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

from handoff_cli import settings_files
from handoff_cli.errors import HandoffError
from handoff_cli.scaffold import ANSWERS

# Folders in which other people's copies of a project lie, or nothing of anybody's.
SKIPPED = frozenset(
    {".git", ".hg", ".svn", "node_modules", "site-packages", "vendor", "third_party", "__pycache__",
     ".venv", "venv", ".tox", ".nox", ".cache", ".cargo", ".rustup", ".npm"}
)  # fmt: skip


def registry() -> Path:
    import platformdirs

    return platformdirs.user_state_path("handoff") / "projects"


def add(project: Path) -> bool:
    """Whether the project was not known before. Raises: HandoffError where it is none."""
    where = project.resolve()
    if not is_project(where):
        raise HandoffError(f"`{where}` was not set up by handoff", "run `handoff init` there")
    record = json.dumps({"path": str(where)}) + "\n"
    return settings_files.write(_file(where), record.encode())


def remove(project: Path) -> bool:
    """Whether the project was known; it itself is left alone."""
    return settings_files.write(_file(project.resolve()), None)


def known() -> list[Path]:
    """Every project on record, by path; they may have gone since."""
    found = []
    for file in registry().glob("*.json") if registry().is_dir() else ():
        try:
            found.append(Path(json.loads(file.read_text(encoding="utf-8"))["path"]))
        except (OSError, ValueError, KeyError, TypeError):
            continue  # half a disk's worth of somebody's editing: `projects add` writes it anew
    return sorted(found)


def is_project(folder: Path) -> bool:
    return (folder / ANSWERS).is_file()


def scan(folder: Path, seen: Callable[[int], None] = lambda count: None) -> Iterator[Path]:
    """Projects below a folder; `seen` is told how many folders were looked at."""
    for count, (where, names, _) in enumerate(os.walk(folder), 1):
        names[:] = sorted(name for name in names if name not in SKIPPED)
        seen(count)
        if is_project(Path(where)):
            yield Path(where)


def _file(project: Path) -> Path:
    return registry() / f"{hashlib.sha256(os.fsencode(project)).hexdigest()[:24]}.json"
