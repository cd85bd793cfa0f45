"""The packet: what the next session needs, derived from a snapshot and from nothing else."""

from __future__ import annotations

from typing import NamedTuple

from . import budget, commands, risks, steps, summary, verdict
from .model import ChangedFile, Commit, Evidence, NativeSession, Snapshot, Source
from .redact import redacted
from .runs import Run
from .times import iso

MAX_FILES = 200
MAX_COMMITS = 50
MAX_NATIVE_SESSIONS = 20
MAX_PREREQUISITES = 10
MAX_RISKS = 60


class Prerequisite(NamedTuple):
    kind: str  # file or stash
    path: str  # of the file; of a stash its note
    sha256: str | None
    how: str | None = None  # the command that brings it back


class Count(NamedTuple):
    kept: int
    total: int


class Packet(NamedTuple):
    """Fields as in `docs/handoff.md`; `render` adds the version and the digest."""

    session: dict[str, object]
    task: dict[str, object]
    branch: str | None
    detached: bool
    head_commit: str | None
    base_commit: str | None
    last_known_good_commit: str | None
    status: str
    supersedes: str | None
    superseded_by: str | None
    summary: str
    changed_files: tuple[ChangedFile, ...]
    commits: tuple[Commit, ...]
    commands_run: tuple[commands.CommandRun, ...]
    failed_attempts: tuple[commands.FailedAttempt, ...]
    open_risks: tuple[risks.Risk, ...]
    next_action: str | None
    next_action_source: str | None
    last_statement: str | None
    verdict_pointer: dict[str, object]
    feedback_tail: tuple[commands.Tail, ...]
    assumptions_to_validate: tuple[str, ...]
    questions_for_human: tuple[str, ...]
    next_session_prereqs: tuple[Prerequisite, ...]
    context_usage: dict[str, object]
    native_sessions: tuple[NativeSession, ...]
    sources: tuple[Source, ...]
    truncated: dict[str, Count]


def generate(snapshot: Snapshot) -> Packet:
    """The packet of a snapshot. Where nothing tells a next action it is None: `gate` refuses it."""
    session, git, bench = snapshot.session, snapshot.git, snapshot.workbench
    action = steps.next_action(snapshot)
    runs, acceptance = snapshot.feedback, snapshot.config.acceptance_commands
    attempts = commands.failed_attempts(runs)
    tail = commands.feedback_tail(runs, snapshot.config.tail_length)
    previous = snapshot.previous
    found = risks.open_risks(snapshot)
    return Packet(
        session=_session(snapshot),
        task=_task(snapshot),
        branch=git.branch,
        detached=git.detached,
        head_commit=git.head,
        base_commit=git.base,
        last_known_good_commit=_last_known_good(snapshot),
        status="active",
        supersedes=previous.supersedes if previous else None,
        superseded_by=None,
        summary=summary.paragraph(snapshot),
        changed_files=git.changed[:MAX_FILES],
        commits=git.commits[:MAX_COMMITS],
        commands_run=commands.commands_run(runs, acceptance),
        failed_attempts=attempts[-commands.MAX_ATTEMPTS :],
        open_risks=found[:MAX_RISKS],
        next_action=action.text if action else None,
        next_action_source=action.source if action else None,
        last_statement=session.statement,
        verdict_pointer=_verdict_pointer(snapshot),
        feedback_tail=tail,
        assumptions_to_validate=_assumptions(snapshot),
        questions_for_human=_questions(snapshot),
        next_session_prereqs=_prerequisites(snapshot),
        context_usage=_context_usage(snapshot),
        native_sessions=_native_sessions(snapshot),
        sources=bench.sources,
        truncated={
            "changed_files": Count(min(MAX_FILES, len(git.changed)), len(git.changed)),
            "commits": Count(min(MAX_COMMITS, len(git.commits)), len(git.commits)),
            "commands_run": Count(len(commands.kept(runs)), len(runs)),
            "failed_attempts": Count(min(commands.MAX_ATTEMPTS, len(attempts)), len(attempts)),
            "feedback_tail": Count(len(tail), len(runs)),
            "open_risks": Count(min(MAX_RISKS, len(found)), len(found)),
        },
    )


