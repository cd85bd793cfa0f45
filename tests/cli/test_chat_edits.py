"""Edits that agents tell, as diffs: in events, in lines of JSON and on the screen."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from acp import schema

from handoff_cli.chat import edits, updates
from handoff_cli.chat.edits import edit
from handoff_cli.chat.events import Event
from handoff_cli.chat.lines import lines
from tests.cli.test_chat_screen import HOSTILE, OPTIONS, Played, Seat, sit

LONG = [f"line {number}" for number in range(1, 61)]


def text(rows: Sequence[str]) -> str:
    return "\n".join(rows) + "\n"


@pytest.mark.parametrize(
    "new",
    [
        [*LONG[:30], "other", *LONG[30:]],
        [*LONG[:4], *LONG[6:50], "a", "b", *LONG[50:]],
        ["first", *LONG[:-1]],
        [],
        LONG[30:] + LONG[:30],
    ],
)
def test_a_diff_makes_the_new_file_of_the_old_one(tmp_path: Path, new: list[str]) -> None:
    (tmp_path / "app.py").write_text(text(LONG))
    made = edit("app.py", text(LONG), "".join(f"{one}\n" for one in new))
    patch = "--- app.py\n+++ app.py\n" + text(made.diff)
    subprocess.run(["git", "apply"], cwd=tmp_path, input=patch.encode(), check=True)
    there = tmp_path / "app.py"
    assert (there.read_text().splitlines() if there.exists() else []) == new
    assert made.added - made.removed == len(new) - len(LONG)
    assert not made.is_new


def test_a_file_that_was_not_there_is_new() -> None:
    made = edit("app.py", None, "a\nb\n")
    assert made == edits.Edit("app.py", True, 2, 0, ("@@ -0,0 +1,2 @@", "+a", "+b"))
    assert not edit("app.py", "", "a\n").is_new


@pytest.mark.parametrize(
    ("old", "new", "counted"),
    [
        (map(str, range(60_000)), map(str, range(1, 60_001)), (1, 1)),
        ("ab" * 30_000, "ba" * 30_000, (0, 0)),
        (["x" * 20_000_000], ["y" * 20_000_000], (1, 1)),
        ([], ["y"] * 200_000, (200_000, 0)),
    ],
)
def test_huge_texts_cost_little_and_are_counted(
    old: Sequence[str], new: Sequence[str], counted: tuple[int, int]
) -> None:
    before, after = "\n".join(old), "\n".join(new)
    started = time.process_time()
    made = edit("app.py", before, after)
    assert time.process_time() - started < 2
    assert (made.added, made.removed) == counted
    assert len(made.diff) <= edits.MAX_LINES
    assert all(len(line) <= edits.MAX_LINE_CHARS for line in made.diff)


def test_what_an_agent_tells_of_an_edit_is_in_its_event_and_in_json() -> None:
    parts = [
        {"type": "diff", "path": f"/app/{number}.py", "oldText": "a\n", "newText": "b\n"}
        for number in range(updates.MAX_DIFFS + 2)
    ]
    given = {"sessionUpdate": "tool_call", "toolCallId": "t", "title": "Edit", "content": parts}
    told = schema.SessionNotification.model_validate({"sessionId": "s", "update": given})
    (event,) = updates.events("mine", told.update)
    assert event.output is None
    value = json.loads(json.dumps(event.value()))
    assert value["edits"][0] == {
        "path": "/app/0.py",
        "is_new": False,
        "added": 1,
        "removed": 1,
        "diff": ["@@ -1 +1 @@", "-a", "+b"],
        "cut_lines": 0,
    }
    assert [bool(one["diff"]) for one in value["edits"]] == [True] * updates.MAX_DIFFS + [False] * 2
    call = schema.ToolCallUpdate.model_validate({"toolCallId": "t", "content": parts[:1]})
    assert updates.permission("mine", "1", call, ()).edits == event.edits[:1]


def test_a_diff_is_folded_and_unfolded_and_names_its_file(tmp_path: Path) -> None:
    changed = edit(str(tmp_path / "src/app.py"), text(LONG[:10]), text(["new"] * 20))
    made = edit("/elsewhere/new.py", None, "print()\n")

    async def turn(chat: Played) -> None:
        chat.tell(Event("tool", "gemini", "Edit", id="1", status="pending", edits=(changed, made)))
        chat.tell(Event("tool", "gemini", "Edit", id="1", status="completed"))

    async def act(seat: Seat) -> None:
        await seat.enter("go")
        await seat.until("[completed]")
        shown = seat.everything()
        assert "  src/app.py  [+20 -10]" in shown
        assert "  /elsewhere/new.py  [+1 -0, new file]" in shown
        assert "  +print()" in shown
        assert "-line 7" in shown
        assert "-line 8" not in shown
        assert "… 23 more lines, Ctrl+O shows them" in shown
        looks = {line.text.strip(): line.look for line in seat.talk._lines}
        assert (looks["-line 7"], looks["+print()"]) == ("removed", "added")
        await seat.press("ctrl+o")
        assert "-line 8" in seat.everything()
        assert seat.everything().count("+new") == 20
        assert "more lines" not in seat.everything()

    sit(tmp_path, act, turn, size=(100, 60))


def test_who_is_asked_sees_what_is_asked_for(tmp_path: Path) -> None:
    changes = (edit("app.py", text(LONG[:10]), text(["new"] * 10)),)
    other = (edit("b.py", None, "b = 1\n"),)

    async def turn(chat: Played) -> None:
        chat.tell(Event("tool", "gemini", "Edit", id="1", status="pending", edits=changes))
        await chat.ask(Event("permission", "gemini", "Edit", options=OPTIONS, edits=changes))
        await chat.ask(Event("permission", "gemini", "Write", options=OPTIONS, edits=other))

    async def act(seat: Seat) -> None:
        await seat.enter("go")
        await seat.until("gemini asks: Edit")
        assert seat.everything().count("app.py  [+10 -10]") == 2
        assert seat.everything().count("+new") == 10
        await seat.press("escape")
        await seat.until("gemini asks: Write")
        assert seat.everything().count("app.py  [+10 -10]") == 1
        assert "+new" not in seat.everything()
        assert "+b = 1" in seat.everything()
        await seat.press("escape")

    sit(tmp_path, act, turn, size=(100, 60))


def test_nothing_in_an_edit_is_obeyed_or_passes_for_another_line() -> None:
    old = f"{HOSTILE}\nb\n"
    new = "+ fine\u2028-never there\r-nor this\n" + HOSTILE + "\n- wide " * 3 + "x" * 90
    event = Event("tool", HOSTILE, edits=(edit(f"a\n+evil {HOSTILE}", old, new),))
    shown = lines(event, None, 40, unfolded=True)
    assert all(line.text.isprintable() for line in shown)
    assert "owned" not in "".join(line.text for line in shown)
    for line in shown:
        if not line.text.startswith("    "):  # what a line goes on with
            assert line.text.startswith("  +") == (line.look == "added"), line
            assert line.text.startswith("  -") == (line.look == "removed"), line
