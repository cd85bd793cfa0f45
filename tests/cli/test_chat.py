"""`handoff chat --json` with agents that behave in every way; the real ones are in `tests/real`."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from acp import schema

from handoff_cli.chat import connection, updates
from handoff_cli.chat.agents import Agent
from handoff_cli.chat.events import Event
from handoff_cli.errors import HandoffError
from tests.repository import Repository, environment

from .chats import FAKE, SECONDS, alive


def test_a_turn_with_a_file_and_an_agent_that_stays_connected(
    chats: Any, project: Repository
) -> None:
    chat = chats("is plain")
    assert chat.until("agent")[-1]["status"] == "new"
    chat.send(prompt="hello", files=["app.py"])
    events = chat.until("turn")
    (reply,) = [one for one in events if one["kind"] == "reply"]
    assert reply["text"] == f"You said hello {(project.path / 'app.py').as_uri()}"
    assert (events[-1]["status"], events[-1]["agent"]) == ("end_turn", "is plain")
    chat.send(switch="is another")
    chat.until("agent")
    chat.send(switch="is plain")
    assert chat.until("agent")[-1]["status"] == "kept"
    assert len(alive(project)) == 2
    assert chat.end() == 0
    assert alive(project) == []


def test_no_switch_and_no_second_message_in_a_turn_and_it_can_be_cancelled(chats: Any) -> None:
    chat = chats("is slow")
    chat.until("agent")
    chat.send(prompt="work")
    chat.until("reply")
    chat.send(switch="is plain")
    assert "a turn is running" in chat.until("error")[-1]["text"]
    chat.send(prompt="more")
    assert "a turn is running" in chat.until("error")[-1]["text"]
    chat.send(cancel=True)
    assert chat.until("turn")[-1]["status"] == "cancelled"


@pytest.mark.parametrize(("option", "told"), [("yes", "yes"), ("no", "no"), (None, "cancelled")])
def test_a_permission_is_answered_in_place(chats: Any, option: str | None, told: str) -> None:
    chat = chats("asks")
    chat.until("agent")
    chat.send(prompt="clean up")
    asked = chat.until("permission")[-1]
    assert asked["text"] == "rm -r build"
    assert [one["kind"] for one in asked["options"]] == ["allow_once", "reject_once"]
    chat.send(switch="is plain")
    assert "a turn is running" in chat.until("error")[-1]["text"]
    if option:
        chat.send(answer=asked["id"], option=option)
    else:
        chat.send(cancel=True)
    assert told in chat.until("reply")[-1]["text"]
    chat.until("turn")


def test_where_no_more_orders_come_a_permission_is_refused(chats: Any) -> None:
    chat = chats("asks")
    chat.until("agent")
    chat.send(prompt="clean up")
    chat.hang_up()
    events = chat.until("turn")
    assert events[0]["kind"] == "permission"
    assert "cancelled" in events[-2]["text"]
    assert chat.process.wait(SECONDS) == 0


def test_orders_may_come_from_a_file(chats: Any, project: Repository, tmp_path: Path) -> None:
    chats("is plain").end()
    orders = tmp_path / "orders"
    orders.write_text('{"prompt": "one"}\n')
    with orders.open() as stdin, (tmp_path / "told").open("w") as stdout:
        command = [sys.executable, "-m", "handoff_cli", "chat", "--json", "--agent", "is plain"]
        done = subprocess.run(
            command,
            cwd=project.path,
            env=environment(project.path),
            stdin=stdin,
            stdout=stdout,
            timeout=SECONDS,
            check=False,
        )
    assert done.returncode == 0
    assert "You said one" in (tmp_path / "told").read_text()


def test_an_agent_that_dies_in_its_turn_is_started_again(chats: Any, project: Repository) -> None:
    chat = chats("dies")
    chat.until("agent")
    chat.send(prompt="go")
    assert "ended with 3 in its turn" in chat.until("error")[-1]["text"]
    chat.send(prompt="go")
    assert chat.until("agent")[-1]["status"] == "again"


def test_what_is_no_message_and_what_nobody_knows_disturbs_nothing(chats: Any) -> None:
    chat = chats("babbles")
    chat.until("agent")
    chat.send(prompt="hello")
    events = chat.until("turn", "error")
    assert [one["text"] for one in events if one["kind"] == "reply"] == ["You said hello"]
    assert events[-1]["kind"] == "turn"


def test_a_tool_s_result_of_ten_megabytes_is_shortened(chats: Any) -> None:
    chat = chats("is big")
    chat.until("agent")
    chat.send(prompt="look")
    events = chat.until("turn")
    (result,) = [one for one in events if one.get("exit_code") == 5]
    assert result["text"] == "cat big"
    assert result["output"].endswith("end")
    assert len(result["output"]) < 2 * updates.MAX_OUTPUT_CHARS


def test_a_late_message_is_nobody_s_reply(chats: Any) -> None:
    chat = chats("is late")
    chat.until("agent")
    for _ in range(2):
        chat.send(prompt="hello")
        replies = [one["text"] for one in chat.until("turn") if one["kind"] == "reply"]
        assert replies == ["You said hello"]


def test_orders_that_are_none_are_told(chats: Any) -> None:
    chat = chats("is plain")
    chat.until("agent")
    for order, told in (({"sing": 1}, "no order has sing"), ({}, "no order has nothing")):
        chat.send(**order)
        assert told in chat.until("error")[-1]["text"]
    chat.process.stdin.write(b"{\n[1]\n")
    chat.process.stdin.flush()
    for _ in range(2):
        assert "no order" in chat.until("error")[-1]["text"]
    chat.send(switch="nobody")
    assert "no agent is called `nobody`" in chat.until("error")[-1]["text"]
    chat.send(prompt="hello")
    assert chat.until("turn")[-1]["status"] == "end_turn"


def test_a_second_client_is_told_who_holds_it_and_may_take_over(
    chats: Any, project: Repository
) -> None:
    first = chats("is plain")
    first.until("agent")
    second = chats("is plain")
    _, said = second.process.communicate(timeout=SECONDS)
    assert second.process.returncode == 1
    assert f"another client holds this conversation (process {first.process.pid})" in " ".join(
        said.decode().split()
    )
    third = chats("is plain", "--take-over")
    third.until("agent")
    assert first.process.wait(SECONDS) == 0
    assert len(alive(project)) == 1


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL, None])
def test_no_agent_outlives_its_client(
    chats: Any, project: Repository, how: signal.Signals | None
) -> None:
    chat = chats("is plain")
    chat.until("agent")
    chat.send(switch="is stubborn")  # it stays at the end of its input and at SIGTERM, twice
    chat.until("agent")
    until = time.monotonic() + 20
    while len(alive(project)) < 3 and time.monotonic() < until:
        time.sleep(0.1)
    assert len(alive(project)) == 3
    if how is None:
        assert chat.end() == 0
    else:
        chat.process.send_signal(how)
        chat.process.wait(SECONDS)
    until = time.monotonic() + 20
    while alive(project) and time.monotonic() < until:
        time.sleep(0.1)
    assert alive(project) == []


def opened(
    way: str, native_id: str | None, tmp_path: Path, name: str = "mine"
) -> tuple[str | None, str, list[Event]]:
    """Why a session was not opened again, its id, and what was told meanwhile."""
    told: list[Event] = []

    async def nobody(event: Event) -> str | None:
        return None

    async def open_it() -> tuple[str | None, str]:
        agent = Agent(name, (sys.executable, str(FAKE), way))
        one = connection.Connection(agent, str(tmp_path), told.append, nobody)
        try:
            return await one.open(native_id), one.session_id
        finally:
            await one.close()

    return (*asyncio.run(open_it()), told)


@pytest.mark.parametrize(
    ("way", "why", "session"),
    [
        ("is plain", None, "old"),
        ("is held", None, "old"),
        ("forgets", "mine cannot open a session again", "new"),
        ("refuses", "mine could not open session old again", "new"),
    ],
)
def test_a_session_of_its_own_is_opened_again_where_that_can_be(
    tmp_path: Path, way: str, why: str | None, session: str
) -> None:
    told_why, opened_session, told = opened(way, "old", tmp_path)
    assert opened_session.split("-")[0] == session
    assert (told_why or "").startswith(why or "")
    assert (told_why is None) == (why is None)
    assert told == []  # its own history is no news


@pytest.mark.parametrize(
    ("name", "hint"),
    [("codex", "log in with `codex login`"), ("mine", "by itself once and log in")],
)
def test_an_agent_without_a_login_is_told_with_the_way_to_one(
    tmp_path: Path, name: str, hint: str
) -> None:
    with pytest.raises(HandoffError, match="Authentication required") as failure:
        opened("wants a login", None, tmp_path, name)
    assert hint in failure.value.hint


def test_an_agent_that_hangs_or_is_not_there_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "START_SECONDS", 1)
    with pytest.raises(HandoffError, match="did not answer in 1 s"):
        opened("hangs", None, tmp_path)
    monkeypatch.setattr(sys, "executable", "/nowhere/agent")
    with pytest.raises(HandoffError, match="`/nowhere/agent` is not installed"):
        opened("is plain", None, tmp_path)


@pytest.mark.parametrize(
    ("raw", "meta", "code"),
    [
        ({"output": "x", "metadata": {"exit": 3}}, None, 3),  # OpenCode
        ({"exitCode": 3, "output": "Exit Code: 0"}, None, 3),  # Qwen Code
        ({"contents": [{"type": "shell_exit", "exitCode": 3}]}, None, 3),  # Copilot
        (None, {"terminal_exit": {"exit_code": 3}}, 3),  # Codex
        ({"exitCode": True}, None, None),
        ({"exitCode": "0"}, {"terminal_exit": 0}, None),
        ("exited with 0", ["exit", 0], None),
    ],
)
def test_an_exit_code_comes_from_structure_alone(raw: Any, meta: Any, code: int | None) -> None:
    update = {
        "sessionUpdate": "tool_call_update",
        "toolCallId": "t",
        "rawOutput": raw,
        "content": [{"type": "content", "content": {"type": "text", "text": "exit code 0"}}],
    }
    parsed = schema.SessionNotification.model_validate({"sessionId": "s", "update": update})
    parsed.update.field_meta = meta
    (event,) = updates.events("mine", parsed.update)
    assert event.exit_code == code


def test_the_model_is_the_one_that_the_session_s_settings_name() -> None:
    options = [{"value": "a", "name": "Large"}, {"value": "b", "name": "Small"}]
    groups = [{"group": "g", "name": "G", "options": options}]
    for given in (options, groups):
        for value, wanted in (("b", "Small"), ("c", "c")):
            about = {"id": "m", "name": "Model", "category": "model", "type": "select"}
            told = [{**about, "currentValue": value, "options": given}]
            made = schema.NewSessionResponse.model_validate(
                {"sessionId": "s", "configOptions": told}
            )
            assert updates.model(made.config_options) == wanted
    assert updates.model(None) is None


def test_without_a_name_the_agent_that_spoke_last_goes_on(project: Repository) -> None:
    asked = project.handoff("chat", "--json")
    assert (asked.returncode, "nobody has spoken here yet" in asked.stderr) == (1, True)
    project.play("codex")
    asked = project.handoff("chat", "--json")
    assert "`codex-acp` is not installed" in asked.stderr
