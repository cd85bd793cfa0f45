"""The screen of `handoff chat`, driven by its keys over a conversation that is played."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any

import pytest
from textual.events import Paste
from textual.pilot import Pilot

from handoff_cli.chat import screen
from handoff_cli.chat.connection import Ask, Tell
from handoff_cli.chat.events import Event, Option
from handoff_cli.chat.prompt import Prompt
from handoff_cli.chat.screen import Chat
from handoff_cli.chat.talk import Talk
from handoff_cli.chat.text import wrapped
from handoff_cli.errors import HandoffError

OPTIONS = (
    Option("once", "allow_once", "Allow once"),
    Option("always", "allow_always", "Always allow"),
    Option("no", "reject_once", "Reject"),
)
HOSTILE = (
    "[red]red[/red] \x1b[2J\x1b]0;owned\x07[@click=app.exit]quit[/] \u202eevil\u200b\u2066 \ud800"
)

Turn = Callable[["Played"], Awaitable[None]]


class Played:
    """A conversation whose turns a test plays."""

    def __init__(self, tell: Tell, ask: Ask, turn: Turn, history: Sequence[Event]) -> None:
        self.tell, self.ask, self._turn, self._history = tell, ask, turn, history
        self.active: str | None = None
        self.said: list[tuple[str, tuple[str, ...]]] = []
        self.answers: list[str | None] = []
        self.cancelled = asyncio.Event()
        self.go_on = asyncio.Event()

    def history(self) -> list[Event]:
        return list(self._history)

    async def use(self, name: str) -> None:
        if name == "nobody":
            raise HandoffError("no agent is called `nobody`", "known are [gemini]")
        self.active = name
        self.tell(Event("agent", name, session=f"{name}-0123456789", status="new"))

    async def say(self, text: str, files: Sequence[str] = ()) -> None:
        self.said.append((text, tuple(files)))
        await self._turn(self)
        self.tell(Event("turn", self.active, status="end_turn"))

    async def cancel(self) -> None:
        self.cancelled.set()


class Seat:
    """Someone at the keyboard."""

    def __init__(self, pilot: Pilot[None]) -> None:
        self.pilot = pilot
        assert isinstance(pilot.app, Chat)
        self.app = pilot.app
        self.chat: Played = self.app.conversation
        self.talk = self.app.query_one(Talk)
        self.prompt = self.app.query_one(Prompt)

    async def enter(self, text: str) -> None:
        self.prompt.insert(text)
        await self.press("enter")

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await self.pilot.pause()

    async def until(self, text: str) -> None:
        for _ in range(200):
            if text in self.everything():
                return
            await self.pilot.pause(0.01)
        raise AssertionError(f"{text!r} is not in:\n{self.everything()}")

    def everything(self) -> str:
        """What the terminal is given, lines joined; no colours."""
        rows = self.app.screen._compositor.render_strips()
        return "\n".join("".join(one.text for one in row).rstrip() for row in rows)


async def nothing(chat: Played) -> None:
    pass


def sit(
    project: Path,
    act: Callable[[Seat], Coroutine[Any, Any, None]],
    turn: Turn = nothing,
    history: Sequence[Event] = (),
    size: tuple[int, int] = (100, 30),
    agent: str = "gemini",
) -> None:
    async def there() -> None:
        app = Chat(project, agent, lambda tell, ask: Played(tell, ask, turn, history))
        async with app.run_test(size=size) as pilot:
            seat = Seat(pilot)
            await seat.until("ready")
            await act(seat)

    asyncio.run(there())


def test_a_reply_grows_in_place_while_it_streams(tmp_path: Path) -> None:
    async def turn(chat: Played) -> None:
        chat.tell(Event("reply", "gemini", "Two tests "))
        await chat.go_on.wait()
        chat.tell(Event("reply", "gemini", "fail.\nBoth"))
        chat.tell(Event("reply", "gemini", " are old."))

    async def act(seat: Seat) -> None:
        await seat.enter("What is left?")
        await seat.until("Two tests")
        assert "working" in seat.everything()
        assert "fail" not in seat.everything()
        seat.chat.go_on.set()
        await seat.until("Both are old.")
        await seat.until("ready")
        shown = seat.everything()
        assert "you → gemini" in shown
        assert "Two tests fail.\n" in shown
        assert shown.count("Two tests") == 1
        assert seat.chat.said == [("What is left?", ())]

    sit(tmp_path, act, turn)


def test_tools_are_updated_and_failing_ones_show_the_end_of_their_output(tmp_path: Path) -> None:
    async def turn(chat: Played) -> None:
        chat.tell(Event("tool", "gemini", "pytest -q", id="1", status="pending"))
        chat.tell(Event("tool", "gemini", "ls", id="2", status="completed", output="secret place"))
        late = "\n".join(f"line {number}" for number in range(1, 9))
        chat.tell(Event("tool", "gemini", id="1", status="completed", output=late))
        chat.tell(Event("tool", "gemini", "pytest -q", exit_code=2))
        chat.tell(Event("plan", "gemini", steps=(("find it", "pending"),)))
        chat.tell(Event("plan", "gemini", steps=(("find it", "completed"), ("mend it", "pending"))))

    async def act(seat: Seat) -> None:
        await seat.enter("go")
        await seat.until("mend it")
        shown = seat.everything()
        assert "✗ pytest -q  [exit 2, 8 lines]" in shown
        assert "line 5" not in shown
        assert "line 6" in shown
        assert "• ls  [completed, 1 line]" in shown
        assert "secret place" not in shown
        assert "✓ find it" in shown
        assert "· find it" not in shown
        await seat.press("ctrl+o")
        assert "line 1" in seat.everything()
        assert "secret place" in seat.everything()
        await seat.press("ctrl+o")
        assert "line 1" not in seat.everything()

    sit(tmp_path, act, turn)


def test_the_model_is_told_once_also_where_it_is_known_only_at_the_end(tmp_path: Path) -> None:
    async def turn(chat: Played) -> None:
        chat.tell(Event("tool", "gemini", "ls", id="1", status="completed"))
        chat.tell(Event("reply", "gemini", "Empty."))
        await chat.go_on.wait()
        chat.tell(Event("turn", "gemini", status="end_turn", model="large"))

    async def act(seat: Seat) -> None:
        await seat.enter("go")
        await seat.until("Empty.")
        assert "large" not in seat.everything()
        seat.chat.go_on.set()
        await seat.until("gemini · large")
        assert seat.everything().count("gemini · large") == 1
        assert "codex · small" in seat.everything()
        assert seat.everything().count("codex") == 2  # once whom it was said to

    history = [
        Event("said", "codex", "and?"),
        Event("tool", "codex", "make", exit_code=0),
        Event("reply", "codex", "Done.", model="small"),
    ]
    sit(tmp_path, act, turn, history)


async def asks(chat: Played) -> None:
    chat.answers.append(await chat.ask(Event("permission", "gemini", "rm -r x", options=OPTIONS)))
    chat.tell(Event("reply", "gemini", f"heard {chat.answers}"))


def test_a_permission_is_answered_by_number_and_the_input_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(screen, "UNSEEN_SECONDS", 0)

    async def act(seat: Seat) -> None:
        await seat.enter("go")
        await seat.until("gemini asks: rm -r x")
        assert "2  Always allow" in seat.everything()
        await seat.press("x", "9", "enter")
        assert seat.chat.answers == []
        assert seat.prompt.text == ""
        await seat.press("2")
        await seat.until("heard ['always']")
        assert "→ Always allow" in seat.everything()
        assert "1  Allow once" not in seat.everything()
        assert seat.app.focused is seat.prompt

    sit(tmp_path, act, asks)


def test_esc_refuses_a_permission_and_the_turn_goes_on(tmp_path: Path) -> None:
    async def act(seat: Seat) -> None:
        await seat.enter("go")
        await seat.until("gemini asks")
        await seat.press("1")  # typed before anyone could have read it
        assert seat.chat.answers == []
        await seat.press("escape")
        await seat.until("heard [None]")
        assert not seat.chat.cancelled.is_set()
        assert "→ cancelled" in seat.everything()

    sit(tmp_path, act, asks)


def test_a_permission_of_a_turn_that_failed_is_withdrawn(tmp_path: Path) -> None:
    async def turn(chat: Played) -> None:
        asked = asyncio.create_task(asks(chat))
        await chat.go_on.wait()
        del asked
        raise HandoffError("gemini ended with 1 in its turn", "send it again")

    async def act(seat: Seat) -> None:
        await seat.enter("go")
        await seat.until("gemini asks")
        seat.chat.go_on.set()
        await seat.until("error: gemini ended with 1 in its turn. send it again")
        assert seat.chat.answers == [None]
        assert seat.app.focused is seat.prompt

    sit(tmp_path, act, turn)


@pytest.mark.parametrize("typed", ["/cancel", None])
def test_a_running_turn_is_cancelled_and_what_is_typed_meanwhile_stays(
    tmp_path: Path, typed: str | None
) -> None:
    async def turn(chat: Played) -> None:
        await chat.cancelled.wait()
        chat.tell(Event("turn", "gemini", status="cancelled"))

    async def act(seat: Seat) -> None:
        await seat.enter("go")
        await seat.enter("and then")
        await seat.until("not now: working")
        assert seat.prompt.text == "and then"
        assert len(seat.chat.said) == 1
        if typed:
            seat.prompt.clear()
            await seat.enter(typed)
        else:
            await seat.press("escape")
        await seat.until("gemini ended its turn: cancelled")
        await seat.until("ready")

    sit(tmp_path, act, turn)


def test_switch_goes_on_with_another_agent_or_says_why_not(tmp_path: Path) -> None:
    async def turn(chat: Played) -> None:
        chat.tell(Event("usage", chat.active, used_tokens=371, window_tokens=1000))

    async def act(seat: Seat) -> None:
        await seat.enter("hello")
        await seat.until("gemini · ready · context 37 % · session gemini-0")
        await seat.enter("/switch codex")
        await seat.until("codex · ready · session codex-01")
        await seat.enter("/switch nobody")
        await seat.until("error: no agent is called `nobody`. known are [gemini]")
        await seat.enter("/switch")
        await seat.until("needs a name")
        assert seat.chat.active == "codex"
        assert seat.chat.said == [("hello", ())]

    sit(tmp_path, act, turn)


def test_an_agent_that_does_not_start_leaves_a_chat_to_switch_in(tmp_path: Path) -> None:
    async def act(seat: Seat) -> None:
        await seat.until("error: no agent is called `nobody`")
        await seat.enter("hello")
        await seat.until("no agent is there")
        assert seat.chat.said == []
        seat.prompt.clear()
        await seat.enter("/switch codex")
        await seat.until("codex · ready")

    sit(tmp_path, act, agent="nobody")


def test_what_the_mouse_marks_is_copied_as_it_stands(tmp_path: Path) -> None:
    async def act(seat: Seat) -> None:
        await seat.pilot.mouse_down(seat.talk, offset=(8, 2))
        await seat.pilot.hover(seat.talk, offset=(6, 5))
        await seat.pilot.mouse_up(seat.talk, offset=(6, 5))
        rows = seat.app.screen._compositor.render_strips()
        assert "is left?" in [one.text for row in rows for one in row]  # in a colour of its own
        await seat.press("ctrl+c")
        assert seat.app.clipboard.split() == ["is", "left?", "gemini", "you"]

    history = [Event("said", "gemini", "what is left?"), Event("reply", "gemini", "you know")]
    sit(tmp_path, act, history=history)


def test_an_attached_file_goes_with_the_next_message_only(tmp_path: Path) -> None:
    (tmp_path / "a b.txt").write_text("x", encoding="ascii")

    async def act(seat: Seat) -> None:
        await seat.enter("/attach none.txt")
        await seat.until("`none.txt` is no file")
        seat.prompt.clear()
        await seat.enter("/attach a b.txt")
        await seat.until("1 attached")
        await seat.enter("read it")
        await seat.until("(with a b.txt)")
        await seat.enter("again")
        await seat.until("again")
        assert seat.chat.said == [("read it", ("a b.txt",)), ("again", ())]

    sit(tmp_path, act)


def test_an_unknown_command_is_told_and_not_sent(tmp_path: Path) -> None:
    async def act(seat: Seat) -> None:
        await seat.enter("/swich codex")
        await seat.until("`/swich` is no command")
        assert seat.chat.said == []
        assert seat.prompt.text == "/swich codex"
        seat.prompt.clear()
        await seat.enter(" /etc/hosts is what?")
        await seat.until("you → gemini")
        assert seat.chat.said == [("/etc/hosts is what?", ())]
        await seat.enter("/help")
        await seat.until("/attach FILE")
        await seat.enter("/quit")
        assert not seat.app.is_running

    sit(tmp_path, act)


def test_a_message_of_several_lines(tmp_path: Path) -> None:
    async def act(seat: Seat) -> None:
        await seat.press("a", "ctrl+j", "b", "shift+enter", "c", "enter")
        await seat.until("you → gemini")
        assert seat.chat.said == [("a\nb\nc", ())]

    sit(tmp_path, act)


def test_a_paste_hides_nothing_from_who_sends_it(tmp_path: Path) -> None:
    async def act(seat: Seat) -> None:
        seat.app.post_message(Paste("run\r\nit\u200b\x1b[2J\U000e0041"))
        await seat.pilot.pause()
        await seat.press("enter")
        await seat.until("you → gemini")
        assert seat.chat.said == [("run\nit⟨U+200B⟩⟨U+E0041⟩", ())]

    sit(tmp_path, act)


def test_a_terminal_of_hardly_any_size_comes_back_as_it_was(tmp_path: Path) -> None:
    async def act(seat: Seat) -> None:
        await seat.until("(new)")
        shown = seat.everything()
        for size in ((6, 4), (1, 1), (12, 2)):
            await seat.pilot.resize_terminal(*size)
            await seat.pilot.pause()
        await seat.pilot.resize_terminal(100, 30)
        await seat.until("(new)")
        assert seat.everything() == shown

    history = [
        Event("said", "gemini", "漢字 is left?"),
        Event("reply", "gemini", "- **漢字漢字** and `code`\n1. none"),
        Event("tool", "gemini", "漢字漢字漢字漢字", exit_code=1, output="漢字漢字漢字漢字\n" * 3),
    ]
    sit(tmp_path, act, history=history)


def test_nothing_hostile_reaches_the_terminal(tmp_path: Path) -> None:
    async def turn(chat: Played) -> None:
        chat.tell(Event("reply", "gemini", HOSTILE, model=HOSTILE))
        chat.tell(Event("tool", HOSTILE, HOSTILE, exit_code=1, output=HOSTILE, status=HOSTILE))
        chat.tell(Event("plan", "gemini", steps=((HOSTILE, HOSTILE),)))
        chat.tell(Event("note", HOSTILE, HOSTILE))
        chat.tell(Event("agent", HOSTILE, session=HOSTILE, status=HOSTILE))
        await chat.ask(
            Event("permission", "gemini", HOSTILE, options=(Option("x", HOSTILE, HOSTILE),))
        )

    async def act(seat: Seat) -> None:
        await seat.enter(HOSTILE)
        await seat.until("Esc  cancel")
        shown = seat.everything()
        for _ in range(2):  # as long as it is asked, and after
            assert "[red]red[/red]" in shown
            assert "⟨U+202E⟩evil" in shown
            assert "owned" not in shown
            assert all(char.isprintable() or char == "\n" for char in shown)
            await seat.press("escape")
            await seat.until("→ cancelled")
            shown = seat.everything()

    history = [Event("said", "gemini", HOSTILE), Event("reply", "gemini", HOSTILE)]
    sit(tmp_path, act, turn, history, size=(100, 60))


def test_lines_are_as_wide_as_the_terminal_at_most_and_lose_nothing() -> None:
    assert wrapped("hello brave new world", 11) == ["hello brave", "new world"]
    assert wrapped("    indented", 10) == ["    indent", "ed"]
    assert wrapped("漢字漢字\nb\r\nc\td", 5) == ["漢字", "漢字", "b", "c   d"]
    marks = "x" + "\u0301" * 40 + "漢" * 9
    assert "".join(wrapped(marks, 10)) == marks
    assert wrapped("a" * 25, 10) == ["a" * 10, "a" * 10, "a" * 5]


def long_history() -> list[Event]:
    words = "- The parser **drops** the last line of a file that has no `\\n` at its end. " * 6
    found = []
    for number in range(500):
        found += [
            Event("said", "gemini", f"question {number}", at=1.0),
            Event("reply", ("gemini", "codex")[number % 2], words + "\n\n" + words, model="large"),
            Event("tool", "codex", f"pytest {number}", exit_code=number % 3, output="out\n" * 50),
            Event("reply", "codex", "漢字 ünï — done. " * 20, model="small"),
        ]
    return found


def test_a_long_reply_in_thousands_of_parts_costs_little(tmp_path: Path) -> None:
    async def turn(chat: Played) -> None:
        for number in range(3000):
            chat.tell(
                Event("reply", "gemini", f"part **{number}** of `it`" + " \n"[number % 7 == 0])
            )
            if number % 10 == 0:
                await asyncio.sleep(0)
        chat.tell(Event("reply", "gemini", "\nend"))

    async def act(seat: Seat) -> None:
        started = time.process_time()
        await seat.enter("go")
        await seat.until("end")
        assert time.process_time() - started < 2
        assert len(seat.talk.shown[-1].text or "") > 40_000

    sit(tmp_path, act, turn)


def test_a_long_history_opens_fast_and_scrolls(tmp_path: Path) -> None:
    started = time.process_time()
    opened: list[float] = []

    async def act(seat: Seat) -> None:
        opened.append(time.process_time() - started)
        assert "question 499" in "\n".join(line.text for line in seat.talk._lines[-40:])
        seconds = time.process_time()
        for _ in range(20):
            await seat.press("pageup")
        assert time.process_time() - seconds < 2
        there = seat.talk.scroll_offset.y
        assert there < seat.talk.max_scroll_y - 300
        seat.chat.tell(Event("reply", "gemini", "late"))
        await seat.pilot.pause(0.1)
        assert "late" in seat.talk._lines[-1].text
        assert seat.talk.scroll_offset.y == there  # whoever reads is left alone
        await seat.press("ctrl+o", "ctrl+o", "ctrl+end")
        await seat.until("late")

    sit(tmp_path, act, history=long_history())
    assert opened[0] < 2
