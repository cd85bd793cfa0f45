"""A session as far as it is known: folded from hook events and transcript records, kept as JSON."""

from __future__ import annotations

from typing import Any, NamedTuple

from . import names, redact
from .records import (
    Call,
    Step,
    Use,
)
from .runtimes import base

SCHEMA_VERSION = 1
MAX_GOAL_CHARS = 600
MAX_STATEMENT_CHARS = 2_000
MAX_STEP_CHARS = 300


class Heard(NamedTuple):
    """How much of another session's timeline a model was told."""

    session: str
    commit: str  # of the timeline at that time
    entries: int


class Session(NamedTuple):
    id: str
    runtime: str
    native_id: str
    topic: str = "default"
    branch: str | None = None
    base_commit: str | None = None
    start_branch: str | None = None
    start_branches: tuple[str, ...] = ()  # every local branch there was
    start_state: str | None = None  # fingerprint of the work tree at the start
    started_at: float | None = None  # epoch seconds, like every `_at`
    last_event_at: float | None = None
    ended_at: float | None = None
    end_reason: str | None = None
    recovered: bool = False
    busy: bool = False
    goal: str | None = None
    statement: str | None = None
    plan: tuple[Step, ...] = ()
    used_tokens: int | None = None
    window_tokens: int | None = None
    model: str | None = None
    told_percent: int = 0  # of the context window: the last limit that the agent was told of
    look_at_bytes: int = 0  # size of the transcript from which its context use is looked at again
    closed: bool = False  # `close` has run in it
    held: bool = False  # the end of a turn was held up once
    unpublished: bool = False  # its packet does not have all of it: a hook was killed on its way
    owed: bool = False  # the packet, which its model was not told at the start
    turns: int = 0
    folder: str | None = None  # where the native session was started
    chunks: int = 0  # of its timeline that were kept
    told_at: float | None = None  # the newest time of its own entries
    heard: tuple[Heard, ...] = ()  # of other sessions, what its model was told
    transcript: str | None = None
    database: str | None = None  # instead, where the runtime keeps its sessions in one
    offset: int = 0  # bytes of the transcript already read; how far, in a database
    records: int = 0
    skipped: int = 0
    seen_bytes: int = 0  # of the transcript, when it was read last; not all of it may be told
    cut_bytes: int = 0  # of the transcript's end, where its last line is no whole one
    note: str | None = None  # why the transcript could not be read
    pending: tuple[Call, ...] = ()  # calls whose end was not seen yet
    uses: tuple[Use, ...] = ()  # of other tools, likewise
    background: tuple[str, ...] = ()  # what went on when its turn ended


def new(runtime: str, native_id: str) -> Session:
    return Session(id=names.folder(native_id), runtime=runtime, native_id=native_id)


def value(session: Session) -> dict[str, Any]:
    """The session as a JSON value."""
    return {
        "schema_version": SCHEMA_VERSION,
        **session._asdict(),
        "heard": [list(one) for one in session.heard],
        "plan": [list(step) for step in session.plan],
        "pending": [list(call) for call in session.pending],
        "uses": [list(use) for use in session.uses],
    }


def parse(given: Any) -> Session | None:
    """The session in a JSON value that `value` wrote, or None where it is another shape."""
    if not isinstance(given, dict) or given.get("schema_version") != SCHEMA_VERSION:
        return None
    fields = {key: given[key] for key in Session._fields if key in given}
    try:
        fields["plan"] = tuple(Step(*step) for step in fields.get("plan", ()))
        fields["start_branches"] = tuple(fields.get("start_branches", ()))
        fields["heard"] = tuple(Heard(*one) for one in fields.get("heard", ()))
        fields["background"] = tuple(fields.get("background", ()))
        fields["pending"] = tuple(Call(*call) for call in fields.get("pending", ()))
        fields["uses"] = tuple(Use(*use) for use in fields.get("uses", ()))
        return Session(**fields)
    except TypeError:
        return None


def located(session: Session, transcript: str | None) -> Session:
    """The session with its transcript there: another file is read from its start."""
    if not transcript or transcript == session.transcript:
        return session
    return session._replace(transcript=transcript, offset=0)


def cut(session: Session) -> str:
    """What its transcript ends with that is no whole line, if there is such."""
    size = session.cut_bytes
    return f"the last {size} bytes of the transcript are no whole line" if size else ""


def after_event(session: Session, event: base.HookEvent, now: float) -> Session:
    """The session after a hook event at `now` (epoch seconds)."""
    session = located(session, event.transcript)._replace(
        started_at=session.started_at or now,
        # Once its hooks have told a part of it, they tell all: nothing is told twice.
        database=session.database or (None if session.chunks else event.database),
        folder=session.folder or (event.folder if event.kind == base.SESSION_START else None),
        used_tokens=session.used_tokens if event.used_tokens is None else event.used_tokens,
        window_tokens=event.window_tokens or session.window_tokens,
    )
    if event.kind == base.SESSION_END:
        return session._replace(
            busy=False,
            recovered=False,
            background=(),
            ended_at=session.ended_at or now,
            end_reason=session.end_reason or event.reason or None,
        )
    if event.kind == base.TURN_END:
        running = (beginning(one, MAX_STEP_CHARS) for one in event.background)
        return session._replace(
            busy=False,
            recovered=False,
            background=tuple(running),
            statement=stated(event.statement) or session.statement,
        )
    if event.kind == base.PRE_COMPACT:  # what fills the context is about to go
        return session._replace(told_percent=0, look_at_bytes=0, closed=False, held=False)
    session = session._replace(last_event_at=now, ended_at=None, end_reason=None, recovered=False)
    if event.kind == base.SESSION_START:
        return session._replace(background=())
    if event.kind == base.PROMPT:
        return prompted(session._replace(busy=True), event.prompt)
    if event.plan is not None:
        return session._replace(plan=tuple(map(step_of, event.plan)))
    return session


def prompted(session: Session, said: str) -> Session:
    if session.goal or not said:
        return session
    return session._replace(goal=beginning(said, MAX_GOAL_CHARS))


def stated(said: str | None) -> str | None:
    return beginning(said, MAX_STATEMENT_CHARS) if said and said.strip() else None


def step_of(step: Step) -> Step:
    return step._replace(text=beginning(step.text, MAX_STEP_CHARS))


def beginning(text: str, max_chars: int) -> str:
    return short(redact.beginning(text.strip(), max_chars), max_chars)


def short(text: str, max_chars: int) -> str:
    text = text.strip()
    return text if len(text) <= max_chars else text[: max_chars - 1].rstrip() + "…"
