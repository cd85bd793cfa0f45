"""The door to the ledger: packets as commits on refs of a bare repository of our own.

A ref `refs/handoff/active/<branch>/<topic>` is the one active packet of that branch and topic;
the parent of its commit is the packet it supersedes.
"""

from __future__ import annotations

import os
from typing import NamedTuple

from . import bare, names
from .errors import HandoffError

PUBLISH_ATTEMPTS = 5


class Tip(NamedTuple):
    """The packet at a ref."""

    commit: str
    parents: tuple[str, ...]
    payload: bytes  # its `handoff.json`


def path(common_dir: str) -> str:
    return os.path.join(common_dir, "handoff", "ledger.git")


def ref(branch: str | None, head: str | None, topic: str, kind: str = "active") -> str:
    """The ref of a branch and topic; a detached HEAD has one for each commit."""
    part = names.ref_part(branch) if branch else f"@{head or 'unborn'}"
    return f"refs/handoff/{kind}/{part}/{names.ref_part(topic)}"


def beside(ref_name: str, kind: str) -> str:
    """The ref of another kind for the same branch and topic."""
    return ref_name.replace("refs/handoff/active/", f"refs/handoff/{kind}/", 1)


def drop(ledger: str, ref_name: str) -> bool:
    """Take a ref away; whether there was one."""
    there = tip(ledger, ref_name) is not None
    if there:
        bare.git(ledger, "update-ref", "-d", ref_name)
    return there


def tip(ledger: str, ref_name: str) -> Tip | None:
    """The packet at the ref, or None where there is none."""
    if not os.path.isdir(ledger):
        return None
    listed = bare.git(ledger, "for-each-ref", "--format=%(objectname) %(parent)", ref_name)
    words = listed.decode().split()
    if not words:
        return None
    payload = bare.git(ledger, "cat-file", "blob", f"{words[0]}:handoff.json")
    return Tip(words[0], tuple(words[1:]), payload)


class Filed(NamedTuple):
    """A ref and what it stands for; branch and topic as a ref spells them."""

    ref: str
    branch: str
    topic: str
    commit: str


def branches(ledger: str, kind: str = "active") -> tuple[Filed, ...]:
    """Every branch and topic that has a packet of this kind."""
    if not os.path.isdir(ledger):
        return ()
    form = "--format=%(objectname) %(refname)"
    listed = bare.git(ledger, "for-each-ref", form, f"refs/handoff/{kind}/").decode().splitlines()
    found = []
    for line in listed:
        commit, _, name = line.partition(" ")
        parts = name.split("/")
        if len(parts) >= 5:
            found.append(Filed(name, parts[3], parts[4], commit))
    return tuple(found)


def archive(ledger: str, filed: Filed) -> bool:
    """Move an active packet among the archived ones; False where the ref moved meanwhile."""
    target = f"refs/handoff/archived/{filed.branch}/{filed.topic}/{filed.commit}"
    orders = f"update {target} {filed.commit}\ndelete {filed.ref} {filed.commit}\n"
    try:
        bare.git(ledger, "update-ref", "--stdin", stdin=orders.encode())
    except HandoffError:
        now = tip(ledger, filed.ref)
        if now is not None and now.commit == filed.commit:
            raise  # not a race: say what is wrong
        return False
    return True


def publish(
    ledger: str,
    ref_name: str,
    files: dict[str, bytes],
    session_id: str,
    seconds: int,
    old: Tip | None,
) -> str | None:
    """Make `files` the packet at the ref, if the ref still is at `old`; None where it moved.

    The session that owns the old tip amends it: it takes the tip's place and keeps its parents.
    `seconds` (epoch) dates the commit, so that the same packet is the same commit.
    """
    bare.ensure(ledger)
    tree = _tree(ledger, files)
    parents: tuple[str, ...] = ()
    if old is not None:
        own = _about(ledger, old.commit).owner == session_id
        parents = old.parents if own else (old.commit,)
    commit = bare.made_commit(ledger, tree, parents, _message(session_id), seconds)
    if old is not None and commit == old.commit:
        return commit
    before = old.commit if old else "0" * len(commit)
    try:
        bare.git(ledger, "update-ref", ref_name, commit, before)
    except HandoffError:
        now = tip(ledger, ref_name)
        if (now.commit if now else None) == (old.commit if old else None):
            raise  # not a race: say what is wrong
        return None
    return commit


