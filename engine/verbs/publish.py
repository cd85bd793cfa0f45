"""Make a session's packet the active one, or say why it is not handed over."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import gate, git, ledger, names, packet, redact, render, store
from ..errors import HandoffError
from . import snapshot

if TYPE_CHECKING:
    from ..model import Snapshot
    from ..project import Project
    from ..session import Session


class Outcome(NamedTuple):
    path: str  # of its JSON, from the project's root
    value: dict[str, Any]  # the packet's, or the blocked record's


def publish(project: Project, current: Session, unless_empty: bool = False) -> Outcome:
    """Write the session's packet and make it active, or write why it is blocked.

    With `unless_empty` a session in which nothing happened leaves the active packet alone, and
    one in which nothing was said either leaves no trace.
    """
    at = git.repository(project.root)
    where = ledger.path(at.common_dir)
    for _ in range(ledger.PUBLISH_ATTEMPTS):
        branch, head = git.branch(at.top), git.head(at.top)
        ref = ledger.ref(branch, head, current.topic)
        old = ledger.tip(where, ref)
        before = json.loads(old.payload) if old else None
        taken = snapshot.take(project, at, current, before)
        folder = project.outputs(current.id)
        others = before is not None and before["session"]["id"] != current.id
        empty = unless_empty and _empty(project, taken)
        if empty and before and others:
            return Outcome(f"{folder}/handoff.json", before)
        made, state = packet.generate(taken), gate.check(taken)
        if state.refused:
            value = render.blocked_payload(made, state.refused)
            if not empty or current.goal or current.statement:
                _write(project, folder, _files("blocked", value))
            if not empty:  # a talk in which nothing happened is nobody's to mend
                _block(where, ref, value)
            return Outcome(f"{folder}/blocked.json", value)
        value = render.payload(made)
        files = _files("handoff", value)
        kept = {**files, **_evidence(at, taken)}
        if ledger.publish(where, ref, kept, current.id, made_at(current), old) is not None:
            ledger.drop(where, ledger.beside(ref, "blocked"))
            _write(project, folder, files)
            _mark_superseded(project, before, current.id)
            return Outcome(f"{folder}/handoff.json", value)
    raise HandoffError("other sessions kept moving the active packet", hint="generate again")


def told(outcome: Outcome) -> list[str]:
    """The outcome in words: the next action, or each reason with its mend."""
    if "blocked" not in outcome.value:
        return [f"next action: {outcome.value['next_action']}"]
    lines = []
    for reason in outcome.value["blocked"]:
        lines += [f"blocked: {reason['code']}: {reason['detail']}", f"  mend: {reason['mend']}"]
    return lines


def adopt(project: Project, value: dict[str, Any], before: dict[str, Any] | None) -> None:
    """Write the files of a packet that another work tree made, and that is active now."""
    folder = project.outputs(names.known_folder(value["session"]["id"]))
    _write(project, folder, _files("handoff", value))
    _mark_superseded(project, before, value["session"]["id"])


def _block(where: str, ref: str, value: dict[str, Any]) -> None:
    """Keep the blocked record beside the active packet; it never becomes active itself."""
    beside = ledger.beside(ref, "blocked")
    files = _files("blocked", value)
    files["handoff.json"] = files["blocked.json"]
    ledger.publish(where, beside, files, value["session"]["id"], 0, ledger.tip(where, beside))


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


def _evidence(at: git.Place, taken: Snapshot) -> dict[str, bytes]:
    bench = taken.workbench
    reports = {"verification": bench.verification, "review": bench.review}
    paths = {kind: os.path.join(at.top, report.path) for kind, report in reports.items() if report}
    found = {kind: store.read(path) for kind, path in paths.items()}
    return {
        f"evidence/{kind}.json": redact.checked(data)
        for kind, data in found.items()
        if data is not None
    }


def _write(project: Project, folder: str, files: dict[str, bytes]) -> None:
    store.hide(project.path(project.config.artifacts["outputs"]), project.root)
    for file, data in files.items():
        project.write(f"{folder}/{file}", data)
    if "handoff.json" in files:
        for file in ("blocked.json", "blocked.md"):
            store.remove(project.path(f"{folder}/{file}"), project.root)


def _mark_superseded(project: Project, before: dict[str, Any] | None, session_id: str) -> None:
    """The files of the packet before say that it is superseded; the ledger keeps it as it was."""
    if before is None or before["session"]["id"] == session_id:
        return
    folder = project.outputs(names.known_folder(before["session"]["id"]))
    if project.read(f"{folder}/handoff.json") is not None:
        superseded = render.with_status(before, "superseded", session_id)
        _write(project, folder, _files("handoff", superseded))


def made_at(current: Session) -> int:
    """The time of the session's last event, in epoch seconds."""
    return int(max(current.last_event_at or 0, current.ended_at or 0))
