"""Agents' Markdown on the screen: every sign stays, and looks as it is meant."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from handoff_cli.chat.events import Event
from handoff_cli.chat.markdown import rows
from tests.cli.test_chat_screen import HOSTILE, Seat, sit

REPLY = """\
# What is left
Two **old tests** fail in `test_app.py`:
```python
x = `**no mark**`
```
- one item that is longer than a narrow screen is wide
  12. another one that is longer than it, too
~~~
``` is no end
~~~
end"""


def looks(text: str, width: int = 100) -> list[list[tuple[str, str]]]:
    """Each row's parts that look different, with the row's own look first."""
    return [
        [(row.text, row.look), *((row.text[one.start : one.end], one.look) for one in row.spans)]
        for row in rows(text, width)
    ]


def test_headings_bold_words_and_code_have_looks_and_keep_their_signs() -> None:
    found = looks(REPLY)
    assert [row[0][0] for row in found] == REPLY.split("\n")
    assert [row[0][1] for row in found] == [
        *("strong", "text", "quiet", "block", "quiet"),
        *("text", "text", "quiet", "block", "quiet", "text"),
    ]
    assert found[1][1:] == [
        *(("**", "quiet"), ("old tests", "strong"), ("**", "quiet")),
        *(("`", "quiet"), ("test_app.py", "code"), ("`", "quiet")),
    ]
    assert found[3][1:] == []


def test_what_only_looks_like_a_mark_is_text() -> None:
    for line in ("2 ** 3 ** 4", "a `b", "#5 is open", "**", "`` ` ``x`", "a* b*", "1.5 is it"):
        assert [row for row in looks(line) if row[1:] or row[0][1] != "text"] == [], line


def test_an_item_goes_on_under_its_words_and_a_mark_in_the_next_row() -> None:
    found = looks("- one **two three** four\n  10. five six seven\n> said long ago", 12)
    assert [row[0][0] for row in found] == [
        *("- one **two", "  three**", "  four"),
        *("  10. five", "      six", "      seven"),
        *("> said long", "  ago"),
    ]
    assert found[1][1:] == [("three", "strong"), ("**", "quiet")]
    assert max(len(row[0][0]) for row in looks("- " * 40 + "x" * 40, 10)) == 10


def test_a_fence_that_is_still_open_goes_on() -> None:
    assert [row[0][1] for row in looks("````\n```\n**a**")] == ["quiet", "block", "block"]


@pytest.mark.parametrize(
    "part", ["`", "**", "**a ", "a**", "`a ``b ", "~`", "- ", "> 1. ", " ", "漢", "*a", "x"]
)
def test_no_line_costs_more_than_its_length(part: str) -> None:
    for line in (part * 50_000, "```" + part * 50_000):
        started = time.process_time()
        assert "".join(row.text.strip() for row in rows(line, 80)).count("x") == line.count("x")
        assert time.process_time() - started < 1


def test_the_screen_shows_looks_and_copies_text(tmp_path: Path) -> None:
    async def act(seat: Seat) -> None:
        drawn = seat.app.screen._compositor.render_strips()
        styles = {part.text: part.style for row in drawn for part in row if part.style}
        assert styles["# What is left"].bold
        assert styles["old tests"].bold
        assert not styles["Two "].bold
        assert styles["test_app.py"].bgcolor != styles["Two "].bgcolor
        await seat.pilot.mouse_down(seat.talk, offset=(3, 3))
        await seat.pilot.hover(seat.talk, offset=(24, 3))
        await seat.pilot.mouse_up(seat.talk, offset=(24, 3))
        await seat.press("ctrl+c")
        assert seat.app.clipboard == "Two **old tests** fail"

    sit(tmp_path, act, history=[Event("reply", "gemini", REPLY)])


def test_marks_of_a_hostile_text_change_its_look_alone() -> None:
    text = f"# {HOSTILE}\n- **{HOSTILE}** `{HOSTILE}`\n```{HOSTILE}\n{HOSTILE}"
    for row in rows(text, 30):
        assert row.text.isprintable()
        assert "owned" not in row.text
