"""Show a packet: the active one, or that of a session."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from .. import context, git, names, render
from ..errors import HandoffError
from . import log, topic

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from ..project import Project

MAX_SEARCHED = 1_000  # packets, for one of a session


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--session", metavar="ID", help="the session (default: the active packet)")
    parser.add_argument(
        "--topic", metavar="NAME", help="the line of work (default: the current one)"
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print `handoff.json`")
    form.add_argument("--md", action="store_true", help="print `handoff.md` (default)")
    form.add_argument("--context", action="store_true", help="print what a new session receives")


def run(project: Project, options: Namespace) -> int:
    at = git.repository(project.root)
    on = topic.current(project, options.topic)
    value = packet(project, at, on, options.session)
    if options.json:
        sys.stdout.write(render.text(value).decode())
    elif options.context:
        from . import start

        branch, head = git.branch(at.top), git.head(at.top)
        blocked = start.filed(at, on, branch, head, "blocked")
        print(start.packet_writer(project, at, value, blocked, branch, head)(context.MAX_BYTES))
    else:
        sys.stdout.write(render.markdown(value))
    return 0


def packet(project: Project, at: git.Place, on: str, session_id: str | None) -> dict[str, Any]:
    """The value of the active packet of this branch and the topic `on`, or of a session's packet.

    Raises: HandoffError where there is none.
    """
    for value in log.packets(at, on, MAX_SEARCHED if session_id else 1):
        own = value["session"]["id"]
        wanted = own in (session_id, names.folder(session_id or ""))
        if wanted if session_id else value["status"] == "active":
            return value
    if session_id is not None:
        raise HandoffError(
            f"session `{session_id}` has no packet here", hint="see `handoff status`"
        )
    raise HandoffError(
        "this branch has no active packet",
        hint="work a turn in an agent with hooks installed, or run `handoff generate`",
    )
