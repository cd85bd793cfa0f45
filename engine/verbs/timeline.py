"""Show the conversation of this branch and topic, across agents and sessions."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from .. import git, registry
from .. import timeline as talk
from ..errors import HandoffError
from ..times import iso
from . import checkpoint, conversation, log, topic

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from ..project import Project
    from ..timeline import Entry, Talk

MAX_PACKETS = 200
_OF_PACKETS = (
    "next_action", "summary", "changed_files", "open_risks", "failed_attempts", "context_usage",
)  # fmt: skip


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--topic", metavar="NAME", help="the line of work (default: the current)")
    parser.add_argument(
        "-n", dest="most", type=int, metavar="N", help="only the newest N entries (default: all)"
    )
    parser.add_argument("--json", action="store_true", help="print it as JSON")


def run(project: Project, options: Namespace) -> int:
    at = git.repository(project.root)
    on = topic.current(project, options.topic)
    for one in project.sessions():  # what was said since the last end of a turn
        if one.topic == on and checkpoint.has_unread(one):
            checkpoint.caught_up(project, one)
    value = timeline(project, at, on, options.most)
    print(json.dumps(value, indent=2) if options.json else "\n".join(_lines(value)))
    return 0


def timeline(project: Project, at: git.Place, on: str, most: int | None = None) -> dict[str, Any]:
    """The conversation as a JSON value; with `most`, as many of its newest entries."""
    talks = conversation.of(project, at, on)
    rows = talk.in_order(talks)
    kept = rows if most is None else rows[-most:] if most > 0 else []
    return {
        "branch": git.branch(at.top),
        "topic": on,
        "sessions": [_session(project, one) for one in sorted(talks, key=_started)],
        "entries": [_entry(one, entry) for one, entry in kept],
        "packets": [_packet(value) for value in reversed(log.packets(at, on, MAX_PACKETS))],
        "truncated": {"entries": {"kept": len(kept), "total": len(rows)}},
    }


def _started(one: Talk) -> float:
    return one.started_at or 0.0


def _session(project: Project, one: Talk) -> dict[str, Any]:
    known = project.load_session(one.session)
    replies = [entry for entry in one.entries if entry.kind == talk.REPLY and entry.model]
    return {
        "id": one.session,
        "runtime": one.runtime,
        "native_id": one.native_id,
        "model": replies[-1].model if replies else None,
        "folder": (known.folder if known else None) or project.root,
        "resume_command": _resume_command(one),
        "started_at": iso(one.started_at),
        "ended_at": iso(one.ended_at),
        "turns": sum(entry.kind == talk.PROMPT for entry in one.entries),
    }


def _resume_command(one: Talk) -> str:
    try:
        return registry.launch(one.runtime).resume_command(one.native_id)
    except HandoffError:
        return ""


def _entry(one: Talk, entry: Entry) -> dict[str, Any]:
    who = {"session": one.session, "runtime": one.runtime}
    return {**entry._asdict(), "at": iso(entry.at), **who}


def _packet(value: dict[str, Any]) -> dict[str, Any]:
    made = log.made_at(value)
    return {
        "session": value["session"]["id"],
        "runtime": value["session"]["runtime"],
        "status": value["status"],
        "made_at": iso(made) if made else None,
        "supersedes": value["supersedes"],
        **{key: value[key] for key in _OF_PACKETS},
    }


def _lines(value: dict[str, Any]) -> list[str]:
    total, kept = value["truncated"]["entries"]["total"], value["truncated"]["entries"]["kept"]
    lines = [f"branch {value['branch']}, topic {value['topic']}: {total} entries"]
    for one in value["sessions"]:
        lines.append(
            f"session {one['id']} ({one['runtime']}), {one['turns']} turns: {one['resume_command']}"
        )
    if kept < total:
        lines.append(f"[{total - kept} earlier entries: leave out `-n`]")
    for entry in value["entries"]:
        lines += ["", *_told(entry)]
    return lines


def _told(entry: dict[str, Any]) -> list[str]:
    when = entry["at"] or "time unknown"
    if entry["kind"] == talk.TOOL:
        failed = f": {entry['error']}" if entry["error"] else ""
        return [f"{when}  {entry['runtime']} used {entry['text']}{failed}"]
    if entry["kind"] == talk.COMMAND:
        code = "unknown" if entry["exit_code"] is None else entry["exit_code"]
        by = f", {entry['by']}" if entry["by"] else ""
        head = f"{when}  {entry['runtime']}{by} ran, exit code {code}:"
        shown = [f"  $ {line}" for line in entry["text"].splitlines()]
        return [head, *shown, *(f"    {line}" for line in entry["output"].splitlines()[-10:])]
    model = f" ({entry['model']})" if entry["model"] else ""
    who = "human" if entry["kind"] == talk.PROMPT else f"{entry['runtime']}{model}"
    to = f" to {entry['runtime']}" if entry["kind"] == talk.PROMPT else ""
    text = [f"  {line}" for line in entry["text"].splitlines()]
    cut = [f"  [{entry['cut_chars']} more characters]"] if entry["cut_chars"] else []
    return [f"{when}  {who}{to}:", *text, *cut]
