"""The door to the user's repository. Only reads; never the index lock, a hook or the network."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Callable, NamedTuple

from .errors import HandoffError
from .gitprocess import INHERITED, output
from .model import ChangedFile, Commit, GitState

TIMEOUT_SECONDS = 20
MAX_COMMITS = 200
MAX_LISTED = 2_000
# Start no program of the user's, and leave the index as it is: `diff` would refresh it.
_QUIET = ("-c", "core.fsmonitor=false", "-c", "diff.autoRefreshIndex=false")
_CHANGES = {
    "A": "added",
    "M": "modified",
    "D": "deleted",
    "R": "renamed",
    "T": "modified",
    "C": "added",
}


class Place(NamedTuple):
    """Where a project lies in git."""

    top: str  # the work tree's root
    prefix: str  # from there to the project, "" or "sub/folder/"
    common_dir: str  # the git folder that all work trees share


def place(root: str) -> Place | None:
    """The project's place, or None outside a git work tree.

    Raises: HandoffError where git does not trust the repository.
    """
    options = ("--show-toplevel", "--show-prefix", "--git-common-dir")
    try:
        out = run(root, "rev-parse", *options)
    except HandoffError as error:
        if "dubious ownership" in str(error):
            raise HandoffError(
                f"git does not trust `{root}`: it belongs to another user",
                hint=f"run `git config --global --add safe.directory {root}`",
            ) from None
        return None
    told = out.decode("utf-8", "surrogateescape").split("\n")
    if len(told) != 4:  # a folder's name has line breaks: each by itself
        each = (run(root, "rev-parse", option) for option in options)
        told = [one.decode("utf-8", "surrogateescape")[:-1] for one in each]
    top, prefix, common = told[:3]
    return Place(top, prefix, os.path.abspath(os.path.join(root, common)))


def repository(root: str) -> Place:
    """The project's place. Raises: HandoffError outside a git work tree."""
    at = place(root)
    if at is None:
        raise HandoffError("this is no git repository", hint="run `git init` first")
    return at


def head(root: str) -> str | None:
    """The full hash of HEAD, or None before the first commit."""
    try:
        return run(root, "rev-parse", "--verify", "-q", "HEAD^{commit}").decode().strip() or None
    except HandoffError:
        return None


def branch(root: str) -> str | None:
    """The branch's name, also before its first commit; None where HEAD is detached."""
    try:
        out = run(root, "symbolic-ref", "--quiet", "--short", "HEAD")
    except HandoffError:
        return None
    return out.decode("utf-8", "surrogateescape").rstrip("\n")


def snapshot(
    at: Place, base: str | None, ours: Callable[[str], bool], fresh: Callable[[str], int | None]
) -> GitState:
    """The repository as it is now, compared with `base`.

    `ours(path)` tells which paths are handoff's own; `fresh(path)` counts the lines of an
    untracked file.
    """
    state, dirty, untracked = _status(at)
    head_commit = state.head
    problems = list(state.problems)
    if base is not None and not _has_commit(at, base):
        problems.append("the commit this session started from is gone from the repository")
        base = None
    changed = [item for item in _diff(at, base or head_commit) if not ours(item.path)]
    open_paths = {path for path in dirty if not ours(path)}
    found = [item._replace(committed=item.path not in open_paths) for item in changed]
    listed = [path for path in sorted(untracked) if not ours(path)]
    found += [ChangedFile(p, "untracked", None, fresh(p), 0, False) for p in listed[:MAX_LISTED]]
    commits, head_at = _commits(at, base, head_commit) if base else ((), None)
    if len(listed) > MAX_LISTED:
        problems.append(f"{len(listed)} untracked files: the first {MAX_LISTED} are listed")
    if len(commits) == MAX_COMMITS:
        problems.append(f"{MAX_COMMITS} or more commits: the newest {MAX_COMMITS} are listed")
    return state._replace(
        base=base,
        remotes=bool(run(at.top, "remote").strip()),
        dirty=tuple(sorted(open_paths)),
        changed=tuple(sorted(found)),
        commits=commits,
        problems=tuple(problems),
        head_at=head_at,
    )


def distance(at: Place, old: str) -> int | None:
    """How many commits HEAD is ahead of `old`; None where `old` is no ancestor of HEAD."""
    try:
        run(at.top, "merge-base", "--is-ancestor", old, "HEAD")
        return int(run(at.top, "rev-list", "--count", f"{old}..HEAD"))
    except (HandoffError, ValueError):
        return None


