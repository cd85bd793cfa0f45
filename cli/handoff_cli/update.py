"""A project brought to another version of the template, or to other answers; no edit is lost.

The base is rendered anew, by Copier, from the version and the answers that the project records;
what the user made of it and what this version makes of the same answers are merged by git.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from packaging.version import InvalidVersion, Version

from handoff_cli import hooks, merge, scaffold, settings_files, source
from handoff_cli.errors import HandoffError
from handoff_cli.history import clean_environment

# A conflict in these would stop the engine: they get this version's text, and the conflict is told.
LIVE = (".handoff/", "tools/generate_handoff.py", "handoff.schema.json")
MARKERS = (b"<<<<<<< ", b">>>>>>> ")


@dataclass(frozen=True)
class Update:
    """What would change in a project; paths are from its root, sorted."""

    old: str  # versions, without the `v`
    new: str
    write: dict[str, tuple[str, bytes]]  # mode and content
    delete: tuple[str, ...]
    conflicts: tuple[merge.Conflict, ...]
    hooks: tuple[hooks.Change, ...]
    stand_in: str | None = None  # the version that stood for one that no release has

    @property
    def changes(self) -> bool:
        return bool(self.write or self.delete) or any(change.changes for change in self.hooks)


@contextmanager
def prepared(
    project: Path, given: Mapping[str, Any] | None = None, *, stay: bool = False
) -> Iterator[Update]:
    """The update of a project to this version or, with `stay`, to its own; nothing is written.

    Raises: HandoffError where the project is newer than this version, holds unresolved conflicts,
    has uncommitted changes in a file that would change, or settings that cannot be parsed.
    """
    recorded = scaffold.recorded_answers(project)
    if recorded is None:
        raise HandoffError(f"`{project}` was not set up by handoff", "run `handoff init` there")
    known = scaffold.without_copiers_own(recorded)
    _expect_resolved(project)
    with source.bundle() as bundle, tempfile.TemporaryDirectory(prefix="handoff.") as name:
        was = str(recorded.get("_commit", ""))
        base, stand_in = _base(was, bundle)
        target = base if stay else bundle.ref
        folder = Path(name)
        old = _rendered(folder / "old", project, known, base)
        new = _rendered(folder / "new", project, {**known, **(given or {})}, target, given or {})
        yield _compared(project, old, new, was, target, stand_in)


def carry_out(project: Path, update: Update) -> None:
    """Write what `prepared` found, and leave conflicts in git's index as git does."""
    for path, (mode, data) in update.write.items():
        settings_files.write(project / path, data)
        if mode == "100755":
            (project / path).chmod(0o755)
    for path in update.delete:
        settings_files.write(project / path, None)
        hooks.remove_empty((project / path).parent, project)
    if update.conflicts:
        _index(project, update.conflicts)
    hooks.carry_out(project, [change for change in update.hooks if change.changes])


def _base(recorded: str, bundle: source.Bundle) -> tuple[str, str | None]:
    """The release to start from, and it again where it only stands for one that is unknown."""
    wanted, newest = _version(recorded), _version(bundle.ref)
    if recorded in bundle.refs:
        return recorded, None
    if wanted > newest:
        raise HandoffError(
            f"this project was set up by handoff {recorded}, this is {bundle.ref}",
            "install a newer handoff-generator; nothing was written",
        )
    older = [ref for ref in bundle.refs if _version(ref) <= wanted]
    stand_in = max(older or bundle.refs, key=_version)
    return stand_in, stand_in


def _version(ref: str) -> Version:
    try:
        return Version(ref.removeprefix("v"))
    except InvalidVersion:
        raise HandoffError(
            f"the project records `{ref}` as its version, which is none",
            "restore `.handoff/answers.yml` from git",
        ) from None


def _rendered(
    folder: Path,
    project: Path,
    answers: Mapping[str, Any],
    ref: str,
    given: Mapping[str, Any] | None = None,
) -> Path:
    folder.mkdir()
    return scaffold.render(
        folder, dict(answers), {}, ask=False, name=project.name, ref=ref, expected=given or {}
    )


def _compared(
    project: Path, old: Path, new: Path, was: str, target: str, stand_in: str | None
) -> Update:
    base, theirs = _files(old), _files(new)
    ours = {
        path: found for path in {*base, *theirs} if (found := _ours(project / path, base.get(path)))
    }
    answers = scaffold.ANSWERS
    gone = {path for path in base if path not in ours and path != answers}  # and they stay so
    for path in (*gone, answers):
        base.pop(path, None)
    wanted = {path: theirs[path] for path in theirs if path not in gone and path != answers}
    mine = {path: ours[path] for path in ours if path != answers}
    result = merge.merged(base, mine, wanted)
    files = {**result.files, answers: theirs[answers]}
    for conflict in result.conflicts:
        if conflict.path.startswith(LIVE):
            files[conflict.path] = conflict.stages.get(3) or conflict.stages[2]
    write = {path: one for path, one in files.items() if ours.get(path) != one}
    delete = tuple(sorted(path for path in mine if path not in files))
    _expect_clean(project, (*write, *delete), old, new)
    changes = tuple(_hook_changes(project, old, new))
    return Update(
        was.removeprefix("v"),
        target.removeprefix("v"),
        {path: _as_there(project / path, one) for path, one in sorted(write.items())},
        delete,
        result.conflicts,
        changes,
        stand_in,
    )


