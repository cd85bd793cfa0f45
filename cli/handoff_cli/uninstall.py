"""Everything of ours taken out of a project again; what the user made of it stays."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from handoff_cli import hooks, projects, scaffold, settings_files, state, update, worktree
from handoff_cli.errors import HandoffError


@dataclass(frozen=True)
class Removal:
    """What would go; paths are from the project's root, sorted."""

    delete: tuple[str, ...]  # files as we rendered them
    folders: tuple[str, ...]  # what was recorded: state, and the packets as files
    kept: tuple[str, ...]  # edited by hand
    hooks: tuple[hooks.Change, ...]
    ledger: Path


@contextmanager
def prepared(project: Path) -> Iterator[Removal]:
    """What a removal would do, as long as the block runs; nothing is written.

    Raises: HandoffError where settings cannot be parsed, or the project was not set up by handoff.
    """
    recorded = scaffold.recorded_answers(project)
    if recorded is None:
        raise HandoffError(f"`{project}` was not set up by handoff", "there is nothing to remove")
    with tempfile.TemporaryDirectory(prefix="handoff.") as name:
        rendered = update.as_recorded(Path(name), project, recorded)
        delete: list[str] = []
        kept: list[str] = []
        for path in sorted(one for one in rendered.rglob("*") if one.is_file()):
            inside = path.relative_to(rendered).as_posix()
            there = settings_files.read(project / inside)
            if there is None:
                continue
            ours = inside == scaffold.ANSWERS or settings_files.same_text(there, path.read_bytes())
            (delete if ours else kept).append(inside)
        outputs = str(recorded.get("path_outputs", ""))
        there_are = [one for one in (state.FOLDER, outputs) if one and (project / one).is_dir()]
        folders = [one for one in there_are if _is_ours(project, one)]
        kept += [f"{one}/" for one in there_are if one not in folders]
        plans = hooks.plans(project, from_engine=rendered)
        changes = tuple(change for change in map(hooks.removing, plans) if change.changes)
        ledger = worktree.common_folder(project) / "handoff"
        yield Removal(tuple(delete), tuple(folders), tuple(kept), changes, ledger)


def _is_ours(project: Path, folder: str) -> bool:
    """Whether a folder was filled by handoff alone: it hides itself, and git has nothing in it."""
    path = project / folder
    hidden = settings_files.read(path / ".gitignore") == state.IGNORE
    inside = path.resolve().is_relative_to(project.resolve())
    return hidden and inside and not worktree.git(project, "ls-files", "-z", "--", folder)


def carry_out(project: Path, removal: Removal, *, ledger: bool) -> None:
    """Take it out: hooks first, so that none of them fires into what is half gone."""
    hooks.carry_out(project, list(removal.hooks))
    for path in removal.delete:
        settings_files.write(project / path, None)
    for folder in removal.folders:
        shutil.rmtree(project / folder)
    for path in (*removal.delete, *removal.folders):
        folder_above = (project / path).parent
        if folder_above.is_dir():
            hooks.remove_empty(folder_above, project)
    for cache in (project / ".handoff").rglob("__pycache__"):
        shutil.rmtree(cache)
    if (project / ".handoff").is_dir():
        hooks.remove_empty(project / ".handoff", project)
    if ledger and removal.ledger.is_dir():
        shutil.rmtree(removal.ledger)
    projects.remove(project)
