"""Archive the active packet of this branch and topic, or those of branches that are gone."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

from .. import git, ledger, names, render
from ..errors import HandoffError
from . import topic

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from ..project import Project


def arguments(parser: ArgumentParser) -> None:
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "--topic", metavar="NAME", help="the line of work (default: the current one)"
    )
    which.add_argument("--gone", action="store_true", help="of every branch that is no more")


def run(project: Project, options: Namespace) -> int:
    at = git.repository(project.root)
    if options.gone:
        done = gone(project, at)
        if not done:
            print("no packet of a branch that is gone", file=sys.stderr)
    else:
        on = topic.current(project, options.topic)
        ref = ledger.ref(git.branch(at.top), git.head(at.top), on)
        here = [one for one in ledger.branches(ledger.path(at.common_dir)) if one.ref == ref]
        if not here and ledger.drop(ledger.path(at.common_dir), ledger.beside(ref, "blocked")):
            print("no active packet; nobody is told of the blocked record any more")
        elif not here:
            print(f"no active packet on the topic `{on}`: nothing to archive", file=sys.stderr)
        done = [_archived(project, at, one) for one in here]
    for value in done:
        print(f"archived {value['session']['id']} of `{value['branch']}`, {value['task']['topic']}")
    return 0


def gone(project: Project, at: git.Place) -> list[dict[str, Any]]:
    """Archive the active packets of branches that no longer exist; their values.

    A packet made on a detached HEAD stays: it belongs to no branch that could be gone.
    """
    there = {names.ref_part(name) for name in _branches(at)}
    active = ledger.branches(ledger.path(at.common_dir))
    for one in ledger.branches(ledger.path(at.common_dir), "blocked"):
        if one.branch not in there and not one.branch.startswith("@"):
            ledger.drop(ledger.path(at.common_dir), one.ref)
    lost = [one for one in active if one.branch not in there and not one.branch.startswith("@")]
    return [_archived(project, at, one) for one in lost]


def _archived(project: Project, at: git.Place, filed: ledger.Filed) -> dict[str, Any]:
    where = ledger.path(at.common_dir)
    tip = ledger.tip(where, filed.ref)
    if tip is None or not ledger.archive(where, filed):
        raise HandoffError("the active packet moved meanwhile", hint="archive again")
    ledger.drop(where, ledger.beside(filed.ref, "blocked"))  # nobody is to mend it any more
    value: dict[str, Any] = json.loads(tip.payload)
    _mark(project, value)
    return value


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
