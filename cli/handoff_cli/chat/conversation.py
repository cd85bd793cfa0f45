"""One conversation: its agents' connections, whose turn it is, and how it is handed on.

What is said goes into the ledger through the project's own hooks, which every agent runs as it does
by itself; a chat adds nothing to it. So it shows what `handoff timeline` shows, and an agent that
takes over is told what it has not seen by its hooks, apart from the next message.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import acp

from handoff_cli import engine
from handoff_cli.chat import agents
from handoff_cli.chat.connection import Ask, Connection, Tell
from handoff_cli.chat.events import Event
from handoff_cli.engine import option
from handoff_cli.errors import HandoffError

MAX_SHOWN = 2_000  # entries of an earlier conversation


class Conversation:
    """A topic of a project, talked about with one agent at a time."""

    def __init__(self, project: Path, topic: str | None, tell: Tell, ask: Ask) -> None:
        self.project, self.topic = project, topic
        self.active: Connection | None = None
        self._show, self._ask = tell, ask
        self._told: set[str | None] = set()  # commands of this turn whose exit code was told
        self._connections: dict[str, Connection] = {}
        self._turn = asyncio.Lock()

    @property
    def is_busy(self) -> bool:
        return self._turn.locked()

    def history(self) -> list[Event]:
        """What was said and done before, over all agents."""
        value = engine.ask(self.project, ["timeline", "--json", *option("--topic", self.topic)])
        return [_entry(one) for one in value["entries"][-MAX_SHOWN:]]

    def _tell(self, event: Event) -> None:
        if event.kind == "tool" and event.exit_code is not None:
            self._told.add(event.text)
        self._show(event)

    async def use(self, name: str) -> None:
        """Go on with an agent: its session of this conversation, or a new one.

        Raises: HandoffError where a turn runs, the agent at hand is at work, or the other cannot
        be started; then the conversation stays where it is.
        """
        if self.is_busy:
            raise HandoffError("a turn is running", "let it end, or cancel it")
        async with self._turn:
            agent = agents.agent(name)
            plan = await asyncio.to_thread(self._plan, name)
            there = self._connections.get(name)
            same = there is not None and there.is_alive and there.folder == plan["folder"]
            if there is not None and same and plan["native_id"] in (None, there.session_id):
                self.active = there
                self._tell(Event("agent", name, session=there.session_id, status="kept"))
                return
            if there is not None:
                await there.close()
            connection = Connection(agent, plan["folder"], self._tell, self._ask)
            why = await connection.open(plan["native_id"])
            self._connections[name] = self.active = connection
            for note in (*plan["notes"], *filter(None, [why])):
                self._tell(Event("note", name, note))
            again = connection.session_id == plan["native_id"]
            status = "resumed" if again else "new"
            self._tell(Event("agent", name, session=connection.session_id, status=status))

    async def say(self, text: str, files: Sequence[str] = ()) -> None:
        """Run a turn of the active agent. Raises: HandoffError where it cannot be."""
        if self.active is None or self.is_busy:
            raise HandoffError("a turn is running", "let it end, or cancel it")
        async with self._turn:
            if not self.active.is_alive:
                await self._start_again()
            blocks: list[Any] = [acp.text_block(text), *map(self._attached, files)]
            self._told.clear()
            why = await self.active.prompt(blocks)
            name = self.active.agent.name
            for event in await asyncio.to_thread(self._exit_codes, name):
                self._tell(event)
            self._tell(Event("turn", name, status=why, session=self.active.session_id))

    async def cancel(self) -> None:
        """End the running turn."""
        if self.active is not None and self.is_busy:
            await self.active.cancel()

    async def close(self) -> None:
        """End every agent that was started."""
        await asyncio.gather(*(one.close() for one in self._connections.values()))

    async def _start_again(self) -> None:
        assert self.active
        old = self.active
        await old.close()
        connection = Connection(old.agent, old.folder, self._tell, self._ask)
        why = await connection.open(old.session_id)
        self._connections[old.agent.name] = self.active = connection
        if why:
            self._tell(Event("note", old.agent.name, why))
        self._tell(Event("agent", old.agent.name, session=connection.session_id, status="again"))

    def _plan(self, name: str) -> dict[str, Any]:
        """Which session to go on with, by the rules of `handoff switch`."""
        if name not in agents.KNOWN:  # no runtime of ours: nothing of it is kept
            folder = str(self.project)
            return {"native_id": None, "folder": folder, "notes": ["its turns are not recorded"]}
        verb = ["switch", name, "--json", "--print", *option("--topic", self.topic)]
        plan: dict[str, Any] = engine.ask(self.project, verb)
        return plan

    def _attached(self, file: str) -> Any:
        path = (self.project / file).resolve()
        if not path.is_file():
            raise HandoffError(f"`{file}` is no file")
        return acp.resource_link_block(path.name, path.as_uri())

    def _exit_codes(self, name: str) -> list[Event]:
        """The turn's commands whose exit code the agent did not tell, but its hooks did."""
        value = engine.ask(self.project, ["timeline", "--json", *option("--topic", self.topic)])
        entries = value["entries"]
        last = max((n for n, one in enumerate(entries) if one["kind"] == "prompt"), default=0)
        return [
            _entry(one)
            for one in entries[last:]
            if one["kind"] == "command"
            and one["runtime"] == name
            and one["exit_code"] is not None
            and one["text"] not in self._told
        ]


def _entry(one: dict[str, Any]) -> Event:
    """An entry of the timeline."""
    kinds = {"prompt": "said", "reply": "reply", "command": "tool", "tool": "tool"}
    at = datetime.fromisoformat(one["at"]).timestamp() if one["at"] else None
    return Event(
        kinds[one["kind"]],
        one["runtime"],
        one["text"],
        exit_code=one["exit_code"],
        output=one["output"] or None,
        model=one["model"],
        at=at,
    )
