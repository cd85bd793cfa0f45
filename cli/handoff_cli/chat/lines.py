"""How an event reads in the list: lines of text, each with its look. Values in, values out."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from handoff_cli.chat.edits import Edit
from handoff_cli.chat.events import Event
from handoff_cli.chat.markdown import Span, rows
from handoff_cli.chat.text import visible, wrapped

HUMAN = "you"
FAILED_LINES = 3  # of its output that a failing tool shows while folded
FOLDED_DIFF_LINES = 8
ASKED_DIFF_LINES = 24  # of what a permission is asked for
UNFOLDED_LINES = 400
TITLE_CHARS = 200  # of a tool while folded
_STEPS = {"completed": "✓", "in_progress": "▸"}
_SIGNS = {"+": "added", "-": "removed"}
_NOT_DONE = {"pending": "waits", "in_progress": "runs"}
_SPOKEN = ("reply", "tool", "plan", "permission")  # under one heading while one agent speaks


class Line(NamedTuple):
    """One line of the screen."""

    text: str
    look: str = "text"  # a class of `screen.tcss`
    by: str | None = None  # an agent or the human, whose bar stands before it
    spans: tuple[Span, ...] = ()  # in their order


def lines(event: Event, before: Event | None, width: int, *, unfolded: bool) -> list[Line]:
    """The lines of an event that comes after another one, at most `width` cells wide."""
    by = HUMAN if event.kind == "said" else event.agent
    if event.kind in ("note", "error"):
        text = f"error: {event.text}" if event.kind == "error" else event.text or ""
        return _air(before) + _folded(text, width, event.kind, None)
    if event.kind in ("agent", "turn"):
        return _air(before) + _folded(_about(event), width, "quiet", by)
    found = _heading(event, before, width, by)
    if event.kind == "said":
        return found + _folded((event.text or "").strip("\n"), width, "text", by)
    if event.kind == "reply":
        told = rows((event.text or "").strip("\n"), width)
        return found + [Line(text, look, by, spans) for text, look, spans in told]
    if event.kind == "tool":
        return found + _tool(event, width, by, unfolded)
    if event.kind == "permission":
        if event.status and before and before.edits == event.edits:
            event = event._replace(edits=())  # they stand there
        return found + _permission(event, width, by, unfolded)
    return found + [
        Line(text, "quiet" if status == "completed" else "text", by)
        for step, status in event.steps
        for text in wrapped(f"{_STEPS.get(status, '·')} {step}", width)
    ]


def failed(event: Event) -> bool:
    return event.exit_code not in (0, None) or event.status == "failed"


def _air(before: Event | None) -> list[Line]:
    return [Line("")] if before and before.kind in ("said", *_SPOKEN) else []


def _folded(text: str, width: int, look: str, by: str | None) -> list[Line]:
    return [Line(one, look, by) for one in wrapped(text, width)]


def _heading(event: Event, before: Event | None, width: int, by: str | None) -> list[Line]:
    """Who speaks, where that changes; a line of air where only the kind of thing does."""
    goes_on = before and before.kind in _SPOKEN and event.kind != "said"
    same = before and before.agent == event.agent and not _others(before, event)
    if before and goes_on and same:
        return [] if before.kind == event.kind == "tool" else [Line("", "text", by)]
    who = f"{HUMAN} → {event.agent}" if event.kind == "said" else event.agent
    at = f"{datetime.fromtimestamp(event.at):%H:%M}" if event.at else None
    heading = " · ".join(filter(None, (who, event.model, at)))
    return [Line(""), *_folded(heading, width, "name", by)]


def _others(before: Event, event: Event) -> bool:
    """Whether two models speak, as far as both are known."""
    return None not in (before.model, event.model) and before.model != event.model


def _about(event: Event) -> str:
    if event.kind == "turn":
        return f"{event.agent} ended its turn: {event.status}"
    return f"{event.agent}: session {event.session} ({event.status})"


def _tool(event: Event, width: int, by: str | None, unfolded: bool) -> list[Line]:
    bad = failed(event)
    look = "failed" if bad else "passed" if event.exit_code == 0 else "text"
    sign = "✗" if bad else "…" if event.status in _NOT_DONE else "✓" if look == "passed" else "•"
    title = visible(event.text or "a tool").strip()
    output = (event.output or "").strip("\n").split("\n") if event.output else []
    if not unfolded:
        first, _, more = title.partition("\n")
        title = first[:TITLE_CHARS] + ("…" if more or len(first) > TITLE_CHARS else "")
    told = [
        _NOT_DONE.get(event.status or "", event.status)
        if event.exit_code is None
        else f"exit {event.exit_code}",
        f"{len(output)} line{'s' * (len(output) != 1)}" if output else None,
    ]
    result = ", ".join(filter(None, told))
    shown = output[-(UNFOLDED_LINES if unfolded else FAILED_LINES * bad) or len(output) :]
    named = wrapped(title + (f"  [{result}]" if result else ""), width - 2)
    found = [Line(f"  {one}" if n else f"{sign} {one}", look, by) for n, one in enumerate(named)]
    for one in shown:
        whole = wrapped(one, width - 2)
        found += [Line(f"  {text}", "quiet", by) for text in (whole if unfolded else whole[:1])]
    return found + _edits(event.edits, width, by, UNFOLDED_LINES if unfolded else FOLDED_DIFF_LINES)


def _edits(edits: tuple[Edit, ...], width: int, by: str | None, most: int) -> list[Line]:
    """Each file with what changes in it, at most so many lines of it."""
    found = []
    for edit in edits:
        path = " ".join(visible(edit.path).split())
        counted = f"+{edit.added} -{edit.removed}" + (", new file" if edit.is_new else "")
        told = [(f"{path}  [{counted}]", "text")]
        told += [(line, _SIGNS.get(line[0], "quiet")) for line in edit.diff[:most]]
        if left := len(edit.diff[most:]) + edit.cut_lines:
            how = ", Ctrl+O shows them" if edit.diff[most:] else ""
            told.append((f"… {left} more lines{how}", "quiet"))
        for text, look in told:
            found += [Line(f"  {one}", look, by) for one in wrapped(text, width - 2, hang=2)]
    return found


def _permission(event: Event, width: int, by: str | None, unfolded: bool) -> list[Line]:
    found = _folded(f"{event.agent} asks: {event.text}", width, "ask", by)
    most = FOLDED_DIFF_LINES if event.status else ASKED_DIFF_LINES
    found += _edits(event.edits, width, by, UNFOLDED_LINES if unfolded else most)
    if event.status:
        return found + _folded(f"→ {event.status}", width, "quiet", by)
    choices = [f"{number}  {one.name}" for number, one in enumerate(event.options[:9], 1)]
    for choice in (*choices, "Esc  cancel"):
        found += _folded(f"  {choice}", width, "ask", by)
    return found
