"""Everything a packet is derived from, read through the doors once."""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING, Any, Callable

from .. import git, layout, registry, runs, store, workbench
from ..errors import HandoffError
from ..model import (
    Evidence,
    Finding,
    GitState,
    NativeSession,
    Previous,
    Snapshot,
    Source,
    Workbench,
)
from ..session import unfinished

if TYPE_CHECKING:
    from ..project import Project
    from ..session import Session

INSTALLED = f"{layout.STATE_FOLDER}/installed.json"
MAX_HASHED = 40
MAX_COUNTED_BYTES = 1_000_000


def take(
    project: Project, at: git.Place, current: Session, previous: dict[str, Any] | None
) -> Snapshot:
    """The snapshot of a session; `previous` is the active packet's value, where there is one."""
    state = repository(project, at, current.base_commit)
    open_calls = [run for run in map(runs.parse, unfinished(current)) if run]
    records = runs.merged((*project.runs(current.id), *open_calls))
    bench = _workbench(project, current, records)
    evidence = [
        _evidence(project, report.path) for report in (bench.verification, bench.review) if report
    ]
    paths = [source.path for source in bench.sources]
    paths += [item.path for item in sorted(state.changed, key=lambda item: item.committed)][
        :MAX_HASHED
    ]
    hashes = {path: sha256(project, at, path) for path in paths}
    launch = registry.launch(current.runtime) if current.runtime else None
    return Snapshot(
        config=project.config,
        session=current,
        git=state,
        workbench=bench,
        feedback=records,
        resume_command=launch.resume_command(current.native_id) if launch else "",
        previous=_previous(previous, current.id),
        evidence=tuple(evidence),
        file_hashes={path: found for path, found in hashes.items() if found},
    )


def repository(project: Project, at: git.Place, base: str | None) -> GitState:
    return git.snapshot(at, base, _ours(project, at), _line_count(at))


def fingerprint(project: Project, state: GitState) -> str:
    """Changes whenever an uncommitted file of the work tree does."""
    facts = [state.head or ""]
    for path in state.dirty:
        try:
            found = os.stat(project.path(path))
            facts.append(f"{path} {found.st_size} {found.st_mtime_ns}")
        except OSError:
            facts.append(path)
    return hashlib.sha256("\0".join(facts).encode("utf-8", "surrogateescape")).hexdigest()


def sha256(project: Project, at: git.Place, path: str) -> str | None:
    """Of a file, by its path from the repository's root; None where it is not there."""
    data = store.read(os.path.join(at.top, path))
    return hashlib.sha256(data).hexdigest() if data is not None else None


def _ours(project: Project, at: git.Place) -> Callable[[str], bool]:
    """Tells handoff's own files, so that they never count as somebody's work."""
    artifacts = project.config.artifacts
    folders = tuple(f"{at.prefix}{folder}/" for folder in (".handoff", artifacts["outputs"]))
    files = {f"{at.prefix}{path}" for path in project.config.rendered}
    try:
        installed: dict[str, str] = project.json(INSTALLED)
    except HandoffError:
        installed = {}

    def ours(path: str) -> bool:
        if path.startswith(folders) or path in files:
            return True
        # A settings file that only we touched: as it was when we left it.
        written = installed.get(path[len(at.prefix) :]) if path.startswith(at.prefix) else None
        return written is not None and sha256(project, at, path) == written

    return ours


def _line_count(at: git.Place) -> Callable[[str], int | None]:
    def count(path: str) -> int | None:
        name = os.path.join(at.top, path)
        if os.path.islink(name):
            return 1
        data = store.read(name) if _is_small(name) else None
        if data is None or b"\0" in data:
            return None
        return data.count(b"\n") + (not data.endswith(b"\n") if data else 0)

    return count


def _is_small(name: str) -> bool:
    try:
        return os.path.getsize(name) <= MAX_COUNTED_BYTES
    except OSError:
        return False


def _workbench(project: Project, current: Session, records: tuple[runs.Run, ...]) -> Workbench:
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
        "state", paths["state"], lambda r, v: workbench.agent_state(r, v, _is_new(project, current))
    )
    features = read("board", paths["board"], workbench.features) or ()
    task = state.active_task if state else None
    return Workbench(
        state=state,
        features=features,
        verification=read(
            "verification", _report(project, "verification", task), workbench.verification
        ),
        review=read("review", _report(project, "review", task), workbench.review),
        sources=(*sources, *_session_sources(project, current, records)),
        problems=tuple(problems),
    )


def _is_new(project: Project, current: Session) -> bool:
    """Whether the state file was written in this session."""
    try:
        written = os.path.getmtime(project.path(project.config.artifacts["state"]))
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


def _session_sources(
    project: Project, current: Session, records: tuple[runs.Run, ...]
) -> list[Source]:
    found = []
    if records:
        digest = hashlib.sha256(repr(records).encode("utf-8", "replace")).hexdigest()
        found.append(Source("feedback", project.config.artifacts["feedback"], digest, len(records)))
    if current.transcript or current.note:
        path = current.transcript or ""
        home = os.path.expanduser("~")
        shown = f"~{path[len(home) :]}" if home != "/" and path.startswith(home + os.sep) else path
        found.append(
            Source("transcript", shown, None, current.records, current.skipped, current.note)
        )
    return found


def _evidence(project: Project, path: str) -> Evidence:
    data = project.read(path) or b""
    return Evidence(path, hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest())


def _previous(value: dict[str, Any] | None, session_id: str) -> Previous | None:
    if value is None:
        return None
    own = value["session"]["id"] == session_id
    return Previous(
        session_id=value["session"]["id"],
        last_known_good_commit=value["last_known_good_commit"],
        native_sessions=tuple(NativeSession(**one) for one in value["native_sessions"]),
        supersedes=value["supersedes"] if own else value["session"]["id"],
    )
