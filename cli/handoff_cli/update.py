"""A project brought to another version of the template, or to other answers; no edit is lost.

The base is rendered anew, by Copier, from the version and the answers that the project records;
what the user made of it and what this version makes of the same answers are merged by git.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from packaging.version import InvalidVersion, Version

from handoff_cli import hooks, merge, scaffold, settings_files, source, worktree
from handoff_cli.errors import HandoffError

# A conflict in these would stop the engine: they get this version's text, and the conflict is told.
LIVE = (".handoff/", "tools/generate_handoff.py", "handoff.schema.json")


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
    recorded = scaffold.expected_answers(project)
    known = scaffold.without_copiers_own(recorded)
    committed = _committed_answers(project, recorded)
    worktree.expect_resolved(project)
    with source.bundle() as bundle, tempfile.TemporaryDirectory(prefix="handoff.") as name:
        was = str(recorded.get("_commit", ""))
        base, stand_in = _base(was, bundle)
        target = base if stay else bundle.ref
        folder = Path(name)
        if was == target and not stay and committed == known:  # there is nothing to render
            changes = tuple(map(hooks.installing, hooks.plans(project)))
            yield Update(was.removeprefix("v"), was.removeprefix("v"), {}, (), (), changes)
            return
        olds = [_rendered(folder / "old", project, known, base)]
        if committed != known:  # by hand, or by us and not committed yet: the files tell
            olds.append(_rendered(folder / "committed", project, committed, base))
        new = _rendered(folder / "new", project, {**known, **(given or {})}, target, given or {})
        yield _compared(project, _nearest(project, olds), new, was, target, stand_in)


def as_recorded(folder: Path, project: Path, recorded: Mapping[str, Any]) -> Path:
    """The project's files as the release and the answers that it records make them; new below the
    empty `folder`."""
    with source.bundle() as bundle:
        base, _ = _base(str(recorded.get("_commit", "")), bundle)
        answers = scaffold.without_copiers_own(dict(recorded))
        return _rendered(folder / "recorded", project, answers, base)


def carry_out(project: Path, update: Update) -> None:
    """Write what `prepared` found, and leave conflicts in git's index as git does.

    Where any of it fails, every file is as it was before.
    """
    changes = [change for change in update.hooks if change.changes]
    paths = (*update.write, *update.delete, *(change.plan.settings for change in changes))
    before = {path: settings_files.read(project / path) for path in paths}
    try:
        for path, (mode, data) in update.write.items():
            settings_files.write(project / path, data)
            if mode == "100755":
                (project / path).chmod(0o755)
        for path in update.delete:
            settings_files.write(project / path, None)
            hooks.remove_empty((project / path).parent, project)
        hooks.carry_out(project, changes)
        if update.conflicts:
            worktree.record(project, update.conflicts)
    except BaseException:
        for path, was in before.items():
            settings_files.write(project / path, was)
        raise


def _committed_answers(project: Path, recorded: Mapping[str, Any]) -> dict[str, Any]:
    """The answers of the newest commit, as far as it has any about the same release."""
    committed = worktree.committed(project, scaffold.ANSWERS)
    answers = scaffold.parsed_answers(committed, project / scaffold.ANSWERS) if committed else {}
    same = answers.get("_commit") == recorded.get("_commit")
    return scaffold.without_copiers_own(answers if same else dict(recorded))


def _nearest(project: Path, folders: list[Path]) -> Path:
    """The folder of whose lines the project's files hold the most; the first of equals."""

    def alike(folder: Path) -> int:
        lines = 0
        for path, (_, data) in _files(folder).items():
            there = settings_files.read(project / path) if path != scaffold.ANSWERS else None
            lines += len({*data.splitlines()} & {*(there or b"").splitlines()})
        return lines

    return max(folders, key=alike)


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
    rewritten = [path for path in write if path != answers]  # by hand or not: they were read
    worktree.expect_clean(project, (*rewritten, *delete), old, new)
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
