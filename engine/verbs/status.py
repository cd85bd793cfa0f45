"""Tell where things stand: the active packet, the sessions on record, what was blocked."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from .. import git, layout, ledger, logs
from ..times import iso
from . import checkpoint, topic

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from ..project import Project
    from ..session import Session

SHOWN_SESSIONS = 10


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--topic", metavar="NAME", help="the line of work (default: the current one)"
    )
    parser.add_argument("--json", action="store_true", help="print it as JSON")


def run(project: Project, options: Namespace) -> int:
    value = status(project, topic.current(project, options.topic))
    print(json.dumps(value, indent=2) if options.json else "\n".join(_lines(value)))
    return 0


def status(project: Project, on: str) -> dict[str, Any]:
    at = git.place(project.root)
    active = None
    if at is not None:
        ref = ledger.ref(git.branch(at.top), git.head(at.top), on)
        tip = ledger.tip(ledger.path(at.common_dir), ref)
        active = json.loads(tip.payload) if tip else None
    known = project.sessions()
    error = logs.tail(project.path(f"{layout.STATE_FOLDER}/hook.log"), 2_000)
    return {
        "branch": git.branch(at.top) if at else None,
        "topic": on,
        "git": at is not None,
        "active": _short(project, active) if active else None,
        # When each runtime was heard of last; the newest session comes last.
        "last_event_at": {one.runtime: iso(one.last_event_at or one.started_at) for one in known},
        "sessions": [_session(project, one) for one in known[-SHOWN_SESSIONS:]],
        "last_hook_error": error.decode("utf-8", "replace").strip().split("\n")[-1] or None,
    }


def _short(project: Project, value: dict[str, Any]) -> dict[str, Any]:
    folder = project.outputs(value["session"]["id"])
    keys = ("next_action", "next_action_source", "head_commit", "supersedes", "digest")
    return {
        "session": value["session"],
        "path": f"{folder}/handoff.json",
        **{key: value[key] for key in keys},
        "open_risks": len(value["open_risks"]),
        "unresolved": sum(not one["resolved_by"] for one in value["failed_attempts"]),
    }


def _session(project: Project, one: Session) -> dict[str, Any]:
    folder = project.outputs(one.id)
    return {
        "id": one.id,
        "runtime": one.runtime,
        "started_at": iso(one.started_at),
        "ended_at": iso(one.ended_at),
        "turns": one.turns,
        "busy": one.busy,
        "blocked": project.read(f"{folder}/blocked.json") is not None,
        "packet": project.read(f"{folder}/handoff.json") is not None,
        # There is more of it than its packet has: it is at work, or nobody reported its end.
        "unread": checkpoint.has_unread(one),
    }


def _lines(value: dict[str, Any]) -> list[str]:
    if not value["git"]:
        return ["no git repository: handoff has nothing to derive a packet from"]
    active = value["active"]
    lines = [f"branch {value['branch']}, topic {value['topic']}"]
    if active is None:
        lines.append("no active packet")
    else:
        lines.append(f"active packet {active['path']} ({active['session']['runtime']})")
        lines.append(f"  next action: {active['next_action']}")
        lines.append(
            f"  {active['open_risks']} open risks, {active['unresolved']} unresolved failures"
        )
    for one in value["sessions"]:
        what = "blocked" if one["blocked"] else "packet" if one["packet"] else "no packet"
        ended = one["ended_at"] or ("in a turn" if one["busy"] else "open")
        more = (
            ", more was done since: the next session to start takes it up" if one["unread"] else ""
        )
        lines.append(
            f"session {one['id']} ({one['runtime']}): {what}, {one['turns']} turns, {ended}{more}"
        )
    if value["last_hook_error"]:
        lines.append(f"last hook error: {value['last_hook_error']}")
    return lines
