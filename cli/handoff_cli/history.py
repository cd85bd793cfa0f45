"""The template as a git bundle: what travels in the wheel and what Copier clones from.

Standard library and git only: the build hook runs this file too. The bundle is the same byte for
byte wherever it is built: fixed identity, fixed date, files in their order, nothing ignored by
anybody's rules.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

# What Copier needs; the skills are included by the template's own files.
PARTS = ("copier.yml", "skill", "template")
CACHES = {"__pycache__", ".mypy_cache", ".ruff_cache", ".pytest_cache"}
DATE = "1577836800 +0000"
IDENTITY = {
    f"GIT_{role}_{key}": value
    for role in ("AUTHOR", "COMMITTER")
    for key, value in {"NAME": "handoff", "EMAIL": "handoff@localhost", "DATE": DATE}.items()
}


def build_bundle(source: Path, bundle: Path, version: str) -> str:
    """Write `bundle` from the template's files below `source`; return its ref, `v<version>`.

    Raises: CalledProcessError or FileNotFoundError where git fails or is missing.
    """
    ref = f"v{version}"
    with tempfile.TemporaryDirectory() as folder:
        repository = Path(folder) / "repository.git"
        git(["init", "--quiet", "--bare", "--template=", str(repository)], source)
        paths = sorted(_files(source))
        listed = "".join(f"{path}\n" for path in paths)
        inside = ["--git-dir", str(repository)]
        write = [*inside, "hash-object", "-w", "--no-filters", "--stdin-paths"]
        blobs = git(write, source, listed).split()
        entries = zip(paths, blobs, strict=True)
        index = "".join(f"{_mode(source / path)} {blob}\t{path}\n" for path, blob in entries)
        git([*inside, "update-index", "--add", "--index-info"], source, index)
        tree = git([*inside, "write-tree"], source).strip()
        commit = git([*inside, "commit-tree", tree, "-m", ref], source).strip()
        git([*inside, "update-ref", f"refs/tags/{ref}", commit], source)
        git([*inside, "update-ref", "HEAD", commit], source)
        pack = [
            "-c",
            "pack.threads=1",
            "bundle",
            "create",
            "--quiet",
            str(bundle),
            "HEAD",
            "--tags",
        ]
        git([*inside, *pack], source)
    return ref


def clean_environment() -> dict[str, str]:
    """The environment without what git sets for its own hooks, or a user for their own work."""
    return {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}


def git(arguments: list[str], folder: Path, stdin: str = "") -> str:
    """What git prints, run with nobody's configuration."""
    bare = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", **IDENTITY}
    done = subprocess.run(
        ["git", *arguments],
        cwd=folder,
        input=stdin,
        env={**clean_environment(), **bare},
        text=True,
        encoding="utf-8",
        capture_output=True,
        check=True,
    )
    return done.stdout


def _files(source: Path) -> Iterator[str]:
    for part in PARTS:
        if (source / part).is_file():
            yield part
        for path in (source / part).rglob("*"):
            inside = path.relative_to(source)
            if path.is_file() and path.suffix != ".pyc" and not CACHES & set(inside.parts):
                yield inside.as_posix()


def _mode(path: Path) -> str:
    return "100755" if os.access(path, os.X_OK) else "100644"
