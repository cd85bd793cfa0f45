"""The project's workbench artifacts, read as far as they can be, with what is wrong with them."""

from __future__ import annotations

import hashlib
import os
from functools import reduce
from typing import TYPE_CHECKING, Any, Callable

from .. import runs, scope, workbench
from ..errors import HandoffError
from ..model import Finding, Source, Workbench
from ..session import cut

if TYPE_CHECKING:
    from ..project import Project
    from ..session import Session


def workbench_of(
    project: Project, current: Session, records: tuple[runs.Run, ...], touched: tuple[str, ...]
) -> Workbench:
    paths = project.config.artifacts
    sources: list[Source] = []
    problems: list[Finding] = []

    def read(kind: str, path: str, parse: Callable[[workbench.Reader, Any], Any]) -> Any:
        data = project.read(path)
        if data is None:
            return None
        reader = workbench.Reader(path)
        try:
            found = parse(reader, project.json(path))
        except HandoffError as error:
            problems.append(Finding("artifact.malformed", "warn", str(error)))
            found = None
        problems.extend(reader.problems)
        sources.append(Source(kind, path, hashlib.sha256(data).hexdigest()))
        return found

    state = read(
        "state",
        paths["state"],
        lambda r, v: workbench.agent_state(r, v, is_new(project, current, v)),
    )
    features = read("board", paths["board"], workbench.features) or ()
    task = state.active_task if state else None
    contracts = [read("scope", path, scope.contract) for path in _contracts(project)]
    limits = [one for one in contracts if one and (len(contracts) == 1 or one.task in ("", task))]
    found = scope.findings(reduce(scope.merged, limits), touched) if limits else ()
    rules = read("rules", paths["rules"], scope.rules) or ()
    return Workbench(
        state=state,
        features=features,
        verification=read(
            "verification",
            _report(project, "verification", task),
            lambda r, v: workbench.verification(r, v, _is_older(project, current, r.path, v)),
        ),
        review=read("review", _report(project, "review", task), workbench.review),
        sources=(*sources, *_session_sources(project, current, records)),
        problems=tuple(problems),
        findings=(*found, *rules),
    )


def is_new(project: Project, current: Session, state: Any) -> bool:
    """Whether the next action in the state file was set in this session."""
    recorded = workbench.recorded_session(state, workbench.NEXT_ACTION_SESSION)
    if recorded is not None:
        return recorded == current.id
    return _is_newer(project, current, project.config.artifacts["state"])


def _is_older(project: Project, current: Session, path: str, report: Any) -> bool:
    """Whether a report was written before this session."""
    recorded = workbench.recorded_session(report, workbench.SESSION)
    if recorded is not None:
        return recorded != current.id
    return not _is_newer(project, current, path)


def _is_newer(project: Project, current: Session, path: str) -> bool:
    """Whether a file was written since the session started, by its time."""
    try:
        written = os.path.getmtime(project.path(path))
    except OSError:
        return False
    return current.started_at is None or written >= current.started_at - 1


def _report(project: Project, kind: str, task: str | None) -> str:
    """The path of a report: the task's own, else the newest in its folder."""
    path = project.config.artifacts[kind]
    if path.endswith(".json"):
        return path
    folder = project.path(path)
    try:
        names = [name for name in os.listdir(folder) if name.endswith(".json")]
    except OSError:
        return f"{path}/none.json"
    if f"{task}.json" in names:
        return f"{path}/{task}.json"
    names.sort(key=lambda name: (os.path.getmtime(os.path.join(folder, name)), name))
    return f"{path}/{names[-1] if names else 'none.json'}"


def _contracts(project: Project) -> list[str]:
    """The scope contract, or all in its folder: those for this task, or for any, are merged."""
    path = project.config.artifacts["scope"]
    if path.endswith(".json"):
        return [path]
    try:
        names = sorted(os.listdir(project.path(path)))
    except OSError:
        return []
    return [f"{path}/{name}" for name in names if name.endswith(".json")]


def _session_sources(
    project: Project, current: Session, records: tuple[runs.Run, ...]
) -> list[Source]:
    found = []
    if records:
        digest = hashlib.sha256(repr(records).encode("utf-8", "replace")).hexdigest()
        found.append(Source("feedback", project.config.artifacts["feedback"], digest, len(records)))
    if current.transcript or current.database or current.note:
        path = current.transcript or current.database or ""
        home = os.path.expanduser("~")
        shown = f"~{path[len(home) :]}" if home != "/" and path.startswith(home + os.sep) else path
        note = current.note or cut(current) or None
        found.append(Source("transcript", shown, None, current.records, current.skipped, note))
    return found
