"""What a part of a transcript makes of a session: its records, folded in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from . import feedback, timeline
from .records import (
    BACKGROUND,
    Call,
    Interrupted,
    Plan,
    PlanChange,
    Prompt,
    Record,
    Reply,
    Result,
    Skipped,
    Step,
    Usage,
    Use,
)
from .session import MAX_STEP_CHARS, Session, beginning, prompted, short, stated, step_of

MAX_PENDING = 50
MAX_MODEL_CHARS = 100


class Swept(NamedTuple):
    """What a part of a transcript makes of a session, and what stands in it."""

    session: Session
    commands: tuple[dict[str, object], ...]  # feedback entries
    entries: tuple[timeline.Entry, ...]


def after_records(session: Session, found: Iterable[Record], from_start: bool = False) -> Swept:
    """The session after transcript records, with the commands and the words among them. A part
    `from_start` may have been read before: it counts anew, and what was told is not told again."""
    commands: list[dict[str, object]] = []
    codes: dict[tuple[object, ...], int | None] = {}  # of these commands
    before = session.told_at or 0
    told = _Told(session.told_at, from_start)
    pending = {call.id: call for call in session.pending}
    uses = {use.id: use for use in session.uses}
    turns = records = skipped = 0
    why = ""
    for record in _with_ends(found, pending, uses):
        records += 1
        if isinstance(record, Skipped):
            skipped += 1
            why = why or record.reason
        elif isinstance(record, Prompt):
            if told.add(timeline.said(record, None)):
                turns += record.at is None or record.at > before
                session = prompted(session, record.text)
        elif isinstance(record, Reply):
            if record.text.strip() and told.add(timeline.said(record, None)):
                session = session._replace(statement=stated(record.text) or session.statement)
        elif isinstance(record, (Call, Use)) and not record.id:
            skipped += 1  # its end could be any
        elif isinstance(record, Call):
            if codes.get(record[:3]) is None:  # else a copy of what is known already
                pending[record.id] = record
        elif isinstance(record, Use):
            uses[record.id] = record
        elif isinstance(record, Result):
            call = pending.pop(record.id, None)
            if call is not None:
                if call[:3] not in codes or record.exit_code is not None:
                    commands.append(_command(session, call, record))
                    told.add(timeline.ran(commands[-1]))
                    codes[call[:3]] = record.exit_code
                if record.running:
                    pending[record.id] = call._replace(note=call.note or BACKGROUND)
            elif record.id in uses and not record.running:
                told.add(timeline.used(uses.pop(record.id), record))
        elif isinstance(record, Plan):
            session = session._replace(plan=tuple(map(step_of, record.steps)))
        elif isinstance(record, PlanChange):
            session = session._replace(plan=_changed(session.plan, record.step))
        elif isinstance(record, Usage):
            session = using(session, record)
            told.entries = _by(session.model, told.entries)
    nothing = from_start and why and records == skipped
    session = session._replace(
        turns=session.turns + turns,
        records=(0 if from_start else session.records) + records - skipped,
        skipped=(0 if from_start else session.skipped) + skipped,
        told_at=told.newest_at,
        note=f"nothing in the transcript could be read: {why}" if nothing else None,
        pending=tuple(_call(call) for call in list(pending.values())[-MAX_PENDING:]),
        uses=tuple(_use(use) for use in list(uses.values())[-MAX_PENDING:]),
    )
    return Swept(session, tuple(commands), tuple(_by(session.model, told.entries)))


def _with_ends(
    found: Iterable[Record], pending: dict[str, Call], uses: dict[str, Use]
) -> Iterator[Record]:
    """The records, with an end for each call that was running when a person stopped the agent."""
    for record in found:
        if not isinstance(record, Interrupted):
            yield record
            continue
        running = [call.id for call in pending.values() if call.note != BACKGROUND]
        for call_id in (*running, *uses):
            yield Result(call_id, None, "", "", record.at, "interrupted", False)


class _Told:
    """The entries of a part, each once: a resumed session may copy what was said before, and a file
    that is read from its start again repeats what earlier sweeps told."""

    def __init__(self, newest_at: float | None, from_start: bool) -> None:
        self.entries: list[timeline.Entry] = []
        self.newest_at = newest_at
        self._since = newest_at if from_start else None
        self._seen: set[tuple[str, float, int, int | None]] = set()

    def add(self, entry: timeline.Entry) -> bool:
        """Whether it is new."""
        if entry.at is not None:
            key = (entry.kind, entry.at, hash(entry.text), entry.exit_code)
            if key in self._seen or (self._since is not None and entry.at <= self._since):
                return False
            self._seen.add(key)
            self.newest_at = max(entry.at, self.newest_at or entry.at)
        self.entries.append(entry)
        return True


def using(session: Session, usage: Usage) -> Session:
    """The session with its newest context use."""
    return session._replace(
        used_tokens=usage.used_tokens,
        window_tokens=usage.window_tokens or session.window_tokens,
        model=short(usage.model or "", MAX_MODEL_CHARS) or session.model,
    )


def unfinished(session: Session) -> tuple[dict[str, object], ...]:
    """Entries of the commands whose end never came: their exit codes are unknown."""
    return tuple(
        _command(session, call, Result(call.id, None, "", "", None, "its end was not seen"))
        for call in session.pending
    )


def _by(model: str | None, entries: list[timeline.Entry]) -> list[timeline.Entry]:
    """The entries, with the model that a usage record names in the replies before it."""
    return [
        entry._replace(model=model) if entry.kind == timeline.REPLY and not entry.model else entry
        for entry in entries
    ]


def _command(session: Session, call: Call, result: Result) -> dict[str, object]:
    took = None
    if call.at is not None and result.at is not None:
        took = max(0, round((result.at - call.at) * 1000))
    return feedback.entry(
        call.id,
        call.command,
        result.stdout,
        result.stderr,
        session_id=session.id,
        exit_code=result.exit_code,
        started_at=call.at,
        duration_ms=took,
        source="transcript",
        error=result.error,
        agent_note=call.note,
    )


def _changed(plan: tuple[Step, ...], change: Step) -> tuple[Step, ...]:
    if change.status == "deleted":
        return tuple(step for step in plan if step.key != change.key)
    for place, step in enumerate(plan):
        if step.key == change.key:
            new = Step(step.key, change.text or step.text, change.status or step.status)
            return (*plan[:place], step_of(new), *plan[place + 1 :])
    return (
        (*plan, step_of(change._replace(status=change.status or "open"))) if change.text else plan
    )


def _call(call: Call) -> Call:
    return call._replace(command=str(feedback.entry(call.id, call.command)["command"]))


def _use(use: Use) -> Use:
    return use._replace(subject=beginning(use.subject, MAX_STEP_CHARS))
