"""The list of what was said and done. It draws the lines in sight only, however many there are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from time import monotonic

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip

from handoff_cli.chat.edits import alike
from handoff_cli.chat.events import Event
from handoff_cli.chat.lines import HUMAN, Line, lines

HUES = 8
BAR = "▌ "
LEAST_WIDTH = 8  # cells; a terminal that is narrower shows the beginnings of lines
DRAW_SECONDS = 1 / 30  # a reply may come in thousands of parts
RESTS = 4  # times as long as the last drawing took


class Talk(ScrollView, can_focus=False):
    """Events in their order; what a later one adds to an earlier one goes into that."""

    ALLOW_SELECT = True
    COMPONENT_CLASSES = {  # noqa: RUF012
        *(f"talk--{look}" for look in ("name", "quiet", "failed", "passed", "ask", "note")),
        *(f"talk--{look}" for look in ("text", "error", "human", "added", "removed")),
        *(f"talk--{look}" for look in ("strong", "code", "block")),
        *(f"talk--agent-{number}" for number in range(HUES)),
    }

    def __init__(self) -> None:
        super().__init__()
        self.shown: list[Event] = []
        self._unfolded = False
        self._follows = True  # its end, while it is in sight
        self._stale: int | None = None  # the first event that changed since the lines were made
        self._seconds = 0.0  # that it took to make the lines of what changed last
        self._lines: list[Line] = []
        self._starts: list[int] = []  # the first line of each event
        self._agents: dict[str, int] = {}

    def begin(self, history: Iterable[Event]) -> None:
        """Show what was before, above everything else."""
        self.shown[:0] = _attributed(history)
        self._lay(0)

    def become(self, events: Sequence[Event]) -> None:
        """Show these events, of which the first may be some that stand here, and not others."""
        events = _attributed(events)
        start = self.shown.index(events[0]) if events and events[0] in self.shown else 0
        same = alike(self.shown[start:], events)
        self.shown[start + same :] = events[same:]
        self._lay(start + same)

    def add(self, event: Event) -> None:
        """Show an event, or what it adds to the one that it goes on with."""
        number = self._goes_on(event)
        if number is None:
            self.shown.append(event)
            number = len(self.shown) - 1
        elif event.kind == "plan":
            del self.shown[number]
            self.shown.append(event)
        else:
            self.shown[number] = _joined(self.shown[number], event)
        self._changed(number)

    def _changed(self, number: int) -> None:
        """Draw this event and those after it anew, soon."""
        if self._stale is None:
            self.set_timer(max(DRAW_SECONDS, RESTS * self._seconds), self.to_date)
        self._stale = number if self._stale is None else min(self._stale, number)

    def answered(self, agent: str, model: str) -> None:
        """Tell which model spoke in the turn that ends, where nobody told while it did."""
        for number in reversed(range(len(self.shown))):
            one = self.shown[number]
            if one.kind == "said":
                break
            if one.kind not in ("agent", "note") and (one.agent, one.model) == (agent, None):
                self.shown[number] = one._replace(model=model)
                self._changed(number)

    def to_date(self) -> None:
        began = monotonic()
        self._lay(len(self.shown))
        self._seconds = monotonic() - began

    def to_end(self) -> None:
        self._follows = True
        self.to_date()

    def fold(self) -> None:
        """Show the outputs of all tools, or no more; what is on top stays there."""
        top = self.scroll_offset.y
        number = max((n for n, start in enumerate(self._starts) if start <= top), default=0)
        self._unfolded = not self._unfolded
        self._lay(0)
        if not self._follows and self._starts:
            self.scroll_to(y=self._starts[number], animate=False, immediate=True)

    def _goes_on(self, event: Event) -> int | None:
        """Which event of this turn it belongs to."""
        if event.kind not in ("reply", "tool", "plan", "permission"):
            return None
        for number in reversed(range(len(self.shown))):
            one = self.shown[number]
            if one.kind == "said" or (event.kind == "reply" and one.kind != "reply"):
                return None
            if (one.kind, one.agent) == (event.kind, event.agent) and (
                event.kind in ("reply", "plan")
                or (event.id is not None and one.id == event.id)
                or (event.id is None and one.text == event.text and one.exit_code is None)
            ):
                return number
        return None

    def _lay(self, first: int) -> None:
        """Lay out the events from `first` on, and what changed before."""
        if not self.size.width:
            return
        width = max(LEAST_WIDTH, self.scrollable_content_region.width - len(BAR) - 1)
        if self._stale is not None:
            first, self._stale = min(first, self._stale), None
        if first < len(self._starts):
            del self._lines[self._starts[first] :]
        del self._starts[first:]
        for number in range(len(self._starts), len(self.shown)):
            event = self.shown[number]
            if event.agent:
                self._agents.setdefault(event.agent, len(self._agents) % HUES)
            self._starts.append(len(self._lines))
            before = self.shown[number - 1] if number else None
            self._lines += lines(event, before, width, unfolded=self._unfolded)
        self.virtual_size = Size(width, len(self._lines))
        if self._follows:
            self.scroll_end(animate=False, immediate=True, x_axis=False)
        self.refresh()

    def on_resize(self, event: events.Resize) -> None:
        self._lay(0)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        self._follows = new_value >= self.max_scroll_y

    def render_line(self, y: int) -> Strip:
        y += self.scroll_offset.y
        width = self.size.width
        if y >= len(self._lines):
            return Strip.blank(width, self.rich_style)
        line = self._lines[y]
        look = self._look(f"talk--{line.look}")
        if line.look == "name":
            look += self._bar(line.by)
        segments = [Segment(BAR if line.by else " " * len(BAR), self._bar(line.by))]
        segments += self._parts(line, y, look)
        rest = look if line.look == "block" else self.rich_style
        return Strip(segments).adjust_cell_length(width, rest).apply_offsets(0, y)

    def _parts(self, line: Line, y: int, look: Style) -> Iterator[Segment]:
        """The line's text where its look changes, what is selected on top of all."""
        styles = [(start, end, self._look(f"talk--{of}")) for start, end, of in line.spans]
        span = self.text_selection.get_span(y) if self.text_selection else None
        if span is not None:
            start, end = (max(0, at - len(BAR)) for at in span)
            chosen = self.screen.get_component_rich_style("screen--selection")
            styles.append((start, len(line.text) if span[1] < 0 else end, chosen))
        at = [0, *sorted({min(place, len(line.text)) for one in styles for place in one[:2]})]
        for start, end in zip(at, [*at[1:], len(line.text)], strict=True):
            here = (style for first, last, style in styles if first <= start < last)
            yield Segment(line.text[start:end], sum(here, look))

    def _bar(self, by: str | None) -> Style:
        if by is None:
            return self._look("talk--text")
        hue = "human" if by == HUMAN else f"agent-{self._agents.get(by, 0)}"
        return self._look(f"talk--{hue}")

    def _look(self, name: str) -> Style:
        return self.get_component_rich_style(name)

    def get_selection(self, selection: Selection) -> tuple[str, str]:
        text = "\n".join(" " * len(BAR) + line.text for line in self._lines)
        return selection.extract(text), "\n"

    def selection_updated(self, selection: Selection | None) -> None:
        self.refresh()


def _attributed(events: Iterable[Event]) -> list[Event]:
    """The events of each turn with the model of its reply, which alone tells it."""
    found, model = list(events), None
    for number, one in reversed(list(enumerate(found))):
        model = None if one.kind == "said" else one.model or model
        found[number] = one._replace(model=model)
    return found


def _joined(old: Event, new: Event) -> Event:
    """An event with what a later one adds; what that does not tell stays."""
    if new.kind == "reply":
        return old._replace(text=(old.text or "") + (new.text or ""))
    return old._replace(**new.told())
