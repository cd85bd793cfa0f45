"""Which files are handoff's own, so that they never count as somebody's work."""

from __future__ import annotations

import hashlib
import json
import os
from typing import TYPE_CHECKING, Callable

from .. import git, layout, rotation, store
from ..errors import HandoffError

if TYPE_CHECKING:
    from ..project import Project

INSTALLED = f"{layout.STATE_FOLDER}/installed.json"


def predicate(project: Project, at: git.Place) -> Callable[[str], bool]:
    """Tells our own files, by their paths from the repository's root."""
    artifacts = project.config.artifacts
    written = [artifacts[key] for key in ("outputs", "verification", "clean_state", "feedback")]
    folders = tuple(f"{at.prefix}{folder}/" for folder in (".handoff", *written))
    older = rotation.older(artifacts["feedback"])
    files = {f"{at.prefix}{path}" for path in (*project.config.rendered, *written, *older)}
    installed = _as_we_left_them(project)

    def ours(path: str) -> bool:
        if path.startswith(folders) or path in files:
            return True
        # A file of others that only we touched: as it was when we left it.
        left = installed.get(path[len(at.prefix) :]) if path.startswith(at.prefix) else None
        return left is not None and sha256(at, path) == left

    return ours


def is_dirty(project: Project, at: git.Place, path: str) -> bool:
    """Whether somebody else has changed a file (from the project's root) and not committed it."""
    if project.read(path) is None or predicate(project, at)(f"{at.prefix}{path}"):
        return False
    given = ("status", "--porcelain", "--untracked-files=all", "--", f"{at.prefix}{path}")
    return bool(git.run(at.top, *given, literal=True))


def remember(project: Project, path: str) -> None:
    """That a file (from the project's root) is now as we left it."""
    digest = hashlib.sha256(project.read(path) or b"").hexdigest()
    left = {**_as_we_left_them(project), path: digest}
    project.write(INSTALLED, (json.dumps(left, indent=2, sort_keys=True) + "\n").encode())


def sha256(at: git.Place, path: str) -> str | None:
    """Of a file, by its path from the repository's root; None where it is not there."""
    data = store.read(os.path.join(at.top, path))
    return hashlib.sha256(data).hexdigest() if data is not None else None


def _as_we_left_them(project: Project) -> dict[str, str]:
    """The sha256 of files that others own, as we wrote them last, by path from the root."""
    try:
        left: dict[str, str] = project.json(INSTALLED)
    except HandoffError:
        return {}
    return left