def run(root: str, *args: str, stdin: bytes = b"", literal: bool = False) -> bytes:
    """What git prints. Raises: HandoffError where it fails, is missing or takes too long."""
    command = ["git", "--no-optional-locks", "-C", root, *_QUIET, *args]
    environment = {k: v for k, v in os.environ.items() if k not in INHERITED}
    environment.update(GIT_TERMINAL_PROMPT="0", LC_ALL="C")
    if literal:  # path names are names, not patterns
        environment["GIT_LITERAL_PATHSPECS"] = "1"
    return output(command, args[0], environment, TIMEOUT_SECONDS, stdin)


def tracked(root: str, folder: str) -> frozenset[str]:
    """The names of files right in a folder that the repository has; none outside a repository."""
    try:
        out = run(root, "ls-files", "-z", "--", folder, literal=True)
    except HandoffError:
        return frozenset()
    return frozenset(os.path.basename(path) for path in split(out))


def _status(at: Place) -> tuple[GitState, set[str], set[str]]:
    """Head and branch, with the paths that are uncommitted and those of them that are untracked."""
    out = run(at.top, "status", "--porcelain=v2", "--branch", "-z", "--untracked-files=all",
              "--ignore-submodules=none")  # fmt: skip
    headers: dict[str, str] = {}
    dirty: set[str] = set()
    untracked: set[str] = set()
    fields = iter(split(out))
    for entry in fields:
        kind, _, rest = entry.partition(" ")
        if kind == "#":
            key, _, value = rest.partition(" ")
            headers[key] = value
        elif kind == "?":
            dirty.add(rest)
            untracked.add(rest)
        elif kind in "12u":
            dirty.add(rest.split(" ", {"1": 7, "2": 8, "u": 9}[kind])[-1])
            if kind == "2":
                dirty.add(next(fields))
    oid, name = headers.get("branch.oid", ""), headers.get("branch.head", "")
    ahead = headers.get("branch.ab", "").split(" ")[0].lstrip("+")
    detached = name == "(detached)"
    state = GitState(
        branch=None if detached else name or None,
        detached=detached,
        head=None if oid in ("", "(initial)") else oid,
        base=None,
        upstream=headers.get("branch.upstream"),
        ahead=int(ahead) if ahead.isdigit() else None,
        remotes=False,
        dirty=(),
        changed=(),
        commits=(),
    )
    return state, dirty, untracked


def _diff(at: Place, base: str | None) -> Iterator[ChangedFile]:
    """Tracked files that differ between `base` and the work tree."""
    against = base or run(at.top, "hash-object", "-t", "tree", "--stdin").decode().strip()
    out = run(at.top, "diff", "--raw", "--numstat", "-z", "-M", "--no-ext-diff", "--no-textconv",
              "--ignore-submodules=none", against, "--")  # fmt: skip
    fields = iter(split(out))
    kinds: dict[str, tuple[str, str | None]] = {}
    for entry in fields:
        if entry.startswith(":"):
            letter, first = entry.split(" ")[-1][0], next(fields)
            renamed = letter in "RC"
            kinds[next(fields) if renamed else first] = (letter, first if letter == "R" else None)
            continue
        added, removed, path = entry.split("\t", 2)
        if not path:  # a rename: both names follow
            next(fields)
            path = next(fields)
        letter, origin = kinds.get(path, ("M", None))
        yield ChangedFile(
            path=path,
            change=_CHANGES.get(letter, "modified"),
            origin=origin,
            added_lines=int(added) if added.isdigit() else None,
            removed_lines=int(removed) if removed.isdigit() else None,
            committed=True,
        )


def _commits(
    at: Place, base: str, head_commit: str | None
) -> tuple[tuple[Commit, ...], float | None]:
    """The commits since `base`, the newest first, and when that was made in epoch seconds."""
    if head_commit is None or head_commit == base:
        return (), None
    out = run(at.top, "log", "-z", f"--max-count={MAX_COMMITS}", "--no-show-signature",
              "--format=%ct %H %s", f"{base}..{head_commit}", "--")  # fmt: skip
    found = [entry.split(" ", 2) for entry in split(out)]
    return tuple(Commit(*one[1:]) for one in found), float(found[0][0]) if found else None


def _has_commit(at: Place, commit: str) -> bool:
    try:
        run(at.top, "cat-file", "-e", commit + "^{commit}")
    except HandoffError:
        return False
    return True


def split(out: bytes) -> list[str]:
    """The fields of what git prints with `-z`."""
    return [part.decode("utf-8", "surrogateescape") for part in out.split(b"\0") if part]
