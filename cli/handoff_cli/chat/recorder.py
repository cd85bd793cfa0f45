"""Tells the engine of an agent that has no hooks of the project what hooks would tell it."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from handoff_cli import engine, hooks
from handoff_cli.chat.agents import Agent
from handoff_cli.chat.events import Event, with_files
from handoff_cli.errors import HandoffError

REPORTED = "acp:"  # and an agent's name: how the engine calls one that a chat reports of
_ENDED = ("completed", "failed")


def runtime(project: Path, agent: Agent) -> str:
    """How the engine calls the agent: a runtime, where the project's hooks are in its settings."""
    if agent.runtime and any(_installed(project, agent.runtime)):
        return agent.runtime
    return f"{REPORTED}{agent.name}"


def is_reported(runtime: str) -> bool:
    return runtime.startswith(REPORTED)


def name(runtime: str) -> str:
    """How a chat calls the agent that the engine calls so."""
    return runtime.removeprefix(REPORTED)


async def over(project: Path, agent: str, session: str, *, ended: bool) -> None:
    """Tell that a turn is over, or with it the program: hooks of an agent that was killed or
    cancelled may not have told. Whatever they told stays as it is."""
    name = "SessionEnd" if ended else "Stop"
    payload = {"hook_event_name": name, "session_id": session, "reason": "it ended in its turn"}
    await asyncio.to_thread(engine.hook, project, f"{REPORTED}{agent}", payload)


def _installed(project: Path, runtime: str) -> Iterator[bool]:
    for scope in ("project", "local", "user"):
        with contextlib.suppress(HandoffError):  # a runtime without such settings
            plans = hooks.plans(project, [runtime], scope=scope)
            yield any(hooks.status(plan) in ("installed", "outdated") for plan in plans)


class Recorder:
    """One session of one agent, by the events that a chat has of it."""

    def __init__(self, project: Path, runtime: str, session: str, folder: str) -> None:
        self._project, self._runtime = project, runtime
        self._about: dict[str, Any] = {"session_id": session, "cwd": folder}
        self._context: dict[str, int] = {}
        self._in_order = asyncio.Lock()
        self._telling: set[asyncio.Task[str]] = set()
        self._turn = 0  # when it began: agents may call their tools alike in each
        self._words: list[str] = []
        self._running: dict[str, Event] = {}  # tools by their id
        self._used: list[dict[str, Any]] = []
        self._owed = ""  # what the agent is to be told with its next message

    async def begin(self, *, again: bool) -> None:
        source = "resume" if again else "startup"
        self._owed = await self._tell("SessionStart", source=source)

    async def asked(self, text: str, files: Sequence[str]) -> str:
        """A turn begins; what the agent is to be told before these words."""
        self._turn = time.time_ns()
        self._words.clear()
        self._used.clear()
        news = await self._tell("UserPromptSubmit", prompt=with_files(text, files))
        told, self._owed = "\n\n".join(filter(None, (self._owed, news))), ""
        return told

    def heard(self, event: Event) -> None:
        """Something of the running turn."""
        if event.kind == "reply" and event.text:
            self._words.append(event.text)
        elif event.kind == "usage":
            told = {"used_tokens": event.used_tokens, "window_tokens": event.window_tokens}
            self._context = {key: value for key, value in told.items() if value is not None}
        elif event.kind == "plan":
            steps = [{"content": text, "status": status} for text, status in event.steps]
            self._tell_later("PostToolUse", tool_name="plan", entries=steps)
        elif event.kind == "tool" and event.id is not None:
            before = self._running.get(event.id, Event("tool", event.agent, at=time.time()))
            self._running[event.id] = before._replace(**event.told())
            if event.status in _ENDED:
                self._tool(self._running.pop(event.id))

    async def ended(self) -> None:
        """The turn ended, however that was: what still ran has no result."""
        for event in self._running.values():
            self._tool(event)
        self._running.clear()
        await asyncio.gather(*self._telling)
        words = "".join(self._words)
        await self._tell("Stop", last_assistant_message=words, tools=self._used)

    async def close(self) -> None:
        await self._tell("SessionEnd", reason="the chat ended")

    def _tool(self, event: Event) -> None:
        if event.tool == "execute":
            self._tell_later(
                "PostToolUse",
                tool_name="shell",
                tool_use_id=f"{self._turn}-{event.id}",
                tool_input={"command": event.text or ""},
                tool_response={
                    "exit_code": event.exit_code,
                    "output": event.output or "",
                    "status": event.status,
                },
            )
            return
        told = {"tool_use_id": event.id, "tool_name": event.tool, "subject": event.text}
        self._used.append({**told, "at": event.at, "status": event.status, "output": event.output})

    def _tell_later(self, name: str, **more: Any) -> None:
        task = asyncio.create_task(self._tell(name, **more))
        self._telling.add(task)
        task.add_done_callback(self._telling.discard)

    async def _tell(self, name: str, **more: Any) -> str:
        """Tell the engine, one after the other; what it answers for the model."""
        payload = {"hook_event_name": name, **self._about, **self._context, **more}
        async with self._in_order:
            told = await asyncio.to_thread(engine.hook, self._project, self._runtime, payload)
        return str(told.get("context") or "")
