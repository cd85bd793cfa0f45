"""Agents that run no hooks of the project: the chat tells the engine what hooks would."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable
from typing import Any

import pytest

from tests.engine.test_timeline import timeline
from tests.repository import Repository

from .chats import SECONDS, Chat, alive, configure

Chats = Callable[..., Chat]


def said(chat: Chat, words: str) -> str:
    """What the agent replied to these words."""
    chat.send(prompt=words)
    return "".join(one["text"] for one in chat.until("turn", "error") if one["kind"] == "reply")


def use(chat: Chat, name: str) -> dict[str, Any]:
    chat.send(switch=name)
    return chat.until("agent", "error")[-1]


def test_its_turn_is_in_the_timeline_and_in_a_packet(chats: Chats, project: Repository) -> None:
    chat = chats("works")
    chat.until("agent")
    said(chat, "Mend the parser")
    said(chat, "Go on")  # with the same names for its calls
    assert chat.end() == 0
    rows = [
        (one["kind"], one["text"], one["exit_code"], one["error"])
        for one in timeline(project)["entries"]
    ]
    turn = [
        ("tool", "read app.py", None, None),
        ("tool", "read gone.py", None, "failed"),
        ("command", "make check", 2, None),
        ("command", "sleep 99", None, "no exit code told: it did not end"),
    ]
    for words, entries in (("Mend the parser", rows[:6]), ("Go on", rows[6:])):
        assert entries[0][:2] == ("prompt", words)
        assert sorted(entries[1:5]) == sorted(turn)
        assert entries[5][:2] == ("reply", f"I look. You said {words}")
    (session,) = timeline(project)["sessions"]
    assert session["runtime"] == "acp:works"
    assert session["resume_command"] == "handoff chat --agent works"
    packet = project.active()
    assert packet["next_action"] == "mend it"
    assert {one["exit_code"] for one in packet["failed_attempts"]} == {2}
    assert packet["context_usage"]["percent"] == 30
    assert packet["session"]["ended_at"]
    assert project.hook_log() == ""


def test_another_one_is_told_the_packet_and_the_conversation_before_the_message(
    chats: Chats, project: Repository
) -> None:
    chat = chats("works")
    first = chat.until("agent")[-1]
    said(chat, "Mend the parser")
    assert use(chat, "is plain")["status"] == "new"
    heard = said(chat, "What is left?")
    assert heard.startswith("You said <handoff-packet>")
    assert "NEXT ACTION (from plan): mend it" in heard
    assert heard.count("| Mend the parser") == 1
    assert heard.endswith("</handoff-conversation> What is left?")
    assert use(chat, "works")["session"] == first["session"]
    heard = said(chat, "Thanks")
    assert "| What is left?" in heard
    assert "| Go on" not in heard
    assert "<handoff-packet>" not in heard.partition("| ")[0]
    assert said(chat, "Bye") == "I look. You said Bye"


def test_a_session_of_its_own_is_opened_again_in_another_chat(
    chats: Chats, project: Repository
) -> None:
    chat = chats("is plain")
    first = chat.until("agent")[-1]
    said(chat, "Hello")
    assert chat.end() == 0
    again = chats("is plain")
    events = again.until("agent")
    before = [(one["agent"], one["text"]) for one in events if one.get("when") == "history"]
    assert before == [("is plain", "Hello"), ("is plain", "You said Hello")]
    assert (events[-1]["status"], events[-1]["session"]) == ("resumed", first["session"])
    assert said(again, "More") == "You said More"


def test_a_turn_in_which_it_dies_is_recorded(chats: Chats, project: Repository) -> None:
    chat = chats("dies")
    chat.until("agent")
    chat.send(prompt="Go")
    chat.until("error")
    rows = [(one["kind"], one["text"]) for one in timeline(project)["entries"]]
    assert rows == [("prompt", "Go"), ("reply", "I am")]
    assert use(chat, "is plain")["kind"] == "agent"


def test_a_runtime_without_hooks_here_is_recorded_and_that_is_told(
    chats: Chats, project: Repository
) -> None:
    configure(project, "qwen", way="is plain")
    assert project.handoff("hooks", "remove", "--runtime", "qwen").returncode == 0
    chat = chats("qwen")
    assert "qwen has no hooks here" in chat.until("note")[-1]["text"]
    said(chat, "Hello")
    assert [one["runtime"] for one in timeline(project)["entries"]] == ["acp:qwen"] * 2


def test_hooks_that_are_there_and_did_not_run_are_told(chats: Chats, project: Repository) -> None:
    configure(project, "mine", way="is plain", runtime="claude-code")
    chat = chats("mine")
    chat.until("agent")
    chat.send(prompt="Hello")
    notes = [one["text"] for one in chat.until("turn") if one["kind"] == "note"]
    assert len(notes) == 1
    assert "mine did not run the project's hooks" in notes[0]
    assert timeline(project)["entries"] == []


def test_a_session_whose_own_hooks_tell_of_it_is_not_told_twice(project: Repository) -> None:
    project.play("claude-code")
    before = timeline(project)
    (session,) = before["sessions"]
    payload = {"session_id": session["native_id"], "cwd": str(project.path)}
    for event in ("SessionStart", "UserPromptSubmit", "Stop"):
        told = {"hook_event_name": event, "prompt": "again", "last_assistant_message": "again"}
        done = project.engine("hook", "acp:mine", stdin=json.dumps({**payload, **told}))
        assert (done.returncode, done.stdout) == (0, "")
    assert timeline(project) == before
    assert project.hook_log() == ""


@pytest.mark.parametrize("how", ["cancelled", "killed", "chat killed"])
def test_a_turn_whose_hooks_did_not_tell_its_end_is_over(
    chats: Chats, project: Repository, how: str
) -> None:
    chat = chats("runs hooks")
    chat.until("agent")
    chat.send(prompt="Mend the parser")
    chat.until("reply")
    if how == "cancelled":
        chat.send(cancel=True)
        assert chat.until("turn")[-1]["status"] == "cancelled"
    elif how == "killed":
        (agent,) = alive(project)
        os.kill(agent, signal.SIGKILL)
        assert "ended with 137 in its turn" in chat.until("error")[-1]["text"]
    else:
        chat.process.kill()
        chat.process.wait()
        chat = chats("is another")
        chat.until("agent")
    assert use(chat, "is plain")["status"] == "new"
    assert "| Mend the parser" in said(chat, "What is left?")
    rows = [(one["runtime"], one["text"]) for one in timeline(project)["entries"]]
    assert rows[0] == ("opencode", "Mend the parser")
    assert [runtime for runtime, _ in rows[1:]] == ["acp:is plain"] * 2
    assert project.hook_log() == ""


def test_work_that_an_agent_gave_to_the_background_holds_the_conversation(
    chats: Chats, project: Repository
) -> None:
    chat = chats("is plain")
    chat.until("agent")
    running = [{"type": "shell", "status": "running", "command": "sleep 999"}]
    about = {"session_id": "S-1", "cwd": str(project.path), "background_tasks": running}
    for event in ("SessionStart", "UserPromptSubmit", "Stop"):
        project.hook("claude-code", {"hook_event_name": event, "prompt": "build", **about})
    chat.send(switch="is another")
    assert "claude-code session s-1+" in chat.until("error")[-1]["text"]


def test_a_budget_bounds_what_another_agent_is_told(chats: Chats) -> None:
    chat = chats("is plain", "--budget", "300")
    chat.until("agent")
    for number in range(4):
        said(chat, f"Question {number}: " + "word " * 40)
    use(chat, "is another")
    heard = said(chat, "Go on").partition("<handoff-conversation>")[2]
    assert "Question 3" in heard
    assert "Question 0" not in heard
    assert len(heard.encode()) < 300 * 4


def test_a_session_that_was_killed_elsewhere_is_left_by_force(
    chats: Chats, project: Repository
) -> None:
    about = {"session_id": "S-1", "cwd": str(project.path), "prompt": "build"}
    for event in ("SessionStart", "UserPromptSubmit"):
        project.hook("claude-code", {"hook_event_name": event, **about})
    refused = chats("is plain")
    _, told = refused.process.communicate(timeout=SECONDS)
    assert refused.process.returncode == 1
    assert b"in the middle" in told
    assert chats("is plain", "--force").until("agent")[-1]["status"] == "new"
