"""The door to other repositories: objects of the ledger through the user's own remotes.

git runs on the ledger with the configuration of the user's repository, for its remotes and logins;
in that repository nothing changes, and none of its hooks runs.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import NamedTuple

from . import ledger
from .git import Place
from .gitprocess import INHERITED, output

TIMEOUT_SECONDS = 600
AT_ONCE = 200  # refs in one command


class Move(NamedTuple):
    """A ref of the remote that is to move."""

    ref: str
    to: str  # a commit
    at: str  # what the remote has there; empty where nothing is


def listed(at: Place, remote: str, prefixes: Iterable[str]) -> dict[str, str]:
    """The commit of each ref that a remote has below these prefixes.

    Raises: HandoffError where it cannot be reached.
    """
    patterns = [f"{prefix}*" for prefix in prefixes]
    out = _git(at, "ls-remote", "--quiet", "--refs", "--", remote, *patterns).decode()
    rows = (line.split("\t", 1) for line in out.splitlines())
    return {ref: commit for commit, ref in rows}


def fetch(at: Place, remote: str, refs: Iterable[str]) -> None:
    """Bring what stands at a remote's refs into the ledger. Raises: HandoffError."""
    wanted = sorted(refs)
    for start in range(0, len(wanted), AT_ONCE):
        part = wanted[start : start + AT_ONCE]
        quiet = ("--quiet", "--no-tags", "--no-write-fetch-head", "--no-auto-maintenance")
        _git(at, "fetch", *quiet, "--no-recurse-submodules", "--", remote, *part)


def push(at: Place, remote: str, moves: Iterable[Move]) -> None:
    """Move a remote's refs, each only if it is where it was seen. Raises: HandoffError."""
    wanted = sorted(moves)
    for start in range(0, len(wanted), AT_ONCE):
        part = wanted[start : start + AT_ONCE]
        leases = [f"--force-with-lease={move.ref}:{move.at}" for move in part]
        specs = [f"{move.to}:{move.ref}" for move in part]
        quiet = ("--quiet", "--no-verify", "--no-recurse-submodules", "--no-signed")
        _git(at, "push", *quiet, *leases, "--", remote, *specs)


def _git(at: Place, verb: str, *args: str) -> bytes:
    """What git prints. It may ask for a login on the terminal."""
    where = f"--git-dir={ledger.path(at.common_dir)}"
    settings = (
        *("-c", f"include.path={os.path.join(at.common_dir, 'config')}"),
        *("-c", f"core.hooksPath={os.devnull}", "-c", "core.bare=true", "-c", "gc.auto=0"),
    )
    environment = {k: v for k, v in os.environ.items() if k not in INHERITED}
    command = ["git", "-C", at.top, where, *settings, verb, *args]
    return output(command, verb, {**environment, "LC_ALL": "C"}, TIMEOUT_SECONDS)
