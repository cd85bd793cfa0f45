"""How a timeline reads: turns of a session, packets between them, failures and their fixes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone

from handoff_cli.pages.timeline import Entry, Packet, Session, Timeline

KINDS = ("prompt", "reply", "command", "tool", "failed", "packet", "other")
BREAK = timedelta(hours=1)  # of one session, while others went on
_LONG_AGO = datetime(1970, 1, 1, tzinfo=timezone.utc)
_LINE_CHARS = 80


@dataclass
class Row:
    """An entry with its number on the page."""

    number: int
    entry: Entry
    fixed_by: Row | None = None  # the next pass of the same command
    fixes: list[Row] = field(default_factory=list)  # failures of it since it last passed

    @property
    def kind(self) -> str:
        if self.entry.failed:
            return "failed"
        return self.entry.kind if self.entry.kind in KINDS[:4] else "other"


@dataclass
class Turn:
    """A prompt and what a session did about it."""

    number: int
    agent: int
    session: str
    opens: Session | None  # set where the session begins here
    rows: list[Row]
    since: datetime  # what has no time of its own stands where it came

    @property
    def at(self) -> datetime | None:
        return next((row.entry.at for row in self.rows if row.entry.at), None)

    @property
    def model(self) -> str:
        return next((row.entry.model for row in self.rows if row.entry.model), "")

    @property
    def lines(self) -> int:
        """About how many lines high it is."""
        return 2 + sum(
            1 if row.entry.kind in ("command", "tool") else 2 + len(row.entry.text) // _LINE_CHARS
            for row in self.rows
        )


@dataclass
class Milestone:
    """A packet with its place in the chain."""

    number: int
    agent: int
    packet: Packet
    since: datetime
    after: Milestone | None = None  # the packet that this one took over from
    before: Milestone | None = None

    @property
    def at(self) -> datetime | None:
        return self.packet.made_at


def agents(timeline: Timeline) -> list[str]:
    """The runtimes by first appearance, so that one keeps its colour while a history grows."""
    everyone: list[Session | Entry | Packet] = [
        *sorted(timeline.sessions, key=lambda one: one.started_at or _LONG_AGO),
        *timeline.entries,
        *timeline.packets,
    ]
    return list(dict.fromkeys(one.runtime for one in everyone))


def rows(entries: Iterable[Entry]) -> list[Row]:
    """The entries, failing commands joined with the next pass of the same command."""
    found = [Row(number, entry) for number, entry in enumerate(entries, 1)]
    red: dict[str, list[Row]] = {}
    for row in found:
        command = " ".join(row.entry.text.split())
        if row.entry.failed:
            red.setdefault(command, []).append(row)
        elif row.entry.kind == "command" and row.entry.exit_code == 0:
            row.fixes = red.pop(command, [])
            for failure in row.fixes:
                failure.fixed_by = row
    return found


def turns(timeline: Timeline, numbered: list[Row]) -> list[Turn]:
    """The rows by turn, in the order in which the turns began."""
    slots = {name: slot for slot, name in enumerate(agents(timeline))}
    sessions = {one.id: one for one in timeline.sessions}
    now = _LONG_AGO
    found: list[Turn] = []
    current: dict[str, tuple[Turn, datetime]] = {}
    for row in numbered:
        entry = row.entry
        now = max(now, entry.at or now)
        turn, last = current.get(entry.session, (None, now))
        asked = entry.kind == "prompt" and not entry.by
        broken = turn is not found[-1] and now - last > BREAK if found else False
        if turn is None or asked or broken or turn.agent != slots[entry.runtime]:
            opens = sessions.pop(entry.session, None)
            turn = Turn(len(found) + 1, slots[entry.runtime], entry.session, opens, [], now)
            found.append(turn)
        turn.rows.append(row)
        current[entry.session] = turn, now
    return found


def milestones(timeline: Timeline, told: list[Turn]) -> list[Milestone]:
    """The packets, oldest first, each linked with the one that it took over from."""
    slots = {name: slot for slot, name in enumerate(agents(timeline))}
    ends = {turn.session: turn.since for turn in told}
    newest: dict[str, Milestone] = {}
    now, found = _LONG_AGO, []
    for number, packet in enumerate(timeline.packets, 1):
        now = max(now, packet.made_at or ends.get(packet.session, now))
        made = Milestone(number, slots[packet.runtime], packet, packet.made_at or now)
        made.after = newest.get(packet.supersedes)
        if made.after:
            made.after.before = made
        newest[packet.session] = made
        found.append(made)
    return found


def flow(told: list[Turn], made: list[Milestone]) -> list[Turn | Milestone]:
    """Both in the order of time; a packet follows the turns that began before it was made."""
    return sorted([*told, *made], key=lambda item: (item.since, isinstance(item, Milestone)))
