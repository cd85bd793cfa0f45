"""The user's own repository, as an update meets it: read, and conflicts left in its index."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable
from pathlib import Path

from handoff_cli import settings_files
from handoff_cli.errors import HandoffError
from handoff_cli.history import clean_environment
from handoff_cli.merge import Conflict


def expect_resolved(project: Path) -> None:
    """Raises: HandoffError naming files in which git has unresolved conflicts."""
    unmerged = git(project, "ls-files", "-u", "-z", "--", ".").split("\0")
    paths = sorted({line.partition("\t")[2] for line in unmerged if line})
    if paths:
        raise HandoffError(
            f"unresolved conflicts: {', '.join(f'`{path}`' for path in paths)}",
            "resolve them and `git add` the files, then update again; nothing was written",
        )


def expect_clean(project: Path, paths: tuple[str, ...], old: Path, new: Path) -> None:
    """Refuse where a file that would change holds work that is in no commit."""
    out = git(project, "status", "--porcelain", "-z", "--untracked-files=all", "--", *paths)
    dirty = [entry[3:] for entry in out.split("\0") if entry[:2].strip()]
    prefix = git(project, "rev-parse", "--show-prefix").rstrip("\n")
    names = [name.removeprefix(prefix) for name in dirty]
    edited = [
        name
        for name in names
        if (there := settings_files.read(project / name)) is not None
        and not any(
            settings_files.same_text(there, settings_files.read(folder / name) or b"")
            for folder in (old, new)
        )
    ]
    if edited:
        raise HandoffError(
            f"not committed: {', '.join(f'`{name}`' for name in edited)}",
            "commit or stash them first: the update would change them; nothing was written",
        )


def record(project: Path, conflicts: Iterable[Conflict]) -> None:
    """Put the versions of each conflict into git's index, so that it is one to git."""
    prefix = git(project, "rev-parse", "--show-prefix").rstrip("\n")
    lines = []
    for conflict in conflicts:
        lines.append(f"0 {'0' * 40}\t{prefix}{conflict.path}\0")
        for stage, (mode, data) in sorted(conflict.stages.items()):
            blob = git(project, "hash-object", "-w", "--no-filters", "--stdin", stdin=data).strip()
            lines.append(f"{mode} {blob} {stage}\t{prefix}{conflict.path}\0")
    top = Path(git(project, "rev-parse", "--show-toplevel").rstrip("\n"))
    git(top, "update-index", "-z", "--index-info", stdin="".join(lines).encode())


def committed(project: Path, path: str) -> bytes | None:
    """The file as the newest commit has it, or None where there is none."""
    done = subprocess.run(
        ["git", "show", f"HEAD:./{path}"],
        cwd=project,
        capture_output=True,
        check=False,
        env=clean_environment(),
    )
    return done.stdout if done.returncode == 0 else None


def common_folder(project: Path) -> Path:
    """The git folder that all work trees share."""
    return (project / git(project, "rev-parse", "--git-common-dir").rstrip("\n")).resolve()


def git(folder: Path, *arguments: str, stdin: bytes = b"") -> str:
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
