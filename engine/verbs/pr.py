"""Print the active packet as the body of a pull request."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from .. import git, paths, pullrequest, store
from ..errors import HandoffError
from . import show, topic

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from ..project import Project


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--output", metavar="FILE", help="write it there, inside the repository")
    parser.add_argument("--topic", metavar="NAME", help="the line of work (default: the current)")


def run(project: Project, options: Namespace) -> int:
    at = git.repository(project.root)
    value = show.packet(project, at, topic.current(project, options.topic), None)
    text = pullrequest.body(value)
    if options.output is None:
        sys.stdout.write(text)
        return 0
    target = _target(options.output, at)
    changed = store.write(target, text.encode("utf-8"), at.top)
    told = "written" if changed else "already there"
    print(f"pull-request body {told}: `{options.output}`", file=sys.stderr)
    return 0


def _target(given: str, at: git.Place) -> str:
    """The file's path. Raises: HandoffError where it is no file of the work tree."""
    target = paths.inside(os.path.abspath(given), at.top)
    inner = os.path.relpath(target, os.path.realpath(at.top)).split(os.sep)
    if inner[0].lower() == ".git" or os.path.isdir(target):
        raise HandoffError(f"`{given}` cannot be written", hint="name a file of the work tree")
    return target
