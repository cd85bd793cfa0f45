"""Derive the packet of a session from what happened, and make it the active one."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import git, ledger, names, packet, render, session, store
from ..errors import HandoffError
from . import snapshot

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from ..model import Snapshot
    from ..project import Project
    from ..session import Session

MANUAL = "manual"


class Outcome(NamedTuple):
    folder: str  # where its files are, from the project's root
    value: dict[str, Any]  # the packet's, or the blocked record's
    written: bool  # False for a session in which nothing happened


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--session", metavar="ID", help="the session (default: the newest one)")
    parser.add_argument("--json", action="store_true", help="print the packet instead of a summary")


def run(project: Project, options: Namespace) -> int:
    from . import checkpoint

    current = _session(project, options.session)
    if current.runtime:
        with project.exclusive():
            current = checkpoint.swept(project, current)
            project.save_session(current)
    outcome = publish(project, current)
    if options.json:
        sys.stdout.write(render.text(outcome.value).decode())
    elif "blocked" in outcome.value:
        for reason in outcome.value["blocked"]:
            print(f"blocked: {reason['code']}: {reason['detail']}", file=sys.stderr)
        print("  say it with `next_action` in the state file, then generate again", file=sys.stderr)
        print(f"{outcome.folder}/blocked.json")
    else:
        print(f"next action: {outcome.value['next_action']}", file=sys.stderr)
        print(f"{outcome.folder}/handoff.json")
    return 3 if "blocked" in outcome.value else 0


def publish(project: Project, current: Session, unless_empty: bool = False) -> Outcome:
    """Write the session's packet and make it active, or write why it is blocked.

    With `unless_empty` a session in which nothing happened leaves the active packet alone, and
    one in which nothing was said either leaves no trace.
    """
    at = git.place(project.root)
    if at is None:
        raise HandoffError("this is no git repository", hint="run `git init` first")
    where = ledger.path(at.common_dir)
    for _ in range(ledger.PUBLISH_ATTEMPTS):
        branch, head = _head(project, at)
        ref = ledger.ref(branch, head, current.topic)
        old = ledger.tip(where, ref)
        before = json.loads(old.payload) if old else None
        taken = snapshot.take(project, at, current, before)
        folder = project.outputs(current.id)
        others = before is not None and before["session"]["id"] != current.id
        empty = unless_empty and _empty(project, taken)
        if empty and before and others:
            return Outcome(folder, before, False)
        made = packet.generate(taken)
        reasons = packet.refusals(made)
        if reasons:
            value = render.blocked_payload(made, reasons)
            if empty and not (current.goal or current.statement):
                return Outcome(folder, value, False)  # it was opened and closed
            _write(project, folder, "blocked", value)
            return Outcome(folder, value, True)
        value = render.payload(made)
        files = {**_files("handoff", value), **_evidence(project, taken)}
        if ledger.publish(where, ref, files, current.id, _made_at(current), old) is not None:
            _write(project, folder, "handoff", value)
            _mark_superseded(project, before, current.id)
            return Outcome(folder, value, True)
    raise HandoffError("other sessions kept moving the active packet", hint="generate again")


def _session(project: Project, wanted: str | None) -> Session:
    """The session asked for, the newest one, or none at all: the repository alone tells then."""
    if wanted is not None:
        found = project.load_session(names.folder(wanted)) or project.load_session(wanted)
        if found is None:
            raise HandoffError(f"no session `{wanted}` is on record", hint="see `handoff status`")
        return found
    known = project.sessions()
    return known[-1] if known else session.Session(id=MANUAL, runtime="", native_id="")


def _head(project: Project, at: git.Place) -> tuple[str | None, str | None]:
    return git.branch(at.top), git.head(at.top)


def _empty(project: Project, taken: Snapshot) -> bool:
    """Whether nothing happened: no command, plan or commit, and the work tree is as it was."""
    current = taken.session
    return (
        not taken.feedback
        and not current.plan
        and not taken.git.commits
        and current.start_state in (None, snapshot.fingerprint(project, taken.git))
    )


def _files(name: str, value: dict[str, Any]) -> dict[str, bytes]:
    return {f"{name}.json": render.text(value), f"{name}.md": render.markdown(value).encode()}


def _evidence(project: Project, taken: Snapshot) -> dict[str, bytes]:
    bench = taken.workbench
    reports = {"verification": bench.verification, "review": bench.review}
    found = {kind: project.read(report.path) for kind, report in reports.items() if report}
    return {f"evidence/{kind}.json": data for kind, data in found.items() if data is not None}


def _write(project: Project, folder: str, name: str, value: dict[str, Any]) -> None:
    store.hide(project.path(project.config.artifacts["outputs"]), project.root)
    for file, data in _files(name, value).items():
        project.write(f"{folder}/{file}", data)
    if name == "handoff":
        for file in ("blocked.json", "blocked.md"):
            store.remove(project.path(f"{folder}/{file}"), project.root)


def _mark_superseded(project: Project, before: dict[str, Any] | None, session_id: str) -> None:
    """The files of the packet before say that it is superseded; the ledger keeps it as it was."""
    if before is None or before["session"]["id"] == session_id:
        return
    folder = project.outputs(names.known_folder(before["session"]["id"]))
    if project.read(f"{folder}/handoff.json") is not None:
        _write(project, folder, "handoff", render.with_status(before, "superseded", session_id))


def _made_at(current: Session) -> int:
    """The time of the session's last event, in epoch seconds."""
    return int(max(current.last_event_at or 0, current.ended_at or 0))
