"""List the packets of this branch and topic, the newest first."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from .. import git, ledger, render, times
from . import topic

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from ..project import Project

_TIMES = ("started_at", "ended_at")


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--topic", metavar="NAME", help="the line of work (default: the current)")
    parser.add_argument(
        "-n", dest="most", type=int, default=20, metavar="N", help="at most so many"
    )
    parser.add_argument("--json", action="store_true", help="print it as JSON")


def run(project: Project, options: Namespace) -> int:
    at = git.repository(project.root)
    on = topic.current(project, options.topic)
    found = [_entry(value) for value in packets(at, on, max(1, options.most))]
    if options.json:
        print(json.dumps(found, indent=2))
    else:
        print("\n".join(map(_line, found)) or f"no packet on the topic {on} of this branch")
    return 0


def packets(at: git.Place, on: str, most: int) -> list[dict[str, Any]]:
    """The packets of this branch and topic, each with its status, the newest first: the active one
    with those that it superseded, then what was archived."""
    where = ledger.path(at.common_dir)
    ref = ledger.ref(git.branch(at.top), git.head(at.top), on)
    branch, part = ref.split("/")[3:5]
    archived = [
        _chain(ledger.packets(where, filed.ref, most), "archived")
        for filed in ledger.branches(where, "archived")
        if (filed.branch, filed.topic) == (branch, part)
    ]
    archived.sort(key=lambda chain: made_at(chain[0]) if chain else 0, reverse=True)
    active = _chain(ledger.packets(where, ref, most), "active")
    return [value for chain in (active, *archived) for value in chain][:most]


def made_at(value: dict[str, Any]) -> float:
    """Epoch seconds of the newest time in a packet; 0 where it has none."""
    said = [value["session"][key] for key in _TIMES]
    said += [run["started_at"] for run in value["commands_run"]]
    return max((times.epoch(one) or 0 for one in said if one), default=0)


def _chain(payloads: tuple[bytes, ...], first: str) -> list[dict[str, Any]]:
    """The packets of one ref; each after the first was superseded by the one before it."""
    found: list[dict[str, Any]] = []
    for payload in payloads:
        value = json.loads(payload)
        if not found:
            found.append(value if first == "active" else render.with_status(value, first, None))
        else:
            after = found[-1]["session"]["id"]
            found.append(render.with_status(value, "superseded", after))
    return found


def _entry(value: dict[str, Any]) -> dict[str, Any]:
    made = made_at(value)
    return {
        "when": times.iso(made) if made else None,
        "session": value["session"]["id"],
        "runtime": value["session"]["runtime"],
        "status": value["status"],
        "next_action": value["next_action"],
        "head_commit": value["head_commit"],
        "digest": value["digest"],
    }


def _line(entry: dict[str, Any]) -> str:
    who = f"{entry['session']} ({entry['runtime'] or 'no runtime'})"
    return f"{entry['when'] or 'time unknown'}  {entry['status']}  {who}: {entry['next_action']}"
