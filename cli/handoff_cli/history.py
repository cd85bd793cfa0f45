"""The template's releases as a git bundle: what travels in the wheel and what Copier clones from.

Standard library and git only: the build hook runs this file too. The bundle is the same byte for
byte wherever it is built: fixed identity, fixed date, files in their order, nothing ignored by
anybody's rules, and no packed object taken over from the checkout.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import tempfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path

# What Copier needs; skills and engine are included by the template's own files.
PARTS = ("copier.yml", "engine", "skill", "template")
WHOLE = ("copier.yml", "skill/", "template/")  # without one of these nothing can be rendered
CACHES = {"__pycache__", ".mypy_cache", ".ruff_cache", ".pytest_cache"}
VERSION_FILE = "cli/handoff_cli/__init__.py"
RELEASE = re.compile(r"v(\d+\.\d+\.\d+(?:(?:a|b|rc)\d+)?)")
_VERSION = re.compile(r'__version__ = "([^"]+)"')
DATE = "1577836800 +0000"
IDENTITY = {
    f"GIT_{role}_{key}": value
    for role in ("AUTHOR", "COMMITTER")
    for key, value in {"NAME": "handoff", "EMAIL": "handoff@localhost", "DATE": DATE}.items()
}

Files = Mapping[str, tuple[str, bytes]]  # path: mode and content


class CutOffError(Exception):
    """The checkout lacks its past: releases would be missing."""


def build_bundle(source: Path, bundle: Path, version: str, *, release: bool = False) -> str:
    """Write `bundle`: every release of the template, and its files below `source` as `version`.

    Returns the ref of the latter, `v<version>`.

    Raises: CutOffError where a `release` is asked for in a shallow clone; CalledProcessError or
    FileNotFoundError where git fails or is missing.
    """
    ref = f"v{version}"
    with tempfile.TemporaryDirectory() as folder:
        repository = Path(folder) / "repository.git"
        git(["init", "--quiet", "--bare", "--template=", str(repository)], source)
        for name, made in sorted(releases(source, release).items()):
            files = dict(committed(source, made, *PARTS)) if name != ref else {}
            if all(any(path.startswith(part) for path in files) for part in WHOLE):
                _tag(repository, name, files)
        head = _tag(repository, ref, dict(_on_disk(source)))
        inside = ["--git-dir", str(repository)]
        git([*inside, "update-ref", "HEAD", head], source)
        pack = ["-c", "pack.threads=1", "bundle", "create", "--quiet", str(bundle)]
        git([*inside, *pack, "HEAD", "--tags"], source)
    return ref


def releases(source: Path, release: bool = False) -> dict[str, str]:
    """The commit of each release, by its tag: those that are tagged or, where no tag travelled with
    the checkout, the commits that set the version; none where `source` is no checkout of its own.

    Raises: CutOffError where a `release` is asked for and the checkout is shallow.
    """
    try:
        top = git(["rev-parse", "--show-toplevel"], source).rstrip("\n")
    except subprocess.CalledProcessError:
        return {}
    if Path(top).resolve() != source.resolve():
        return {}
    if release and git(["rev-parse", "--is-shallow-repository"], source).strip() == "true":
        raise CutOffError("this clone is shallow: fetch the whole history to build a release")
    listed = git(["for-each-ref", "--format=%(refname:short)", "refs/tags/v*"], source).split()
    tags = [name for name in listed if RELEASE.fullmatch(name)]
    if tags:
        return {name: f"refs/tags/{name}^{{commit}}" for name in tags}
    found: dict[str, str] = {}
    log = ["log", "--reverse", "--first-parent", "--format=%H", "-G__version__", "--", VERSION_FILE]
    for commit in git(log, source).split():
        set_there = _VERSION.search(git(["show", f"{commit}:{VERSION_FILE}"], source))
        if set_there and RELEASE.fullmatch(f"v{set_there[1]}"):
            found.setdefault(f"v{set_there[1]}", commit)
    return found


def clean_environment() -> dict[str, str]:
    """The environment without what git sets for its own hooks, or a user for their own work."""
    return {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}


def git(arguments: list[str], folder: Path, stdin: str = "") -> str:
    """What git prints, run with nobody's configuration."""
    return raw(arguments, folder, stdin.encode()).decode("utf-8")


def raw(arguments: list[str], folder: Path, stdin: bytes = b"") -> bytes:
    """The bytes that git prints, run with nobody's configuration."""
    bare = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", **IDENTITY}
    done = subprocess.run(
        ["git", "-c", "safe.directory=*", *arguments],
        cwd=folder,
        input=stdin,
        env={**clean_environment(), **bare},
        capture_output=True,
        check=True,
    )
    return done.stdout


def commit(repository: Path, files: Files, subject: str, parent: str = "") -> str:
    """Make a commit of these files in a bare repository of ours; its id."""
    lines = []
    for path, (mode, data) in sorted(files.items()):
        lines.append(f"{mode} {_blob(repository, data)}\t{path}\0")
    git(["read-tree", "--empty"], repository)
    git(["update-index", "-z", "--add", "--index-info"], repository, "".join(lines))
    tree = git(["write-tree"], repository).strip()
    parents = ["-p", parent] if parent else []
    return git(["commit-tree", tree, *parents, "-m", subject], repository).strip()


def _tag(repository: Path, name: str, files: Files) -> str:
    made = commit(repository, files, name)
    git(["update-ref", f"refs/tags/{name}", made], repository)
    return made


def _blob(repository: Path, data: bytes) -> str:
    """Store a file's content; its id."""
    whole = b"blob %d\0" % len(data) + data
    name = hashlib.sha1(whole).hexdigest()
    path = repository / "objects" / name[:2] / name[2:]
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(zlib.compress(whole))
    return name


def committed(source: Path, tree: str, *parts: str) -> Iterator[tuple[str, tuple[str, bytes]]]:
    """The files of a commit or tree, of all of it or of these parts."""
    listed = git(["ls-tree", "-r", "-z", "--full-tree", tree, "--", *parts], source).split("\0")
    entries = [line.partition("\t") for line in listed if line]
    wanted = "".join(f"{meta.split()[2]}\n" for meta, _, _ in entries)
    out = raw(["cat-file", "--batch"], source, wanted.encode())
    at = 0
    for meta, _, path in entries:
        end = out.index(b"\n", at)
        size = int(out[at:end].split()[2])
        yield path, (meta.split()[0], out[end + 1 : end + 1 + size])
        at = end + 1 + size + 1


def _on_disk(source: Path) -> Iterator[tuple[str, tuple[str, bytes]]]:
    for part in PARTS:
        paths = [source / part, *(source / part).rglob("*")]
        for path in paths:
            inside = path.relative_to(source)
            if path.is_file() and path.suffix != ".pyc" and not CACHES & set(inside.parts):
                mode = "100755" if os.access(path, os.X_OK) else "100644"
                yield inside.as_posix(), (mode, path.read_bytes())
