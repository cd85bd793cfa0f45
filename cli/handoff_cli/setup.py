"""Set a project up: what would change, and the change itself."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from handoff_cli import detect, hooks, scaffold, settings_files
from handoff_cli.errors import HandoffError
from handoff_cli.history import clean_environment


@dataclass(frozen=True)
class Setup:
    """What `init` would do to a project; paths are from its root, sorted."""

    rendered: Path  # a folder with every file as it should be
    create: tuple[str, ...]
    replace: tuple[str, ...]  # as we left them before, and other now
    kept: tuple[str, ...]  # edited by hand: they stay
    same: tuple[str, ...]
    hooks: tuple[hooks.Change, ...]
    suggested: dict[str, Any]

    @property
    def changes(self) -> bool:
        return bool(self.create or self.replace) or any(change.changes for change in self.hooks)


@contextmanager
def prepared(
    project: Path, given: dict[str, Any], *, ask: bool, overwrite: bool = False
) -> Iterator[Setup]:
    """The setup of a project with these answers, as long as the block runs; nothing is written.

    Raises: HandoffError where the project is no git repository, an answer is refused, or a file
    that is not ours stands in the way.
    """
    _expect_git(project)
    before = scaffold.recorded_answers(project)
    suggested = detect.suggestions(project) if before is None else {}
    with tempfile.TemporaryDirectory(prefix="handoff.") as folder:
        known = {key: value for key, value in (before or {}).items() if not key.startswith("_")}
        new = _rendered(Path(folder) / "new", project, {**known, **given}, suggested, ask)
        old = None
        if before is not None and given:
            old = _rendered(Path(folder) / "old", project, known, {}, ask=False)
        yield _compared(project, new, old if old else new, before is None, overwrite, suggested)


def carry_out(project: Path, setup: Setup) -> None:
    """Write what `prepared` found to be new."""
    for path in (*setup.create, *setup.replace):
        target = project / path
        settings_files.write(target, (setup.rendered / path).read_bytes())
        if path in setup.create:
            shutil.copymode(setup.rendered / path, target)
    hooks.carry_out(project, list(setup.hooks))


def _rendered(
    folder: Path, project: Path, answers: dict[str, Any], suggested: dict[str, Any], ask: bool
) -> Path:
    folder.mkdir()
    return scaffold.render(folder, answers, suggested, ask=ask, name=project.name)


def _compared(
    project: Path, new: Path, old: Path, first: bool, overwrite: bool, suggested: dict[str, Any]
) -> Setup:
    create, replace, kept, same = [], [], [], []
    for path in sorted(p.relative_to(new).as_posix() for p in new.rglob("*") if p.is_file()):
        wanted, there = (new / path).read_bytes(), settings_files.read(project / path)
        if there is None:
            create.append(path)
        elif there == wanted:
            same.append(path)
        elif overwrite or (not first and there == settings_files.read(old / path)):
            replace.append(path)
        else:
            kept.append(path)
    if first and kept:
        raise HandoffError(
            f"already there and different: {', '.join(f'`{path}`' for path in kept)}",
            "move them away, or run again with `--overwrite`; nothing was written",
        )
    plans = hooks.plans(project, from_engine=new)
    changes = tuple(hooks.installing(project, plan) for plan in plans)
    return Setup(new, tuple(create), tuple(replace), tuple(kept), tuple(same), changes, suggested)


def _expect_git(project: Path) -> None:
    if not project.is_dir():
        raise HandoffError(f"there is no folder `{project}`", "give the path of a repository")
    asked = ["git", "rev-parse", "--is-inside-work-tree"]
    try:
        done = subprocess.run(
            asked, cwd=project, env=clean_environment(), capture_output=True, check=False
        )
    except FileNotFoundError:
        raise HandoffError("git is not installed", "install git 2.31 or newer") from None
    if done.returncode or done.stdout.strip() != b"true":
        said = done.stderr.decode("utf-8", "replace")
        if "dubious ownership" in said:
            raise HandoffError(
                f"git does not trust `{project}`: it belongs to another user",
                f"run `git config --global --add safe.directory {project}`",
            )
        raise HandoffError(f"`{project}` is no git repository", "run `git init` there first")
