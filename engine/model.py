"""The values that flow through the engine. Tuples with names: immutable, and cheap to import."""

from __future__ import annotations

from typing import NamedTuple

from .config import Config
from .leftovers import AddedLine
from .runs import Run
from .session import Session


class ChangedFile(NamedTuple):
    path: str  # POSIX, from the repository's root
    change: str  # added, modified, deleted, renamed or untracked
    origin: str | None  # the old path of a renamed file
    added_lines: int | None  # None for binary files
    removed_lines: int | None
    committed: bool  # nothing of it is left uncommitted


class Commit(NamedTuple):
    hash: str
    subject: str


class GitState(NamedTuple):
    branch: str | None
    detached: bool
    head: str | None  # full hash; None before the first commit
    base: str | None  # head when the session started, where it is known and still there
    upstream: str | None
    ahead: int | None  # commits not in the upstream
    remotes: bool
    dirty: tuple[str, ...]  # uncommitted paths, ours left out, sorted
    changed: tuple[ChangedFile, ...]  # since base, ours left out, sorted by path
    commits: tuple[Commit, ...]  # since base, newest first
    problems: tuple[str, ...] = ()  # what git could not tell, and why
    added: tuple[AddedLine, ...] = ()  # since base, as far as they are a reader's size
    stashes: tuple[Stash, ...] = ()  # made for this session, newest first
    left_behind: tuple[str, ...] = ()  # new branches without upstream or note
    head_at: float | None = None  # when `head` was made, where that was after `base`


class Stash(NamedTuple):
    commit: str
    note: str


class Source(NamedTuple):
    """One artifact that was read, or should have been."""

    kind: str
    path: str
    sha256: str | None
    records: int | None = None
    skipped: int | None = None
    note: str | None = None


class Feature(NamedTuple):
    id: str
    status: str  # todo, in_progress, done or blocked
    goal: str
    done_when: str
    started_at: str = ""  # as `times.iso` writes it, where our board started it
    reason: str = ""  # why it is blocked


class Finding(NamedTuple):
    code: str
    severity: str  # info, warn or block
    detail: str
    evidence: str | None = None  # a command id or a path


class Report(NamedTuple):
    """A verification report."""

    path: str
    passed: bool
    findings: tuple[Finding, ...]
    older: bool = False  # written before this session
    ours: bool = False  # written by `verify`: derived from what the packet derives afresh


class Review(NamedTuple):
    path: str
    total: int
    verdict: str
    assumptions_score: int | None


class AgentState(NamedTuple):
    active_task: str | None
    next_action: str
    current: bool  # written in this session
    assumptions: tuple[str, ...]
    blockers: tuple[str, ...]
    questions: tuple[str, ...]


class Workbench(NamedTuple):
    """The artifacts of the project, as far as they could be read."""

    state: AgentState | None = None
    features: tuple[Feature, ...] = ()
    verification: Report | None = None
    review: Review | None = None
    sources: tuple[Source, ...] = ()
    problems: tuple[Finding, ...] = ()
    findings: tuple[Finding, ...] = ()  # of the scope contract and the rule report


class Evidence(NamedTuple):
    """A report that travels with the packet."""

    path: str
    blob: str  # git's id of its content


class Previous(NamedTuple):
    """The packet that was active before, when this one is made."""

    session_id: str
    last_known_good_commit: str | None
    native_sessions: tuple[NativeSession, ...]
    supersedes: str | None


class NativeSession(NamedTuple):
    runtime: str
    native_id: str
    resume_command: str
    turns: int


class Snapshot(NamedTuple):
    """Everything a packet is derived from."""

    config: Config
    session: Session
    git: GitState
    workbench: Workbench
    feedback: tuple[Run, ...]  # this session's commands
    resume_command: str
    previous: Previous | None
    evidence: tuple[Evidence, ...]
    file_hashes: dict[str, str]  # sha256 of files that exist, by path from the root
    exceptions: tuple[tuple[str, str], ...] = ()  # codes let through in this session, with reasons
