"""Everything a packet is derived from, read through the doors once."""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING, Any, Callable

from .. import git, layout, redact, registry, runs, scope, store, worktree
from ..errors import HandoffError
from ..model import Evidence, GitState, NativeSession, Previous, Snapshot, Workbench
from ..sweep import unfinished
from . import ours
from .artifacts import is_new as is_new
from .artifacts import workbench_of

if TYPE_CHECKING:
    from ..project import Project
    from ..session import Session

EXCEPTIONS = f"{layout.STATE_FOLDER}/exceptions.json"
MAX_HASHED = 40
MAX_COUNTED_BYTES = 1_000_000


def take(
    project: Project, at: git.Place, current: Session, previous: dict[str, Any] | None
) -> Snapshot:
    """The snapshot of a session; `previous` is the active packet's value, where there is one."""
    state = _with_unfinished(project, at, current, repository(project, at, current.base_commit))
    open_calls = [run for run in map(runs.parse, unfinished(current)) if run]
    records = runs.merged((*project.runs(current.id), *open_calls))
    touched = scope.touched(state.changed, at.prefix)
    bench = _from_the_top(workbench_of(project, current, records, touched), at.prefix)
    evidence = [
        _evidence(at, report.path) for report in (bench.verification, bench.review) if report
    ]
    paths = [source.path for source in bench.sources]
    paths += [item.path for item in sorted(state.changed, key=lambda item: item.committed)][
        :MAX_HASHED
    ]
    hashes = {path: ours.sha256(at, path) for path in paths}
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
        exceptions=exceptions(project, current.id),
    )


def repository(project: Project, at: git.Place, base: str | None) -> GitState:
    return git.snapshot(at, base, ours.predicate(project, at), _line_count(at))


def _with_unfinished(
    project: Project, at: git.Place, current: Session, state: GitState
) -> GitState:
    """The repository with what the session may have left behind in it."""
    looks = project.config.gate["temporary_artifacts"] != "off"
    base = state.base or state.head
    behind: tuple[str, ...] = ()
    if current.start_branch:
        behind = worktree.left_behind(at, current.start_branches, state.branch)
    return state._replace(
        added=worktree.added_lines(at, base, state.changed) if looks else (),
        stashes=worktree.stashes(at, current.id),
        left_behind=behind,
    )


def exceptions(project: Project, session_id: str) -> tuple[tuple[str, str], ...]:
    """The codes that somebody let through in this session, with their reasons."""
    try:
        value = project.json(EXCEPTIONS)
    except HandoffError:
        return ()
    return tuple((code, reason) for code, reason in value.get(session_id, {}).items())


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


def _from_the_top(bench: Workbench, prefix: str) -> Workbench:
    """With the paths of its files from the repository's root, as those that git tells."""
    sources = [
        one if one.kind == "transcript" else one._replace(path=f"{prefix}{one.path}")
        for one in bench.sources
    ]
    report, review = bench.verification, bench.review
    return bench._replace(
        sources=tuple(sources),
        verification=report and report._replace(path=f"{prefix}{report.path}"),
        review=review and review._replace(path=f"{prefix}{review.path}"),
    )


def _evidence(at: git.Place, path: str) -> Evidence:
    data = redact.checked(store.read(os.path.join(at.top, path)) or b"")  # as the ledger keeps it
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
