"""Derive the packet of a session from what happened, and make it the active one."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from .. import render
from . import topic
from .publish import publish, told

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from ..project import Project


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--session", metavar="ID", help="the session (default: the newest one)")
    parser.add_argument("--topic", metavar="NAME", help="file it under this line of work")
    parser.add_argument("--json", action="store_true", help="print the packet instead of a summary")


def run(project: Project, options: Namespace) -> int:
    from . import checkpoint

    current = project.current_session(options.session)
    if options.topic is not None or options.session is None:
        current = current._replace(topic=topic.current(project, options.topic))
    current = checkpoint.caught_up(project, current)
    outcome = publish(project, current)
    if options.json:
        sys.stdout.write(render.text(outcome.value).decode())
    else:
        print("\n".join(told(outcome)), file=sys.stderr)
        print(outcome.path)
    return 3 if "blocked" in outcome.value else 0
