"""Archive the active packet of this branch and topic, or those of branches that are gone."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any, Callable

from .. import git, ledger, names, render, talks
from ..errors import HandoffError
from . import topic

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from ..project import Project

_MOVED = "the active packet moved meanwhile"


def arguments(parser: ArgumentParser) -> None:
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "--topic", metavar="NAME", help="the line of work (default: the current one)"
    )
    which.add_argument("--gone", action="store_true", help="of every branch that is no more")
    parser.add_argument("--dry-run", action="store_true", help="only say what would be archived")


def run(project: Project, options: Namespace) -> int:
    at = git.repository(project.root)
    where = ledger.path(at.common_dir)
    is_meant = _gone(at) if options.gone else _of(at, topic.current(project, options.topic))
    packets = [one for one in ledger.branches(where) if is_meant(one)]
    blocked = [one for one in ledger.branches(where, "blocked") if is_meant(one)]
    would = "would be " if options.dry_run else ""
    for one in packets:
        value = _value(where, one) if options.dry_run else archived(project, where, one)
        told = f"{value['session']['id']} of `{value['branch']}`, {value['task']['topic']}"
        print(f"{would}archived: {told}")
    for one in blocked:  # nobody is to mend it any more
        value = _value(where, one)
        if not options.dry_run:
            ledger.drop(where, one.ref)
        print(f"{would}forgotten: why {value['session']['id']} of `{value['branch']}` was blocked")
    for prefix in sorted({f"{_talk(one)}/" for one in (*packets, *blocked)}):
        aside = talks.archive(where, prefix) if not options.dry_run else 0
        if aside:
            print(f"put aside: the conversation, {aside} session{'s' if aside > 1 else ''}")
    if not packets and not blocked:
        print("nothing to archive", file=sys.stderr)
    return 0


def archived(project: Project, where: str, filed: ledger.Filed) -> dict[str, Any]:
    """Archive an active packet; its value. Raises: HandoffError where it moved meanwhile."""
    value = _value(where, filed)
    if not ledger.archive(where, filed):
        raise HandoffError(_MOVED, hint="archive again")
    _mark(project, value)
    return value


def _value(where: str, filed: ledger.Filed) -> dict[str, Any]:
    tip = ledger.tip(where, filed.ref)
    if tip is None:
        raise HandoffError(_MOVED, hint="archive again")
    value: dict[str, Any] = json.loads(tip.payload)
    return value


def _talk(filed: ledger.Filed) -> str:
    """Where the conversation beside a packet or a blocked record is kept."""
    return f"refs/handoff/timeline/{filed.branch}/{filed.topic}"


def _of(at: git.Place, on: str) -> Callable[[ledger.Filed], bool]:
    """Whether something is filed under this branch and a topic."""
    ref = ledger.ref(git.branch(at.top), git.head(at.top), on)
    return lambda one: one.ref in (ref, ledger.beside(ref, "blocked"))


def _gone(at: git.Place) -> Callable[[ledger.Filed], bool]:
    """Whether something is filed under a branch that no longer exists.

    What was made on a detached HEAD belongs to no branch that could be gone.
    """
    there = {names.ref_part(name) for name in _branches(at)}
    return lambda one: one.branch not in there and not one.branch.startswith("@")


def _mark(project: Project, value: dict[str, Any]) -> None:
    """The packet's files say that it is archived, where they still are that packet's."""
    name = f"{project.outputs(names.known_folder(value['session']['id']))}/handoff"
    if project.read(f"{name}.json") == render.text(value):
        archived = render.with_status(value, "archived", None)
        project.write(f"{name}.json", render.text(archived))
        project.write(f"{name}.md", render.markdown(archived).encode())


def _branches(at: git.Place) -> set[str]:
    """The branches there are, those of every work tree before their first commit among them."""
    listed = git.run(at.top, "for-each-ref", "--format=%(refname)", "refs/heads/")
    trees = git.run(at.top, "worktree", "list", "--porcelain").splitlines()
    lines = [*listed.splitlines(), *(line[7:] for line in trees if line.startswith(b"branch "))]
    refs = [line.decode("utf-8", "surrogateescape") for line in lines]
    bare = {ref[len("refs/heads/") :] for ref in refs}
    # Where a tag has the branch's name, git's short name of it is `heads/…`.
    return bare | {f"heads/{name}" for name in bare}
