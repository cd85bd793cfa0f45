"""Share packets and conversations with other machines, through a git remote."""

from __future__ import annotations

import json
import re
import sys
import time
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote

from .. import bare, git, ledger, names, remotes, talks
from ..errors import HandoffError
from . import publish, validate

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from ..project import Project

# What others may see of a ledger: neither why a session was blocked here nor what was put aside.
_SHARED = ("active", "timeline")
_PART = "[A-Za-z0-9@%_+-]+"
_REF = re.compile(f"refs/handoff/(active|timeline)/({_PART})/({_PART})(?:/({_PART}))?")


class Row(NamedTuple):
    """What became of one ref."""

    ref: str
    outcome: str  # pushed, taken, joined, kept or refused
    why: str = ""


class Pair(NamedTuple):
    """A ref here and at the remote; commits, empty where there is none."""

    ref: str
    ours: str
    theirs: str
    relation: str  # of ours to theirs: ahead, behind, apart or unknown

    @property
    def is_talk(self) -> bool:
        return _is_talk(self.ref)


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("way", choices=("push", "pull"), help="to the remote, or from it")
    parser.add_argument(
        "remote", nargs="?", metavar="REMOTE", help="name or URL (default: the branch's own)"
    )
    parser.add_argument("--all", action="store_true", help="of all branches, not of this one alone")
    parser.add_argument("--dry-run", action="store_true", help="only say what would happen")
    parser.add_argument("--json", action="store_true", help="print it as JSON")


def run(project: Project, options: Namespace) -> int:
    at = git.repository(project.root)
    where = ledger.path(at.common_dir)
    remote = options.remote or _remote(at)
    bare.ensure(where)
    pairs = _pairs(at, where, remote, options.all)
    if options.way == "push":
        rows = _pushed(at, remote, pairs, options.dry_run)
    else:
        rows = [_pulled(project, where, pair, options.dry_run) for pair in pairs]
    told = [_told(row) for row in rows]
    print(json.dumps(told, indent=2) if options.json else "\n".join(map(_line, told)))
    if not rows:
        print(f"nothing is new between here and `{remote}`", file=sys.stderr)
    return 1 if any(row.outcome == "refused" for row in rows) else 0


def _remote(at: git.Place) -> str:
    """The remote of the branch, or the only one, or `origin`."""
    found = [name.decode() for name in git.run(at.top, "remote").splitlines()]
    key = f"branch.{git.branch(at.top)}.remote"
    own = git.run(at.top, "config", "--default", "", "--get", key).decode().strip()
    if own or len(found) == 1 or "origin" in found:
        return own or (found[0] if len(found) == 1 else "origin")
    raise HandoffError("no remote is known here", hint="name one: `handoff sync push REMOTE`")


def _pairs(at: git.Place, where: str, remote: str, every: bool) -> list[Pair]:
    """What differs between here and the remote, whose objects are in the ledger now."""
    branch, head = git.branch(at.top), git.head(at.top)
    own = [ledger.ref(branch, head, "", kind) for kind in _SHARED]
    ends = 3 if every else 4
    prefixes = ["/".join([*ref.split("/")[:ends], ""]) for ref in own]
    listed = remotes.listed(at, remote, prefixes)
    theirs = {ref: commit for ref, commit in listed.items() if _is_shared(ref)}
    ours = {ref: one for prefix in prefixes for ref, one in talks.tips(where, prefix).items()}
    new = [ref for ref, commit in theirs.items() if ours.get(ref) != commit]
    remotes.fetch(at, remote, new)
    return [
        Pair(ref, ours.get(ref, ""), theirs.get(ref, ""), _relation(where, ref, ours, theirs))
        for ref in sorted({*ours, *theirs})
        if ours.get(ref) != theirs.get(ref) and _is_shared(ref)
    ]


def _is_shared(ref: str) -> bool:
    found = _REF.fullmatch(ref)
    return found is not None and (found[1] == "timeline") == (found[4] is not None)


def _is_talk(ref: str) -> bool:
    return ref.startswith("refs/handoff/timeline/")


def _relation(where: str, ref: str, ours: dict[str, str], theirs: dict[str, str]) -> str:
    if ref not in theirs or ref not in ours:
        return "ahead" if ref in ours else "behind"
    relation = talks.relation if _is_talk(ref) else ledger.relation
    try:
        return relation(where, ours[ref], theirs[ref])
    except (HandoffError, ValueError):
        return "unknown"


def _pushed(at: git.Place, remote: str, pairs: list[Pair], only_say: bool) -> list[Row]:
    moves = [
        remotes.Move(one.ref, one.ours, one.theirs) for one in pairs if one.relation == "ahead"
    ]
    if not only_say:
        remotes.push(at, remote, moves)
    return [
        Row(one.ref, "pushed")
        if one.relation == "ahead"
        else Row(one.ref, "refused", "what is there is not here yet: pull first")
        for one in pairs
        if one.ours
    ]


def _pulled(project: Project, where: str, pair: Pair, only_say: bool) -> Row:
    """Take one ref of the remote, or join it with ours."""
    if pair.relation == "ahead":
        return Row(pair.ref, "kept", "ours is newer")
    prefix, _, session = pair.ref.rpartition("/")
    if pair.is_talk and session in talks.archived(where, f"{prefix}/"):
        return Row(pair.ref, "kept", "it was put aside here")
    wrong = "it cannot be read" if pair.relation == "unknown" else ""
    if not pair.is_talk and not wrong:
        wrong = _problem(project, where, pair)
    if wrong:
        return Row(pair.ref, "refused", wrong)
    outcome = "taken" if pair.relation == "behind" else "joined"
    if not only_say:
        with project.exclusive():
            new = pair.theirs
            if outcome == "joined" and pair.is_talk:
                new = talks.joined(where, pair.ours, pair.theirs, int(time.time()))
            elif outcome == "joined":
                new = ledger.joined(where, pair.ours, pair.theirs)
            bare.git(where, "update-ref", pair.ref, new, pair.ours or "0" * len(new))
            if not pair.is_talk:
                before = _packet(where, pair.ours) if pair.ours else None
                publish.adopt(project, _packet(where, new), before)
    return Row(pair.ref, outcome)


def _problem(project: Project, where: str, pair: Pair) -> str:
    """Why a packet from elsewhere is not taken, if it is not."""
    rules = project.json(validate.SCHEMA)
    for commit in ledger.new(where, pair.theirs, pair.ours):  # with those that it supersedes
        value = _packet(where, commit)
        found = validate.problems(value, rules)
        if found:
            return f"it is no packet of this version: {found[0]}"
        if not pair.ref.endswith(f"/{names.ref_part(value['task']['topic'])}"):
            return "it is of another topic"
    return ""


def _packet(where: str, commit: str) -> Any:
    """What stands as a packet there; None where nothing does that could be one."""
    try:
        return json.loads(bare.git(where, "cat-file", "blob", f"{commit}:handoff.json"))
    except (HandoffError, ValueError, RecursionError):
        return None


def _told(row: Row) -> dict[str, Any]:
    found = _REF.fullmatch(row.ref)
    kind, branch, topic, session = found.groups() if found else ("", "", "", None)
    return {
        "kind": "packet" if kind == "active" else "conversation",
        "branch": unquote(branch),
        "topic": unquote(topic),
        "session": session,
        **row._asdict(),
    }


def _line(told: dict[str, Any]) -> str:
    of = f", session {told['session']}" if told["session"] else ""
    why = f": {told['why']}" if told["why"] else ""
    return f"{told['outcome']}: {told['kind']} of `{told['branch']}`, {told['topic']}{of}{why}"
