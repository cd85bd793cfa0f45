"""Where a project keeps its workbench artifacts: told, found, changed, and moved along."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from handoff_cli import detect, scaffold
from handoff_cli.errors import HandoffError
from handoff_cli.history import clean_environment

QUESTION = "path_"


@dataclass(frozen=True)
class Move:
    """An artifact that lies where it no longer belongs."""

    key: str
    old: str  # from the project's root
    new: str


def configured(project: Path) -> dict[str, str]:
    """The path of each artifact, by its key, as the project's answers have it."""
    return _paths(scaffold.expected_answers(project))


def detected(project: Path) -> dict[str, str]:
    """Artifacts that lie elsewhere than configured, at places where people keep them."""
    now = configured(project)
    found = _paths(detect.suggestions(project))
    return {key: path for key, path in found.items() if now.get(key) != path}


def _paths(answers: Mapping[str, Any]) -> dict[str, str]:
    """Those of the answers that are paths, by the artifact's key."""
    return {
        name.removeprefix(QUESTION): str(path)
        for name, path in answers.items()
        if name.startswith(QUESTION)
    }


def given(pairs: list[str], known: dict[str, str]) -> dict[str, str]:
    """`KEY=PATH` pairs. Raises: HandoffError for a key that is none."""
    paths = {}
    for pair in pairs:
        key, equals, path = pair.partition("=")
        if not equals or not path:
            raise HandoffError(f"`{pair}` is no KEY=PATH", "write `feedback=logs/feedback.jsonl`")
        if key not in known:
            raise HandoffError(f"no artifact is called `{key}`", f"there are {', '.join(known)}")
        paths[key] = path
    return paths


def moves(project: Path, before: dict[str, str], after: dict[str, str]) -> list[Move]:
    """The artifacts that are there and would have to move, as far as nothing is in their way."""
    changed = [Move(key, before[key], path) for key, path in after.items() if before[key] != path]
    return [
        move
        for move in changed
        if (project / move.old).exists() and not (project / move.new).exists()
    ]


def carry_out(project: Path, move: Move) -> None:
    """Move an artifact; git knows of it where it knew of the file."""
    (project / move.new).parent.mkdir(parents=True, exist_ok=True)
    known = ["git", "mv", "--", move.old, move.new]
    done = subprocess.run(
        known, cwd=project, env=clean_environment(), capture_output=True, check=False
    )
    if done.returncode:  # not tracked
        (project / move.old).rename(project / move.new)
