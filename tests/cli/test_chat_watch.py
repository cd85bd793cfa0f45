"""Watching a conversation that others hold: when it is read, what is new, and the screen of it."""

from __future__ import annotations

import asyncio
import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from textual.pilot import Pilot

from handoff_cli.chat import holder
from handoff_cli.chat.events import Event
from handoff_cli.chat.following import Following, news
from handoff_cli.chat.talk import Talk
from handoff_cli.chat.watch import Watch
from handoff_cli.errors import HandoffError
from tests.repository import Repository, environment


class Source:
    """A history that counts how often it is asked."""

    def __init__(self) -> None:
        self.asked = 0
        self.events: list[Event] = [Event("said", "gemini", "hello")]
        self.fails = False

    def __call__(self) -> list[Event]:
        self.asked += 1
        if self.fails:
            raise HandoffError("the engine is ill")
        return list(self.events)


def test_the_timeline_is_read_where_something_was_written_alone(
    project: Repository, tmp_path: Path
) -> None:
    project.play("codex")
    source = Source()
    followed = Following(project.path, source)
    assert followed.look() == source.events
    assert followed.look() is None
    project.play("claude-code")
    assert followed.look() == source.events
    assert followed.look() is None
    project.git("switch", "--quiet", "-c", "other")
    assert followed.look() is not None
    assert (followed.look(), source.asked) == (None, 3)


def test_a_transcript_that_grows_without_a_hook_is_seen(
    project: Repository, tmp_path: Path
) -> None:
    project.play("codex")
    (record,) = (project.path / ".handoff/state/sessions").glob("*.json")
    value = json.loads(record.read_text())
    transcript = tmp_path / "transcript.jsonl"
    transcript.write_bytes(Path(value["transcript"]).read_bytes())
    record.write_text(json.dumps({**value, "transcript": str(transcript)}))
    (record.parent / "odd.json").write_text('[{"transcript": 1}]')
    (record.parent / "odder.json").write_text('{"transcript": "\\u0000", "database": 7')
    followed = Following(project.path, Source())
    assert followed.look() is not None
    assert followed.look() is None
    with transcript.open("a") as file:
        file.write("{}\n")
    assert followed.look() is not None
    assert followed.look() is None


def test_an_engine_that_fails_is_asked_again(project: Repository) -> None:
    source = Source()
    source.fails = True
    followed = Following(project.path, source)
    for _ in range(2):
        with pytest.raises(HandoffError, match="is ill"):
            followed.look()
    source.fails = False
    assert followed.look() == source.events


def test_what_is_new_is_told_once_though_the_oldest_are_no_more_told() -> None:
    same = Event("reply", "codex", "yes")
    many = [Event("said", "codex", str(number)) for number in range(4)]
    assert news([], [*many, same]) == [*many, same]
    assert news(many, [*many[1:], same]) == [same]
    assert news([same], [same, same]) == [same]
    late = Event("tool", "codex", "pytest", exit_code=1)
    assert news([*many, late._replace(exit_code=None)], [*many, late]) == [late]


def test_lines_of_json_for_scripts(project: Repository) -> None:
    project.play("codex")
    watching = subprocess.Popen(
        [sys.executable, "-m", "handoff_cli", "chat", "--watch", "--json"],
        cwd=project.path,
        env=environment(project.path),
        stdout=subprocess.PIPE,
    )
    assert watching.stdout
    told = b""
    deadline = time.monotonic() + 60
    try:
        for runtime in ("codex", "claude-code"):
            while f'"agent": "{runtime}"'.encode() not in told:
                assert select.select([watching.stdout], [], [], deadline - time.monotonic())[0]
                told += os.read(watching.stdout.fileno(), 1_000_000)
            project.play("claude-code")
    finally:
        watching.kill()
        watching.communicate()
    values = [json.loads(line) for line in told.splitlines()]
    assert len({json.dumps(value) for value in values}) == len(values)


def look(size: tuple[int, int], steps: Sequence[str], source: Source, project: Path) -> list[str]:
    """What the screen shows after each step: a key, or a text that is said."""

    async def shown(pilot: Pilot[None]) -> str:
        for _ in range(40):
            await pilot.pause(0.02)
            rows = pilot.app.screen._compositor.render_strips()
            lines = ("".join(part.text for part in row) for row in rows)
            text = "\n".join(line[:-2].rstrip() for line in lines)  # but for the scroll bar
            if "reading" not in text:
                break
        return text

    async def there() -> list[str]:
        found = []
        followed = Following(project, source)
        followed.pause_seconds = 0.01
        async with Watch(project, followed).run_test(size=size) as pilot:
            found.append(await shown(pilot))
            for step in steps:
                if step.startswith("say "):
                    source.events.append(Event("reply", "gemini", step[4:]))
                    (project / ".handoff/state/sessions").mkdir(exist_ok=True, parents=True)
                    (project / f".handoff/state/sessions/{len(source.events)}.json").touch()
                    await pilot.pause(1.0)
                else:
                    await pilot.press(step)
                found.append(await shown(pilot) if pilot.app.is_running else "")
        return found

    return asyncio.run(there())


def test_the_screen_grows_at_its_end_and_leaves_alone_who_scrolled_up(project: Repository) -> None:
    source = Source()
    source.events += [Event("reply", "gemini", f"word {number}\n" * 9) for number in range(9)]
    steps = ("say late", "home", "say later", "down", "end", "q")
    first, late, home, later, down, end, gone = look((60, 20), steps, source, project.path)
    assert "watching: nobody holds it · q leaves" in first
    assert "word 8" in first
    assert "late" in late
    assert "hello" in home
    assert home == later
    assert home.split("\n")[1] == down.split("\n")[0]
    assert "later" in end
    assert gone == ""


def test_an_empty_conversation_and_an_engine_that_fails_are_told(project: Repository) -> None:
    source = Source()
    source.events = []
    assert "nothing was said here yet" in look((60, 20), (), source, project.path)[0]
    source.fails = True
    assert "error: the engine is ill" in look((60, 20), (), source, project.path)[0]


def test_who_holds_it_is_known_while_it_lives(tmp_path: Path) -> None:
    (tmp_path / ".handoff/state").mkdir(parents=True)
    assert holder.who(tmp_path) is None
    with holder.held(tmp_path):
        assert holder.who(tmp_path) == os.getpid()
        assert holder.taker(tmp_path) is None
    assert holder.who(tmp_path) is None  # though this process lives
    for left in ("", "no number", "99999999999999999999", "4194304"):
        (tmp_path / holder.LOCK).write_text(left)
        assert holder.who(tmp_path) is None


def test_a_history_of_which_the_oldest_are_no_more_told_is_laid_out_from_its_end_on() -> None:
    talk = Talk()
    many = [Event("said", "codex", str(number)) for number in range(9)]
    talk.become(many[:5])
    talk.become(many[2:6])
    assert talk.shown == many[:6]
    talk.become([many[0], many[7]])
    assert talk.shown == [many[0], many[7]]
    talk.become([])
    assert talk.shown == []
