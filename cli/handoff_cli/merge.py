"""Three folders merged as git merges three commits: renames, deletions, modes and conflicts.

Nothing is checked out and no repository of anybody's is touched: a bare one for the occasion takes
the three trees. The user's files are given as bytes, so what is not ours to merge is never read.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from handoff_cli import history
from handoff_cli.errors import HandoffError

Files = Mapping[str, tuple[str, bytes]]  # path: mode and content


@dataclass(frozen=True)
class Conflict:
    path: str
    stages: dict[int, tuple[str, bytes]]  # 1 the base, 2 ours, 3 theirs: mode and content


@dataclass(frozen=True)
class Merged:
    files: dict[str, tuple[str, bytes]]  # everything as it should be, conflicts with markers
    conflicts: tuple[Conflict, ...] = field(default=())


def merged(base: Files, ours: Files, theirs: Files) -> Merged:
    """What ours and theirs make together, both coming from `base`.

    Raises: HandoffError where git is older than 2.38.
    """
    with tempfile.TemporaryDirectory(prefix="handoff.") as folder:
        repository = Path(folder) / "merge.git"
        history.git(["init", "--quiet", "--bare", "--template=", str(repository)], Path(folder))
        start = history.commit(repository, base, "base")
        for name, files in (("yours", ours), ("handoff", theirs)):
            tip = history.commit(repository, files, name, start)
            history.git(["update-ref", f"refs/heads/{name}", tip], repository)
        tree, stages = _merge_tree(repository, "yours", "handoff")
        result = dict(history.committed(repository, tree))
        found: dict[str, dict[int, tuple[str, bytes]]] = {}
        for mode, blob, stage, path in stages:
            content = history.raw(["cat-file", "blob", blob], repository)
            found.setdefault(path, {})[stage] = (mode, content)
    return Merged(result, tuple(Conflict(path, one) for path, one in sorted(found.items())))


def _merge_tree(
    repository: Path, left: str, right: str
) -> tuple[str, list[tuple[str, str, int, str]]]:
    """The merged tree, and mode, blob, stage and path of each conflicting version."""
    command = ["merge-tree", "--write-tree", "-z", "--no-messages", left, right]
    try:
        out = history.raw(command, repository)
    except subprocess.CalledProcessError as error:
        if error.returncode != 1:
            said = error.stderr.decode("utf-8", "replace").strip()
            raise HandoffError(f"git could not merge: {said}", "update needs git 2.38") from None
        out = error.stdout  # there are conflicts
    tree, *entries = out.decode("utf-8").split("\0")
    stages = []
    for entry in filter(None, entries):
        meta, _, path = entry.partition("\t")
        mode, blob, stage = meta.split()
        stages.append((mode, blob, int(stage), path))
    return tree.strip(), stages