def _files(folder: Path) -> dict[str, tuple[str, bytes]]:
    paths = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): (_mode(path), path.read_bytes()) for path in paths}


def _ours(path: Path, base: tuple[str, bytes] | None) -> tuple[str, bytes] | None:
    """The project's file, with the line ends that the template has."""
    data = settings_files.read(path)
    if data is None:
        return None
    return base[0] if base else _mode(path), _plain(data)


def _plain(data: bytes) -> bytes:
    return data.replace(b"\r\n", b"\n")


def _as_there(path: Path, new: tuple[str, bytes]) -> tuple[str, bytes]:
    """The new content with the line ends of the file that is there."""
    there = settings_files.read(path) or b""
    mode, data = new
    return (mode, data.replace(b"\n", b"\r\n")) if b"\r\n" in there else new


def _mode(path: Path) -> str:
    return "100755" if os.access(path, os.X_OK) else "100644"


def _hook_changes(project: Path, old: Path, new: Path) -> Iterator[hooks.Change]:
    """Hooks as this version wants them; those of a runtime that was given up go."""
    wanted = hooks.plans(project, from_engine=new)
    for plan in hooks.plans(project, from_engine=old):
        if plan.runtime not in {one.runtime for one in wanted}:
            yield hooks.removing(plan)
    for plan in wanted:
        yield hooks.installing(plan)


def _expect_resolved(project: Path) -> None:
    unmerged = _git(project, "ls-files", "-u", "-z", "--", ".").split("\0")
    paths = sorted({line.partition("\t")[2] for line in unmerged if line})
    if paths:
        raise HandoffError(
            f"unresolved conflicts: {', '.join(f'`{path}`' for path in paths)}",
            "resolve them and `git add` the files, then update again; nothing was written",
        )


def _expect_clean(project: Path, paths: tuple[str, ...], old: Path, new: Path) -> None:
    """Refuse where a file that would change holds work that is in no commit."""
    out = _git(project, "status", "--porcelain", "-z", "--untracked-files=all", "--", *paths)
    dirty = [entry[3:] for entry in out.split("\0") if entry[:2].strip()]
    prefix = _git(project, "rev-parse", "--show-prefix").rstrip("\n")
    names = [name.removeprefix(prefix) for name in dirty]
    edited = [
        name
        for name in names
        if (there := settings_files.read(project / name)) is not None
        and not any(
            hooks.same_text(there, settings_files.read(folder / name) or b"")
            for folder in (old, new)
        )
    ]
    if edited:
        raise HandoffError(
            f"not committed: {', '.join(f'`{name}`' for name in edited)}",
            "commit or stash them first: the update would change them; nothing was written",
        )


def _index(project: Path, conflicts: tuple[merge.Conflict, ...]) -> None:
    """Put the versions of each conflict into git's index, so that it is one to git."""
    prefix = _git(project, "rev-parse", "--show-prefix").rstrip("\n")
    lines = []
    for conflict in conflicts:
        lines.append(f"0 {'0' * 40}\t{prefix}{conflict.path}\0")
        for stage, (mode, data) in sorted(conflict.stages.items()):
            blob = _git(project, "hash-object", "-w", "--no-filters", "--stdin", stdin=data).strip()
            lines.append(f"{mode} {blob} {stage}\t{prefix}{conflict.path}\0")
    top = Path(_git(project, "rev-parse", "--show-toplevel").rstrip("\n"))
    _git(top, "update-index", "-z", "--index-info", stdin="".join(lines).encode())


def _git(folder: Path, *arguments: str, stdin: bytes = b"") -> str:
    """What git prints about the user's own repository."""
    try:
        done = subprocess.run(
            ["git", "-c", "core.fsmonitor=false", *arguments],
            cwd=folder,
            input=stdin,
            env=clean_environment(),
            capture_output=True,
            check=True,
        )
    except FileNotFoundError:
        raise HandoffError("git is not installed", "install git 2.38 or newer") from None
    except subprocess.CalledProcessError as error:
        said = error.stderr.decode("utf-8", "replace").strip()
        raise HandoffError(f"git {arguments[0]}: {said}", "nothing was written") from None
    return done.stdout.decode("utf-8", "surrogateescape")