def packets(ledger: str, ref_name: str, most: int = 50) -> tuple[bytes, ...]:
    """The packets of a ref, the active one first, then each one that it superseded."""
    if tip(ledger, ref_name) is None:
        return ()
    commits = bare.git(ledger, "rev-list", "--first-parent", f"--max-count={most}", ref_name)
    hashes = commits.decode().split()
    return tuple(bare.git(ledger, "cat-file", "blob", f"{one}:handoff.json") for one in hashes)


def relation(ledger: str, ours: str, theirs: str) -> str:
    """How the packet at one commit stands to one from elsewhere: `same`, `ahead`, `behind`, or
    `apart` where neither supersedes the other."""
    if ours == theirs:
        return "same"
    if _supersedes(ledger, ours, theirs):
        return "ahead"
    if _supersedes(ledger, theirs, ours):
        return "behind"
    mine, other = _about(ledger, ours), _about(ledger, theirs)
    if (mine.owner, mine.parents) != (other.owner, other.parents):
        return "apart"
    return "ahead" if (mine.seconds, ours) > (other.seconds, theirs) else "behind"  # amended


def joined(ledger: str, ours: str, theirs: str) -> str:
    """A commit in which the newer of two packets that are apart supersedes the older; whoever
    joins the two makes the same one."""
    known = {one: _about(ledger, one) for one in (ours, theirs)}
    older, newer = sorted(known, key=lambda one: (known[one].seconds, one))
    about, message = known[newer], _message(known[newer].owner)
    return bare.made_commit(ledger, about.tree, (older, newer), message, about.seconds)


class _Commit(NamedTuple):
    tree: str
    seconds: int  # epoch
    parents: tuple[str, ...]
    owner: str  # the session


def _message(session_id: str) -> str:
    return f"packet\n\nsession: {session_id}\n"


def _about(ledger: str, commit: str) -> _Commit:
    out = bare.git(ledger, "log", "-1", "--format=%T %ct %P%n%B", commit).decode()
    tree, seconds, *parents = out.partition("\n")[0].split()
    return _Commit(tree, int(seconds), tuple(parents), out.partition("session: ")[2].strip())


def new(ledger: str, theirs: str, ours: str, most: int = 200) -> list[str]:
    """The commits of packets from elsewhere that are not among ours, the newest first."""
    known = [f"^{ours}"] if ours else []
    chain = ("rev-list", "--first-parent", f"--max-count={most}")
    return bare.git(ledger, *chain, theirs, *known).decode().split()


def _supersedes(ledger: str, commit: str, other: str) -> bool:
    return not bare.git(ledger, "rev-list", "--max-count=1", other, f"^{commit}")


def _tree(ledger: str, files: dict[str, bytes]) -> str:
    """A tree of files; one folder level, `evidence/…`, is enough."""
    folders: dict[str, dict[str, bytes]] = {}
    lines = []
    for name, data in sorted(files.items()):
        folder, _, leaf = name.rpartition("/")
        if folder:
            folders.setdefault(folder, {})[leaf] = data
        else:
            lines.append(f"100644 blob {bare.blob(ledger, data)}\t{name}")
    lines += [f"040000 tree {_tree(ledger, inner)}\t{name}" for name, inner in folders.items()]
    return (
        bare.git(ledger, "mktree", stdin="".join(f"{line}\n" for line in lines).encode())
        .decode()
        .strip()
    )