def _session(snapshot: Snapshot) -> dict[str, object]:
    session = snapshot.session
    return {
        "id": session.id,
        "runtime": session.runtime or None,
        "native_id": session.native_id or None,
        "started_at": iso(session.started_at),
        "ended_at": iso(session.ended_at),
        "end_reason": session.end_reason,
        "recovered": session.recovered,
    }


def _task(snapshot: Snapshot) -> dict[str, object]:
    session, bench = snapshot.session, snapshot.workbench
    active = next((f for f in bench.features if f.status == "in_progress"), None)
    task_id = bench.state.active_task if bench.state else None
    board_goal = active.goal if active else ""
    return {
        "id": task_id or (active.id if active else None) or None,
        "goal": board_goal or session.goal,
        "goal_source": "board" if board_goal else "prompt" if session.goal else None,
        "topic": session.topic,
    }


def _last_known_good(snapshot: Snapshot) -> str | None:
    wanted, git = snapshot.config.acceptance_commands, snapshot.git
    last = [verdict.last_run(command, snapshot.feedback) for command in wanted]
    if wanted and not git.dirty and all(run and _passed_at(run, git.head_at) for run in last):
        return git.head
    return snapshot.previous.last_known_good_commit if snapshot.previous else None


def _passed_at(run: Run, head_at: float | None) -> bool:
    """Whether a run that passed began after HEAD was made; commits know whole seconds only."""
    began = head_at is None or (run.started_at is not None and run.started_at >= head_at)
    return run.exit_code == 0 and began


def _verdict_pointer(snapshot: Snapshot) -> dict[str, object]:
    bench = snapshot.workbench
    blobs: dict[str, Evidence] = {item.path: item for item in snapshot.evidence}

    def pointer(path: str | None) -> dict[str, object] | None:
        return {"path": path, "blob": blobs[path].blob} if path in blobs else None

    return {
        "verification": pointer(bench.verification.path if bench.verification else None),
        "review": pointer(bench.review.path if bench.review else None),
    }


def _assumptions(snapshot: Snapshot) -> tuple[str, ...]:
    bench = snapshot.workbench
    score = bench.review.assumptions_score if bench.review else None
    if bench.state is None or (score is not None and score > 1):
        return ()
    return bench.state.assumptions


def _questions(snapshot: Snapshot) -> tuple[str, ...]:
    """The questions on record, and the one with which the agent stopped."""
    state, asked = snapshot.workbench.state, steps.open_question(snapshot.session.statement or "")
    noted = state.questions if state else ()
    return (*noted, asked) if asked and asked not in noted else noted


def _prerequisites(snapshot: Snapshot) -> tuple[Prerequisite, ...]:
    """The artifacts that steer the work, then the files it is about, unfinished ones first."""
    bench, hashes = snapshot.workbench, snapshot.file_hashes
    steering = [source.path for source in bench.sources if source.kind in ("state", "board")]
    reports = [bench.verification.path] if bench.verification else []
    files = sorted(snapshot.git.changed, key=lambda item: (item.committed, item.path))
    paths = dict.fromkeys([*steering, *reports, *(item.path for item in files)])
    stashes = [
        Prerequisite("stash", one.note, None, f"git stash apply {one.commit}")
        for one in snapshot.git.stashes
    ]
    there = [  # a file whose name holds a secret could not be found again under what is shown
        Prerequisite("file", path, hashes[path])
        for path in paths
        if path in hashes and redacted(path) == path
    ]
    return tuple([*stashes, *there][:MAX_PREREQUISITES])


def _context_usage(snapshot: Snapshot) -> dict[str, object]:
    session, config = snapshot.session, snapshot.config
    return {
        "used_tokens": session.used_tokens,
        "window_tokens": budget.window_tokens(session, config),
        "percent": budget.percent(session, config),
    }


def _native_sessions(snapshot: Snapshot) -> tuple[NativeSession, ...]:
    session = snapshot.session
    known = snapshot.previous.native_sessions if snapshot.previous else ()
    others = [one for one in known if one.native_id != session.native_id]
    if not session.native_id:
        return tuple(others[-MAX_NATIVE_SESSIONS:])
    own = NativeSession(session.runtime, session.native_id, snapshot.resume_command, session.turns)
    return (*others[1 - MAX_NATIVE_SESSIONS :], own)
