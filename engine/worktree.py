"""The door to what a session may leave behind in git: lines, stashes, branches."""

from __future__ import annotations

import re
from collections.abc import Iterator

from . import git
from .errors import HandoffError
from .leftovers import AddedLine
from .model import ChangedFile, Stash

MAX_LINES = 20_000
MAX_PATHS = 500
MAX_FILE_LINES = 5_000
STASH_MARK = "handoff "  # begins the note of a stash that `clean --stash` made, before the session
_HUNK = re.compile(rb"@@ -\S+ \+(\d+)")


def added_lines(
    at: git.Place, base: str | None, changed: tuple[ChangedFile, ...]
) -> tuple[AddedLine, ...]:
    """The lines added since `base`, committed or not, as far as they are a reader's size."""
    wanted: list[ChangedFile] = []
    total = 0
    for item in changed:
        count = item.added_lines or 0
        if 0 < count <= MAX_FILE_LINES and total + count <= MAX_LINES and len(wanted) < MAX_PATHS:
            wanted.append(item)
            total += count
    found: list[AddedLine] = []
    tracked = [item.path for item in wanted if item.change != "untracked"]
    if tracked and base:
        found += _from_diff(at, base, tracked)
    for item in wanted:
        if item.change == "untracked" or base is None:
            found += _from_file(at, item.path)
    return tuple(found)


def stashes(at: git.Place, session_id: str) -> tuple[Stash, ...]:
    """The stashes that `clean --stash` made for the session, newest first."""
    try:
        out = git.run(at.top, "stash", "list", "-z", "--format=%H%x09%gs")
    except HandoffError:
        return ()
    listed = [entry.partition("\t") for entry in git.split(out)]
    mine = f"{STASH_MARK}{session_id}"
    return tuple(Stash(commit, note) for commit, _, note in listed if note.endswith(mine))


def set_aside(at: git.Place, paths: tuple[str, ...], session_id: str) -> str:
    """Stash these files, untracked ones too; the note under which `stashes` finds them again."""
    note = f"{STASH_MARK}{session_id}"
    command = ["stash", "push", "--include-untracked", "--quiet", "--message", note]
    names = "\0".join(paths).encode("utf-8", "surrogateescape")
    from_input = ["--pathspec-from-file=-", "--pathspec-file-nul"]
    git.run(at.top, *command, *from_input, stdin=names, literal=True)
    return note


def branches(at: git.Place) -> tuple[str, ...]:
    """The names of all local branches."""
    return tuple(git.split(_branches(at, "%(refname:short)%00")))


def left_behind(at: git.Place, known: tuple[str, ...], current: str | None) -> tuple[str, ...]:
    """Branches that are new, not the current one, and neither pushed, merged nor noted."""
    listed = git.split(_branches(at, "%(refname:short)%00", "--no-merged=HEAD"))
    upstream = git.split(_branches(at, "%(if)%(upstream)%(then)%(refname:short)%00%(end)"))
    new = set(listed) - set(known) - set(upstream) - {current}
    return tuple(name for name in sorted(new) if not _noted(at, name))


def _branches(at: git.Place, form: str, *more: str) -> bytes:
    try:
        out = git.run(at.top, "for-each-ref", f"--format={form}", *more, "refs/heads")
    except HandoffError:
        return b""
    return out.replace(b"\n", b"")


def _noted(at: git.Place, name: str) -> bool:
    try:
        return bool(git.run(at.top, "config", "--get", f"branch.{name}.description").strip())
    except HandoffError:
        return False


def _from_diff(at: git.Place, base: str, paths: list[str]) -> Iterator[AddedLine]:
    named = [f":(literal,top){path}" for path in paths]
    out = git.run(at.top, "diff", "--unified=0", "--no-color", "--no-ext-diff", "--no-textconv",
                  "--no-prefix", base, "--", *named)  # fmt: skip
    path, number, header = "", 0, True
    for line in out.split(b"\n"):
        hunk = _HUNK.match(line)
        if line.startswith(b"diff --git "):
            header, path = True, ""
        elif header and line.startswith(b"+++ "):
            path = line[4:].rstrip(b"\t").decode("utf-8", "surrogateescape")
        elif hunk:
            header, number = False, int(hunk[1])
        elif not header and line.startswith(b"+") and path and not path.startswith('"'):
            yield AddedLine(path, number, line[1:].decode("utf-8", "replace"))
            number += 1


def _from_file(at: git.Place, path: str) -> Iterator[AddedLine]:
    try:
        with open(f"{at.top}/{path}", encoding="utf-8", errors="replace") as file:
            for number, line in enumerate(file, 1):
                yield AddedLine(path, number, line.rstrip("\n"))
    except OSError:
        return
