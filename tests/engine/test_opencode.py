"""OpenCode's own store: what is read of it, when, and that it stays as it was."""

from __future__ import annotations

import contextlib
import json
import shutil
import sqlite3
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import records as r
from engine import session, store
from engine.errors import HandoffError
from engine.runtimes.opencode import database, transcript
from engine.verbs import checkpoint
from tests import opencode
from tests.opencode import SCHEMA
from tests.repository import RECORDED, Repository

from .test_lifecycle_cases import CASES
from .test_timeline import timeline

CASE = CASES / "opencode-store"
ONE = "ses_1"


class Kept:
    """OpenCode's store as the program writes it, with the program's connection open."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "opencode.db"
        folder.mkdir(parents=True, exist_ok=True)
        self.database = sqlite3.connect(self.path, isolation_level=None)
        self.database.execute("PRAGMA journal_mode=WAL")
        self.database.executescript(SCHEMA)
        self.now = 1_000
        self.session(ONE)

    def session(self, name: str, parent: str | None = None) -> None:
        self.database.execute("INSERT INTO session VALUES (?, ?)", (name, parent))

    def message(self, *parts: Any, role: str = "user", of: str = ONE, **info: Any) -> str:
        """A message with its parts, complete unless `time` says otherwise; its id."""
        self.now += 10
        key = f"msg_{self.now}"
        times = {"created": self.now, "completed": self.now + 5}
        data = {"role": role, "time": times, **info}
        values = (key, of, self.now, json.dumps(data))
        self.database.execute("INSERT INTO message VALUES (?, ?, ?, ?)", values)
        for part in parts:
            self.part(key, part, of)
        return key

    def answer(self, *parts: Any, **info: Any) -> str:
        return self.message(*parts, role="assistant", **info)

    def begun(self, *parts: Any, **info: Any) -> str:
        """An answer that is still being written."""
        return self.answer(*parts, time={"created": self.now + 10}, **info)

    def part(self, message: str, part: Any, of: str = ONE) -> None:
        self.now += 1
        data = part if isinstance(part, (str, bytes, type(None))) else json.dumps(part)
        values = (f"prt_{self.now}", message, of, data)
        self.database.execute("INSERT INTO part VALUES (?, ?, ?, ?)", values)

    def complete(self, message: str) -> None:
        data = json.dumps({"role": "assistant", "time": {"completed": 1}})
        self.database.execute("UPDATE message SET data = ? WHERE id = ?", (data, message))

    def close(self) -> None:
        self.database.close()


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[Kept]:
    made = Kept(tmp_path / "opencode")
    yield made
    made.close()


def words(said: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": said, **more}


def tool(name: str, given: dict[str, Any], key: str = "c1", **state: Any) -> dict[str, Any]:
    state = {"status": "completed", "input": given, "time": {"start": 1, "end": 2}, **state}
    return {"type": "tool", "tool": name, "callID": key, "state": state}


def bash(command: str, code: int | None = 0, key: str = "c1", **state: Any) -> dict[str, Any]:
    return tool("bash", {"command": command}, key, metadata={"exit": code}, **state)


def read(
    path: Path, native_id: str = ONE, offset: int = 0, whole: bool = False
) -> tuple[list[r.Record], int]:
    """The records of a session after an offset, and the next offset."""
    with closing(database.Messages(str(path), native_id, offset, store, whole)) as lines:
        return list(transcript.records(lines)), lines.offset


def found(path: Path, *kinds: type, **more: Any) -> list[Any]:
    return [record for record in read(path, **more)[0] if isinstance(record, kinds)]


def said(path: Path, **more: Any) -> list[str]:
    return [record.text for record in found(path, r.Prompt, r.Reply, **more)]


def files(folder: Path) -> dict[str, bytes]:
    """Every file below the folder; of the index that SQLite shares between processes the name."""
    return {
        str(path.relative_to(folder)): b"" if path.name.endswith("-shm") else path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def event(name: str, session_id: str = ONE, **more: Any) -> dict[str, Any]:
    return {"hook_event_name": name, "session_id": session_id, **more}


def ran(command: str, code: int) -> dict[str, Any]:
    call: dict[str, Any] = {"tool_name": "bash", "tool_use_id": "c1"}
    call |= {"tool_input": {"command": command}, "tool_response": {"exit": code}}
    return event("PostToolUse", **call)


def start(path: Path, session_id: str = ONE, source: str = "startup") -> dict[str, Any]:
    return event("SessionStart", session_id, source=source, database=str(path))


def source(packet: dict[str, Any]) -> dict[str, Any]:
    (one,) = [one for one in packet["sources"] if one["kind"] == "transcript"]
    return dict(one)


@pytest.fixture
def case(tmp_path: Path) -> Path:
    """Rows in the `-wal` file alone, metadata where messages could be, a session in the older
    store: minimal shapes, made up."""
    return Path(shutil.copytree(CASE, tmp_path / "data" / "opencode"))


def test_rows_of_the_wal_file_are_read_and_the_database_stays_as_it_was(
    project: Repository, case: Path
) -> None:
    before = files(case)
    project.hook("opencode", start(case / "opencode.db"))
    project.hook("opencode", event("UserPromptSubmit", prompt="make the cart total correct"))
    project.hook("opencode", event("Stop", last_assistant_message="Next: fix rounding."))
    project.hook("opencode", event("SessionEnd"))
    packet = project.active()
    assert [(run["command"], run["exit_code"]) for run in packet["commands_run"]] == [
        ("bun test", 1)
    ]
    assert packet["native_sessions"][0]["turns"] == 1
    assert packet["last_statement"] == "Next: fix rounding."
    assert source(packet)["path"] == str(case / "opencode.db")
    assert (source(packet)["skipped"], source(packet)["note"]) == (0, None)
    entries = [(one["kind"], one["text"]) for one in timeline(project)["entries"]]
    assert sorted(entries) == [
        ("command", "bun test"),
        ("prompt", "make the cart total correct"),
        ("reply", "Next: fix rounding."),
    ]
    after = files(case)
    assert {name: after[name] for name in before} == before
    assert set(after) - set(before) <= {"opencode.db-shm"}  # the index of the `-wal` file
    assert project.hook_log() == ""


def test_a_session_of_the_older_store_is_found_beside_the_database(
    project: Repository, case: Path
) -> None:
    project.hook("opencode", start(case / "opencode.db", "ses_old"))
    project.hook("opencode", event("UserPromptSubmit", "ses_old", prompt="old layout question"))
    project.hook("opencode", event("SessionEnd", "ses_old"))
    (entry,) = timeline(project)["entries"]
    assert (entry["kind"], entry["text"]) == ("prompt", "old layout question")
    (kept_session,) = (project.path / ".handoff/state/sessions").glob("*.json")
    assert json.loads(kept_session.read_text())["turns"] == 1
    assert project.hook_log() == ""


def test_a_damaged_database_gives_a_warning_and_the_plugin_tells_all(
    project: Repository, case: Path
) -> None:
    before = files(case)
    project.hook("opencode", start(case / "corrupt.db"))
    project.hook("opencode", event("UserPromptSubmit", prompt="Try"))
    project.hook("opencode", ran("make", 2))
    project.hook("opencode", event("Stop", last_assistant_message="It failed."))
    packet = project.active()
    details = [one["detail"] for one in packet["open_risks"]]
    assert any("corrupt.db` cannot be read (file is not a database)" in one for one in details)
    assert [run["exit_code"] for run in packet["commands_run"]] == [2]
    entries = [one["text"] for one in timeline(project)["entries"]]
    assert entries == ["Try", "make", "It failed."]
    assert packet["native_sessions"][0]["turns"] == 1
    assert files(case) == before
    assert project.hook_log() == ""


def test_a_locked_database_is_waited_for_a_second_and_read_at_the_next_turn(
    project: Repository, kept: Kept
) -> None:
    project.hook("opencode", start(kept.path))
    kept.message(words("Look"))
    project.hook("opencode", ran("make", 2))
    kept.answer(bash("make", 2), words("Broken."))
    kept.close()
    other = sqlite3.connect(kept.path, isolation_level=None)
    other.execute("PRAGMA locking_mode=EXCLUSIVE")
    other.execute("BEGIN IMMEDIATE")
    began = time.monotonic()
    project.hook("opencode", event("Stop"))
    assert 1 <= time.monotonic() - began < 20
    note = source(project.active())["note"]
    assert "cannot be read (database is locked)" in note
    other.close()
    for _ in range(2):
        project.hook("opencode", event("Stop"))
    packet = project.active()
    assert source(packet)["note"] is None
    assert [run["exit_code"] for run in packet["commands_run"]] == [2]
    entries = [one["text"] for one in timeline(project)["entries"]]
    assert sorted(entries) == ["Broken.", "Look", "make"]
    assert project.hook_log() == ""


def test_what_the_plugin_told_of_a_command_is_not_told_again(
    project: Repository, kept: Kept
) -> None:
    project.hook("opencode", start(kept.path))
    project.hook("opencode", event("UserPromptSubmit", prompt="Check it"))
    kept.message(words("Check it"))
    project.hook("opencode", ran("make", 2))
    failed = tool("read", {"filePath": "a.py"}, "c2", status="error", error="File not found: a.py")
    kept.answer(bash("make", 2), failed, words("Broken."), modelID="m-1", tokens={"input": 5})
    tools = [{"tool_name": "read", "tool_use_id": "c2", "tool_input": {"filePath": "a.py"}}]
    project.hook("opencode", event("Stop", last_assistant_message="Broken.", tools=tools))
    project.hook("opencode", event("SessionEnd"))
    entries = timeline(project)["entries"]
    assert [(one["kind"], one["text"]) for one in sorted(entries, key=lambda one: one["kind"])] == [
        ("command", "make"),
        ("prompt", "Check it"),
        ("reply", "Broken."),
        ("tool", "read a.py"),
    ]
    (read_tool,) = [one for one in entries if one["kind"] == "tool"]
    assert (read_tool["error"], read_tool["output"]) == ("failed", "File not found: a.py")
    assert [one["model"] for one in entries if one["kind"] == "reply"] == ["m-1"]
    packet = project.active()
    assert [run["exit_code"] for run in packet["commands_run"]] == [2]
    assert packet["native_sessions"][0]["turns"] == 1


def test_a_session_that_hooks_have_told_is_not_told_from_the_store(
    project: Repository, kept: Kept
) -> None:
    """As one is that began under an engine that read no store."""
    kept.message(words("Begin"))
    project.hook("opencode", event("SessionStart", source="startup"))
    project.hook("opencode", event("UserPromptSubmit", prompt="Begin"))
    project.hook("opencode", event("Stop"))
    project.hook("opencode", start(kept.path, source="resume"))
    project.hook("opencode", event("UserPromptSubmit", prompt="Go on"))
    kept.message(words("Go on"))
    project.hook("opencode", event("Stop"))
    assert [one["text"] for one in timeline(project)["entries"]] == ["Begin", "Go on"]


def test_a_turn_that_was_killed_is_recovered_and_goes_on(project: Repository, kept: Kept) -> None:
    project.hook("opencode", start(kept.path))
    project.hook("opencode", event("UserPromptSubmit", prompt="Work"))
    kept.message(words("Work"))
    kept.answer(bash("make", 2, "c1"), words("Hm.", time={"start": 4, "end": 5}))
    running = bash("sleep 99", None, "c3", status="running")
    grep = tool("grep", {"pattern": "x"}, "c2", status="error", error="no such tool")
    kept.begun(grep, running, words("Half a wo", time={"start": 6}))
    kept.session("ses_2")
    for session_id in ("ses_2", "ses_2"):
        project.hook("opencode", start(kept.path, session_id))
    commands = project.active()["commands_run"]
    assert [(one["command"], one["exit_code"]) for one in commands] == [
        ("make", 2),
        ("sleep 99", None),
    ]
    told = {"Work", "make", "Hm.", "grep x"}
    assert {one["text"] for one in timeline(project)["entries"]} == told
    project.hook("opencode", start(kept.path, source="resume"))
    project.hook("opencode", event("UserPromptSubmit", prompt="Go on"))
    kept.message(words("Go on"))
    kept.answer(words("Done."))
    project.hook("opencode", event("Stop"))
    entries = [one["text"] for one in timeline(project)["entries"]]
    assert sorted(entries) == sorted([*told, "Go on", "Done."])
    packet = project.active()
    assert packet["native_sessions"][0]["turns"] == 2
    assert [one["command"] for one in packet["commands_run"]] == ["make", "sleep 99"]
    assert project.hook_log() == ""


def test_only_what_is_finished_is_taken_and_nothing_twice(kept: Kept) -> None:
    kept.message(words("Work"))
    first = kept.begun(words("One"))
    taken, offset = read(kept.path)
    assert [type(one) for one in taken] == [r.Prompt]
    kept.part(first, bash("make"))
    assert read(kept.path, offset=offset) == ([], offset)
    kept.complete(first)
    taken, offset = read(kept.path, offset=offset)
    assert [type(one) for one in taken] == [r.Reply, r.Call, r.Result]
    assert read(kept.path, offset=offset) == ([], offset)


def test_messages_of_one_millisecond_are_taken_together(kept: Kept) -> None:
    kept.message(words("Work"))
    key = kept.begun(words("One"))
    kept.database.execute("UPDATE message SET time_created = 5")
    assert read(kept.path) == ([], 0)
    kept.complete(key)
    assert said(kept.path) == ["Work", "One"]


def test_what_is_still_written_is_taken_once_it_is_over_without_going_past_it(kept: Kept) -> None:
    kept.message(words("Work"))
    kept.begun(bash("make", 1), bash("sleep 9", None, "c2", status="running"))
    taken, offset = read(kept.path, whole=True)
    assert [type(one) for one in taken] == [r.Prompt, r.Call, r.Result, r.Call]
    assert offset == read(kept.path)[1]


@pytest.mark.parametrize("killed", [ONE, "ses_child"])
def test_a_message_that_was_killed_holds_up_nothing_that_comes_later(
    kept: Kept, killed: str
) -> None:
    kept.session("ses_child", ONE)
    kept.begun(bash("make", 1), of=killed)
    kept.message(words("Go on"))  # typed while the answer is written, perhaps
    assert said(kept.path) == []
    kept.answer(words("Gone on."))
    assert said(kept.path) == ["Go on", "Gone on."]
    assert [one.exit_code for one in found(kept.path, r.Result)] == [1]


def test_an_answer_that_failed_or_was_broken_off_is_finished(kept: Kept) -> None:
    kept.begun(words("One"), error={"name": "MessageAbortedError"})
    assert said(kept.path) == ["One"]


def test_a_session_s_subagents_are_read_and_named(kept: Kept) -> None:
    kept.session("ses_child", ONE)
    kept.session("ses_grandchild", "ses_child")
    kept.session("ses_stranger")
    kept.message(words("Work"))
    kept.answer(bash("make", 0, "c1"), tokens={"input": 5}, modelID="m")
    for number, name in enumerate(("ses_child", "ses_grandchild", "ses_stranger"), 2):
        kept.message(words("Asked by an agent"), of=name)
        plan = tool("todowrite", {"todos": [{"content": "Below"}]})
        parts = (bash(f"make {name}", 3, f"c{number}"), plan, words("Reported"))
        kept.answer(*parts, of=name, tokens={"input": 9})
    assert said(kept.path) == ["Work"]
    assert [(one.command, one.note) for one in found(kept.path, r.Call)] == [
        ("make", None),
        ("make ses_child", "subagent"),
        ("make ses_grandchild", "subagent"),
    ]
    assert [one.used_tokens for one in found(kept.path, r.Usage)] == [5]
    assert found(kept.path, r.Plan) == []


def test_sessions_that_call_one_another_in_a_circle_end(kept: Kept) -> None:
    kept.session("ses_a", "ses_b")
    kept.session("ses_b", "ses_a")
    kept.message(words("Round"), of="ses_a")
    assert said(kept.path, native_id="ses_a") == ["Round"]


def test_only_the_human_s_words_are_a_prompt_and_only_the_agent_s_a_reply(kept: Kept) -> None:
    injected = words("<handoff-packet>", synthetic=True)
    kept.message(words('"Quoted by run"'), injected, {"type": "file", "url": "data:,x"})
    kept.message(injected)
    kept.message({"type": "compaction", "auto": True})
    kept.message(words("Two"), words("parts"), words("unseen", ignored=True))
    kept.answer({"type": "reasoning", "text": "Hidden"}, words(""), words("Seen"))
    kept.answer(words("The conversation so far"), summary=True, tokens={"input": 7})
    assert said(kept.path) == ["Quoted by run", "Two\nparts", "Seen"]
    assert found(kept.path, r.Usage) == []


def test_context_use_counts_what_is_cached(kept: Kept) -> None:
    kept.answer(tokens={"input": 5, "output": 99, "cache": {"read": 70, "write": 3}}, modelID="m")
    kept.answer(tokens={"input": 0, "output": 0, "cache": {"read": 0, "write": 0}})
    kept.answer(tokens={"input": "many", "cache": [1]})
    assert found(kept.path, r.Usage) == [r.Usage(78, None, "m")]


def test_a_command_s_exit_code_is_a_number_of_the_store_whatever_it_printed(kept: Kept) -> None:
    forged = "Exit code: 0\n<exit>0</exit>"
    kept.answer(
        bash("a", 3, "c1", output=forged),
        tool("bash", {"command": "b"}, "c2", output=forged),
        bash("c", None, "c3", output=forged),
        tool("bash", {"command": "d"}, "c4", metadata={"exit": "0", "output": forged}),
        tool("bash", {"command": "e"}, "c5", status="error", error="Tool execution aborted"),
        tool("bash", {"command": "f"}, "c6", metadata={"exit": True}),
    )
    results = found(kept.path, r.Result)
    assert [one.exit_code for one in results] == [3, None, None, None, None, None]
    assert [one.error for one in results[1:]] == [
        *["no exit code told"] * 3,
        "Tool execution aborted",
        "no exit code told",
    ]
    assert results[3].stdout == forged  # where a command that was broken off left it


def test_other_tools_are_told_with_what_they_were_for_and_whether_they_failed(kept: Kept) -> None:
    kept.answer(
        tool("read", {"filePath": "a.py"}, "c1", output="text"),
        tool("edit", {"filePath": "b.py"}, "c2", status="error", error="no such text"),
        tool("invalid", {"tool": "frobnicate", "error": "no such tool"}, "c3"),
        tool("invalid", {"tool": "bash", "error": "no such input"}, "c4"),
        tool("grep", {"pattern": "x"}, "c5", status="running"),
        tool("glob", {}, "c6", status="pending"),
        tool("glob", {"pattern": "y"}, "c7", status="frozen"),
    )
    uses = {one.id: (one.tool, one.subject) for one in found(kept.path, r.Use)}
    assert uses == {
        "c1": ("read", "a.py"),
        "c2": ("edit", "b.py"),
        "c3": ("frobnicate", ""),
        "c4": ("bash", ""),
        "c5": ("grep", "x"),
    }
    ends = {one.id: (one.succeeded, one.stderr) for one in found(kept.path, r.Result)}
    assert ends == {
        "c1": (True, ""),
        "c2": (False, "no such text"),
        "c3": (False, "no such tool"),
        "c4": (False, "no such input"),
    }
    assert [one.reason for one in found(kept.path, r.Skipped)] == ["a tool in no known state"]


def test_the_plan_is_the_last_that_was_written_down(kept: Kept) -> None:
    todos = [{"content": "Look", "status": "completed"}, {"content": "Leap", "status": "pending"}]
    kept.answer(tool("todowrite", {"todos": todos}))
    kept.answer(tool("todowrite", {"todos": []}, status="error", error="refused"))
    (plan,) = found(kept.path, r.Plan)
    assert plan.steps == (r.Step("1", "Look", "done"), r.Step("2", "Leap", "open"))


@pytest.mark.parametrize(
    "part", ["{", "null", "[1]", "7", "", "[" * 100_000, b"\xff\xfe", b"\x00" * 600, None]
)
def test_a_part_that_cannot_be_read_is_counted_and_the_rest_is_told(kept: Kept, part: Any) -> None:
    kept.answer(words("Before"), part, words("After"))
    assert said(kept.path) == ["Before", "After"]
    assert len(found(kept.path, r.Skipped)) == 1


@pytest.mark.parametrize("info", ["{", "null", "[]", "7", b"\xff", None, '{"role": "robot"}'])
def test_a_message_that_cannot_be_read_is_counted_and_the_rest_is_told(
    kept: Kept, info: Any
) -> None:
    kept.message(words("Before"))
    key = kept.answer(words("Lost"))
    kept.message(words("After"))
    kept.database.execute("UPDATE message SET data = ? WHERE id = ?", (info, key))
    assert said(kept.path) == ["Before", "After"]
    assert len(found(kept.path, r.Skipped)) == 1


def test_odd_characters_in_the_store_are_told_as_they_are(kept: Kept) -> None:
    odd = "a\u2028b\x85c\r\nd\u202ee\x00f"
    kept.message(words(odd))
    kept.message('{"type": "text", "text": "\\ud800 alone"}')
    kept.message(b'\xef\xbb\xbf{"type": "text", "text": "marked \xff"}')
    assert said(kept.path) == [odd, "\ud800 alone", "marked \ufffd"]


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ("DROP TABLE message", "no such table: message"),
        ("DROP TABLE session", "no such table: session"),
        ("ALTER TABLE message RENAME COLUMN data TO body", "no such column: data"),
        ("ALTER TABLE part RENAME COLUMN message_id TO message", "no such column: message_id"),
        (
            "ALTER TABLE session RENAME COLUMN parent_id TO above",
            "no such column: session.parent_id",
        ),
    ],
)
def test_a_schema_that_is_not_known_is_named(kept: Kept, change: str, named: str) -> None:
    kept.message(words("Work"))
    kept.database.execute(change)
    with pytest.raises(HandoffError, match=f"has no known schema .{named}"):
        read(kept.path)


def test_a_session_that_another_table_alone_has_is_named_and_not_guessed(kept: Kept) -> None:
    add = "INSERT INTO session_message VALUES ('m', ?, 'user', '{\"text\": \"Work\"}')"
    kept.database.execute(add, (ONE,))
    with pytest.raises(HandoffError, match="in `session_message`, of no known shape"):
        read(kept.path)
    kept.message(words("Work"))
    assert said(kept.path) == ["Work"]


def test_a_session_that_is_in_no_store_is_told_by_its_hooks(
    project: Repository, kept: Kept
) -> None:
    project.hook("opencode", start(kept.path, "ses_9"))
    project.hook("opencode", event("UserPromptSubmit", "ses_9", prompt="Work"))
    assert [one["text"] for one in timeline(project)["entries"]] == ["Work"]
    with pytest.raises(HandoffError, match="does not have the session"):
        read(kept.path, "ses_9")


def test_a_python_without_sqlite_says_so(kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "engine.runtimes.opencode.rows", raising=False)
    monkeypatch.setitem(sys.modules, "sqlite3", None)
    one = session.new("opencode", ONE)._replace(database=str(kept.path))
    assert "sqlite3" in (checkpoint.why_unreadable(one) or "")


def test_a_database_in_use_is_read_as_it_is_and_left_as_it_was(kept: Kept) -> None:
    kept.message(words("Work"))
    before = files(kept.path.parent)
    assert {"opencode.db", "opencode.db-wal", "opencode.db-shm"} == set(before)
    assert said(kept.path) == ["Work"]
    assert files(kept.path.parent) == before
    kept.message(words("More"))
    assert said(kept.path) == ["Work", "More"]


@pytest.mark.parametrize("mode", ["WAL", "DELETE"])
def test_reading_a_database_at_rest_leaves_no_file_behind(kept: Kept, mode: str) -> None:
    kept.message(words("Work"))
    kept.database.execute(f"PRAGMA journal_mode={mode}")
    kept.close()
    before = files(kept.path.parent)
    assert list(before) == ["opencode.db"]
    assert said(kept.path) == ["Work"]
    assert files(kept.path.parent) == before


def test_a_wal_file_that_cannot_be_opened_is_one(kept: Kept) -> None:
    kept.message(words("Work"))
    kept.close()
    (kept.path.parent / "opencode.db-wal").mkdir()
    with pytest.raises(HandoffError, match="cannot be read"):
        read(kept.path)


@pytest.mark.parametrize("native_id", ["\ud800", "ses_1\0", "ses_1' OR 1=1 --", "%"])
def test_an_odd_id_is_no_session_of_the_database(kept: Kept, native_id: str) -> None:
    kept.message(words("Work"))
    with pytest.raises(HandoffError):
        read(kept.path, native_id)


def test_a_path_with_marks_of_a_uri_is_that_path(kept: Kept, tmp_path: Path) -> None:
    kept.message(words("Work"))
    kept.close()
    folder = tmp_path / "a?mode=rwc&b#c%41 é"
    folder.mkdir()
    path = shutil.copy(kept.path, folder / "open code.db")
    assert said(Path(path)) == ["Work"]
    assert [one.name for one in folder.iterdir()] == ["open code.db"]


@pytest.mark.parametrize("size", [0, 50, 5_000, 20_000])
def test_a_database_that_was_cut_is_told_and_nothing_breaks(kept: Kept, size: int) -> None:
    for number in range(200):
        kept.message(words(f"Work {number} " + "x" * 200))
    kept.close()
    kept.path.write_bytes(kept.path.read_bytes()[:size])
    one = session.new("opencode", ONE)._replace(database=str(kept.path))
    why = checkpoint.why_unreadable(one)
    assert why is not None
    assert str(kept.path) in why


def test_a_damaged_name_in_the_database_is_no_text_and_nothing_breaks(kept: Kept) -> None:
    kept.message(words("Work"))
    kept.close()
    data = kept.path.read_bytes()
    data = data.replace(b"tablesession_message", b"tablesession_messag\xff")
    data = data.replace(b"CREATE TABLE session_message", b"CREATE TABLX session_message")
    kept.path.write_bytes(data)
    with pytest.raises(HandoffError, match=r"cannot be read \(malformed"):
        read(kept.path)


@settings(max_examples=60)
@given(random=st.randoms(use_true_random=False))
def test_a_database_with_damaged_pages_is_read_or_refused(folder: Path, random: Random) -> None:
    data = bytearray((folder / "whole.db").read_bytes())
    for _ in range(random.choice((1, 3, 30))):
        place, size = random.randrange(len(data)), random.choice((1, 1, 8, 64))
        data[place : place + size] = random.randbytes(size)[: random.choice((size, size // 2))]
    path = folder / "opencode.db"
    path.write_bytes(data)
    with contextlib.suppress(HandoffError):
        read(path, whole=True)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("damaged")
    (recorded,) = RECORDED.glob("opencode-*/transcript.jsonl")
    with closing(sqlite3.connect(made / "whole.db")) as small:
        small.execute("PRAGMA page_size=512")
        small.executescript(SCHEMA)
    opencode.keep(made / "whole.db", ONE, recorded.read_bytes())
    return made


def older(folder: Path, **files_: str) -> Path:
    """The older store with a session in it, and files changed; the path its database would have."""
    storage = folder / "storage"
    written = {
        "session/p/ses_1.json": '{"id": "ses_1"}',
        "session/p/ses_2.json": '{"id": "ses_2", "parentID": "ses_1"}',
        "message/ses_1/msg_1.json": '{"role": "user", "time": {"created": 1}}',
        "message/ses_1/msg_2.json": '{"role": "assistant", "time": {"created": 2, "completed": 3}}',
        "message/ses_2/msg_3.json": '{"role": "assistant", "time": {"created": 3, "completed": 4}}',
        "part/msg_1/prt_1.json": '{\n "type": "text",\n "text": "Work"\n}\n',
        "part/msg_2/prt_2.json": json.dumps(bash("make", 2)),
        "part/msg_2/prt_3.json": json.dumps(words("Broken.")),
        "part/msg_3/prt_4.json": json.dumps(bash("make below", 3, "c2")),
        **files_,
    }
    for name, text in written.items():
        (storage / name).parent.mkdir(parents=True, exist_ok=True)
        (storage / name).write_bytes(text.encode("utf-8", "surrogateescape"))
    return folder / "opencode.db"


def test_the_older_store_is_read_where_there_is_no_database(tmp_path: Path) -> None:
    path = older(tmp_path)
    before = files(tmp_path)
    assert said(path) == ["Work", "Broken."]
    assert [(one.command, one.note) for one in found(path, r.Call)] == [
        ("make", None),
        ("make below", "subagent"),
    ]
    assert [one.exit_code for one in found(path, r.Result)] == [2, 3]
    assert read(path, offset=3) == ([], 3)
    assert files(tmp_path) == before


@pytest.mark.parametrize("text", ["", "{", '{"type": "te', "null", "\x00" * 99, "\udcff"])
def test_a_damaged_file_of_the_older_store_is_counted_and_the_rest_is_told(
    tmp_path: Path, text: str
) -> None:
    path = older(tmp_path, **{"part/msg_2/prt_3.json": text, "session/p/ses_2.json": text})
    assert said(path) == ["Work"]
    assert len(found(path, r.Skipped)) == 1
    assert [one.exit_code for one in found(path, r.Result)] == [2]


def test_a_message_without_a_time_comes_first(tmp_path: Path) -> None:
    path = older(
        tmp_path, **{"message/ses_1/msg_9.json": '{"role": "user", "time": {"created": NaN}}'}
    )
    (path.parent / "storage/part/msg_9").mkdir()
    (path.parent / "storage/part/msg_9/prt_9.json").write_text(json.dumps(words("When?")))
    assert sorted(said(path)) == ["Broken.", "When?", "Work"]


@pytest.mark.parametrize(
    "native_id", ["../p/ses_1", "..", "", "/etc/passwd", "ses_1/../ses_1", "*"]
)
def test_no_path_is_built_from_an_id(tmp_path: Path, native_id: str) -> None:
    with pytest.raises(HandoffError, match="does not have the session"):
        read(older(tmp_path), native_id)


@settings(max_examples=80)
@given(data=st.data())
def test_a_store_with_anything_in_it_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """Whatever the columns hold, of whatever type."""
    made = Kept(tmp_path_factory.mktemp("odd"))
    made.session("ses_child", ONE)
    for _ in range(3):
        made.answer(bash("make"), words("Said"), of=data.draw(st.sampled_from([ONE, "ses_child"])))
    value = (
        st.none() | st.integers(-(2**63), 2**63 - 1) | st.floats() | st.text(max_size=9)
        | st.binary(max_size=9) | st.sampled_from(['{"role": "assistant", "time": []}', "[[]]"])
    )  # fmt: skip
    columns = ["message.data", "message.time_created", "message.session_id", "message.id"]
    columns += ["part.data", "part.id", "part.message_id", "session.parent_id"]
    for column in data.draw(st.lists(st.sampled_from(columns), max_size=3)):
        table, _, name = column.partition(".")
        rowid = data.draw(st.integers(1, 4))
        update = f"UPDATE OR IGNORE {table} SET {name} = ? WHERE rowid = ?"
        made.database.execute(update, (data.draw(value), rowid))
    made.close()
    offset, told = 0, []
    for whole in (False, False, True):
        taken, offset = read(made.path, offset=offset, whole=whole)
        told.append(taken)
    assert told[1] == []
