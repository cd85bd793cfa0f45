"""The door to the ledger's conversations: each session's timeline as a commit on a ref of its own.

The tree of `refs/handoff/timeline/<branch>/<topic>/<session>` holds `session.json` and one chunk of
JSON lines for each checkpoint, added and never rewritten. It is not gated as packets are: what was
said is kept also where nothing can be handed over.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from . import bare, timeline
from . import ledger as book
from .errors import HandoffError
from .timeline import Talk

ATTEMPTS = 5
_FACTS = ("runtime", "native_id", "started_at", "ended_at")


def ref(branch: str | None, head: str | None, topic: str, session_id: str = "") -> str:
    """The ref of a session's timeline or, without one, the beginning of those of a conversation."""
    return f"{book.ref(branch, head, topic, 'timeline')}/{session_id}"


def keep(
    ledger: str,
    ref_name: str,
    talk: Talk,
    names: Iterable[str],
    chunk: Callable[[str], bytes | None],
    seconds: int,
) -> None:
    """Add the chunks of these names to a session's timeline at this time (epoch seconds). Doing it
    again changes nothing; `chunk` is asked for those alone that are not kept yet.

    Raises: HandoffError where the ledger cannot be used.
    """
    bare.ensure(ledger)
    facts = {"session": talk.session, **{key: getattr(talk, key) for key in _FACTS}}
    about = json.dumps(facts, sort_keys=True).encode()
    for attempt in range(ATTEMPTS):
        old = tips(ledger, ref_name).get(ref_name)
        kept = _trees(ledger, [old])[0] if old else {}
        new = {name: chunk(name) for name in names if name not in kept}
        data = {name: found for name, found in new.items() if found is not None}
        data["session.json"] = about
        files = {**kept, **{name: bare.blob(ledger, one) for name, one in data.items()}}
        if files == kept:
            return
        made = bare.made_commit(
            ledger, _tree(ledger, files), (), f"timeline of {talk.session}\n", seconds
        )
        try:
            bare.git(ledger, "update-ref", ref_name, made, old or "0" * len(made))
            return
        except HandoffError:
            if attempt == ATTEMPTS - 1:
                raise


def tips(ledger: str, prefix: str) -> dict[str, str]:
    """The commit of every session's timeline in a conversation, by ref."""
    if not os.path.isdir(ledger):
        return {}
    form = "--format=%(refname) %(objectname)"
    rows = bare.git(ledger, "for-each-ref", form, prefix).decode().splitlines()
    return dict(row.split() for row in rows)


def session_of(ref_name: str) -> str:
    return ref_name.rpartition("/")[2]


def read(ledger: str, commits: Iterable[str]) -> list[Talk]:
    """The sessions' parts of a conversation that these commits hold."""
    trees = _trees(ledger, commits)
    blobs = [blob for tree in trees for _, blob in sorted(tree.items())]
    data = iter(_objects(ledger, blobs))
    found = []
    for tree in trees:
        files = {name: next(data) for name in sorted(tree)}
        facts = _facts(files.pop("session.json", b""))
        entries = [entry for name in sorted(files) for entry in timeline.parse(files[name])]
        if facts is not None:
            found.append(Talk(entries=tuple(entries), **facts))
    return found


def relation(ledger: str, ours: str, theirs: str) -> str:
    """How a session's timeline at one commit stands to one from elsewhere: `same`, `ahead`,
    `behind`, or `apart` where each has what the other lacks."""
    if ours == theirs:
        return "same"
    mine, other = map(set, _trees(ledger, [ours, theirs]))
    if mine - other and other - mine:
        return "apart"
    if mine != other:
        return "ahead" if mine - other else "behind"
    times = bare.git(ledger, "log", "--no-walk=unsorted", "--format=%ct", ours, theirs).split()
    return "ahead" if (int(times[0]), ours) > (int(times[1]), theirs) else "behind"


def joined(ledger: str, ours: str, theirs: str, seconds: int) -> str:
    """A commit with the chunks of both; of what both have, ours stays."""
    mine, other = _trees(ledger, [ours, theirs])
    tree = _tree(ledger, {**other, **mine})
    return bare.made_commit(ledger, tree, (), "timeline\n", seconds)


def archive(ledger: str, prefix: str) -> int:
    """Put a conversation aside, so that nobody is told it any more; of how many sessions it was."""
    rows = tips(ledger, prefix).items()
    orders = [f"update {_past(name)} {commit}\ndelete {name} {commit}\n" for name, commit in rows]
    if orders:
        bare.git(ledger, "update-ref", "--stdin", stdin="".join(orders).encode())
    return len(rows)


def archived(ledger: str, prefix: str) -> set[str]:
    """The sessions of a conversation that was put aside."""
    return set(map(session_of, tips(ledger, _past(prefix))))


def _past(ref_name: str) -> str:
    return ref_name.replace("refs/handoff/timeline/", "refs/handoff/past/", 1)


def _facts(data: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(data)
        return {key: value[key] for key in ("session", *_FACTS)}
    except (ValueError, KeyError, TypeError):
        return None  # a ref that somebody else put there


def _tree(ledger: str, files: dict[str, str]) -> str:
    """Write a tree of these names and blobs; its id."""
    rows = "".join(f"100644 blob {blob}\t{name}\n" for name, blob in sorted(files.items()))
    return bare.git(ledger, "mktree", stdin=rows.encode()).decode().strip()


def _trees(ledger: str, commits: Iterable[str]) -> list[dict[str, str]]:
    """The files of each commit's tree: name and blob."""
    return [dict(_entries(data)) for data in _objects(ledger, [one + "^{tree}" for one in commits])]


def _entries(tree: bytes) -> Iterator[tuple[str, str]]:
    at = 0
    while at < len(tree):
        end = tree.index(b"\0", at)
        name = tree[at:end].partition(b" ")[2].decode("utf-8", "replace")
        yield name, tree[end + 1 : end + 21].hex()
        at = end + 21


def _objects(ledger: str, names: list[str]) -> list[bytes]:
    """The content of objects, read by one process."""
    if not names:
        return []
    wanted = "".join(f"{name}\n" for name in names).encode()
    out = bare.git(ledger, "cat-file", "--batch", stdin=wanted)
    found, at = [], 0
    for _ in names:
        end = out.index(b"\n", at)
        size = out[at:end].split()[-1]
        length = int(size) if size.isdigit() else 0  # else `missing`: a damaged ledger
        found.append(out[end + 1 : end + 1 + length])
        at = end + 1 + (length + 1 if size.isdigit() else 0)
    return found
