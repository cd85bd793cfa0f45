"""Set a project up: what would change, and the change itself."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from handoff_cli import detect, hooks, scaffold, settings_files
from handoff_cli.errors import HandoffError
from handoff_cli.history import clean_environment

MAIN_QUESTIONS = ("runtimes", "acceptance_commands", "skills")


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


class Ask(Enum):
    """Which of the template's questions a person is asked."""

    NOTHING = "nothing"
    MAIN = "main"
    EVERYTHING = "everything"


@contextmanager
def prepared(
    project: Path, given: dict[str, Any], *, ask: Ask = Ask.NOTHING, overwrite: bool = False
) -> Iterator[Setup]:
    """The setup of a project with these answers, as long as the block runs; nothing is written.

    Raises: HandoffError where the project is no git repository, an answer is refused, or a file
    that is not ours stands in the way.
    """
    _expect_git(project)
    before = scaffold.recorded_answers(project)
    suggested = detect.suggestions(project) if before is None else {}
    known = scaffold.without_copiers_own(before or {})
    with tempfile.TemporaryDirectory(prefix="handoff.") as name:
        folder = Path(name)
        answers = {**known, **given}
        if ask is Ask.MAIN and before is None:
            answers |= _chosen(folder, project, answers, suggested)
        everything = ask is Ask.EVERYTHING
        new = _rendered(folder / "new", project, answers, suggested, ask=everything)
        old = new
        if before is not None:
            _expect_same_version(before, scaffold.recorded_answers(new) or {})
            old = _rendered(folder / "old", project, known, {}, ask=False) if given else new
        yield _compared(project, new, old, before is None, overwrite, suggested)


@contextmanager
def engine_of_this_version() -> Iterator[Path]:
    """A folder with this version's engine in it, as long as the block runs."""
    with tempfile.TemporaryDirectory(prefix="handoff.") as name:
        yield scaffold.render(Path(name), {}, {}, ask=False, name="engine")


def carry_out(project: Path, setup: Setup) -> None:
    """Write what `prepared` found to be new."""
    for path in (*setup.create, *setup.replace):
        target = project / path
        settings_files.write(target, (setup.rendered / path).read_bytes())
        if path in setup.create:
            shutil.copymode(setup.rendered / path, target)
    hooks.carry_out(project, list(setup.hooks))


def _chosen(
    folder: Path, project: Path, given: dict[str, Any], suggested: dict[str, Any]
) -> dict[str, Any]:
    """A person's answers to the main questions; the others are settled as they would be anyway."""
    default = _rendered(folder / "default", project, given, suggested, ask=False)
    settled = scaffold.without_copiers_own(scaffold.recorded_answers(default) or {})
    for question in MAIN_QUESTIONS:
        if question not in given:
            suggested = {**suggested, question: settled.pop(question)}
    asked = _rendered(folder / "asked", project, settled, suggested, ask=True)
    told = scaffold.recorded_answers(asked) or {}
    return {question: told[question] for question in MAIN_QUESTIONS}


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
        _expect_inside(project, path)
        wanted, there = (new / path).read_bytes(), settings_files.read(project / path)
        if there is None:
            create.append(path)
        elif settings_files.same_text(there, wanted):
            same.append(path)
        elif (overwrite and not _is_shared(path)) or (
            not first and there == settings_files.read(old / path)
        ):
            replace.append(path)
        else:
            kept.append(path)
    in_the_way = [path for path in kept if not _is_shared(path)]
    if first and in_the_way:
        raise HandoffError(
            f"already there and different: {', '.join(f'`{path}`' for path in in_the_way)}",
            "move them away, or run again with `--overwrite`; nothing was written",
        )
    plans = hooks.plans(project, from_engine=new)
    changes = tuple(hooks.installing(plan) for plan in plans)
    return Setup(new, tuple(create), tuple(replace), tuple(kept), tuple(same), changes, suggested)


def _is_shared(path: str) -> bool:
    """Whether the user may have a file of this name for their own files beside ours."""
    return path.endswith("/.gitattributes") and not path.startswith(".handoff/")


def _expect_same_version(before: dict[str, Any], now: dict[str, Any]) -> None:
    if before.get("_commit") != now.get("_commit"):
        raise HandoffError(
            f"this project was set up by handoff {before.get('_commit')}, this is {now['_commit']}",
            "run `handoff update` there first; nothing was written",
        )


def _expect_inside(project: Path, path: str) -> None:
    real = (project / path).resolve()
    if not real.is_relative_to(project.resolve()):
        raise HandoffError(
            f"`{path}` leads out of the repository, to `{real}`",
            "remove the link; nothing was written",
        )


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
