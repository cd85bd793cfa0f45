"""One conversation: its agents' connections, whose turn it is, and how it is handed on.

What is said goes into the ledger through the project's own hooks, which an agent runs as it does
without a chat; of one that has none a recorder tells what they would. So a chat shows what `handoff
timeline` shows, and an agent that takes over is told what it has not seen, apart from what is said
to it next.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import acp

from handoff_cli import engine
from handoff_cli.chat import agents, history, recorder, turns
from handoff_cli.chat.agents import Agent
from handoff_cli.chat.connection import Ask, Connection, Tell
from handoff_cli.chat.events import Event
from handoff_cli.chat.recorder import Recorder
from handoff_cli.engine import flag, option
from handoff_cli.errors import HandoffError

MAX_OF_A_TURN = 500


class Start(NamedTuple):
    """What a chat begins with."""

    agent: str = ""
    topic: str | None = None
    budget_tokens: int | None = None  # of the conversation, that an agent is told at most
    force: bool = False  # also where a session seems to be at work: it was killed


class Member(NamedTuple):
    """An agent that takes part, while it is connected."""

    runtime: str  # how the engine calls it
    connection: Connection
    recorder: Recorder | None  # where it has no hooks

    async def close(self) -> None:
        await self.connection.close()
        if self.recorder:
            await self.recorder.close()


class Conversation:
    """A topic of a project, talked about with one agent at a time."""

    def __init__(self, project: Path, start: Start, tell: Tell, ask: Ask) -> None:
        self.project, self.topic = project, start.topic
        self.active: Member | None = None
        self._show, self._ask = tell, ask
        self._budget_tokens, self._force = start.budget_tokens, start.force
        self._told: set[str | None] = set()  # commands of this turn whose exit code was told
        self._members: dict[str, Member] = {}
        self._turn = asyncio.Lock()

    @property
    def is_busy(self) -> bool:
        return self._turn.locked()

    def history(self) -> list[Event]:
        """What was said and done before, over all agents."""
        return history.events(self.project, self.topic)

    async def use(self, name: str) -> None:
        """Go on with an agent: its session of this conversation, or a new one.

        Raises: HandoffError where a turn runs, the agent at hand is at work, or the other cannot
        be started; then the conversation stays where it is.
        """
        if self.is_busy:
            raise HandoffError("a turn is running", "let it end, or cancel it")
        async with self._turn:
            await self._end_what_was_left()
            agent = agents.agent(name)
            runtime = await asyncio.to_thread(recorder.runtime, self.project, agent)
            plan = await asyncio.to_thread(self._plan, runtime)
            there = self._members.get(name)
            if there is not None and _fits(there, runtime, plan):
                self.active, status = there, "kept"
            else:
                if there is not None:
                    await there.close()
                if agent.runtime != runtime and agent.runtime:
                    self._tell(
                        Event("note", name, f"{name} has no hooks here: the chat records it")
                    )
                for note in plan["notes"]:
                    self._tell(Event("note", name, note))
                self.active = await self._joined(agent, runtime, plan["folder"], plan["native_id"])
                again = self.active.connection.session_id == plan["native_id"]
                status = "resumed" if again else "new"
            self._tell(
                Event("agent", name, session=self.active.connection.session_id, status=status)
            )

    async def say(self, text: str, files: Sequence[str] = ()) -> None:
        """Run a turn of the active agent. Raises: HandoffError where it cannot be."""
        if self.active is None or self.is_busy:
            raise HandoffError("a turn is running", "let it end, or cancel it")
        async with self._turn:
            blocks = [acp.text_block(text), *map(self._attached, files)]
            if not self.active.connection.is_alive:
                await self._start_again(self.active)
            self._told.clear()
            connection, reported = self.active.connection, self.active.recorder
            name = connection.agent.name
            turns.begun(self.project, name, connection.session_id)
            try:
                news = await reported.asked(text, files) if reported else ""
                why = await connection.prompt([acp.text_block(news), *blocks] if news else blocks)
            finally:
                await self._over(self.active)
            answered, events = await asyncio.to_thread(self._told_by_hooks, self.active)
            for event in events:
                self._tell(event)
            session, model = connection.session_id, answered or connection.model
            self._tell(Event("turn", name, status=why, session=session, model=model))

    async def cancel(self) -> None:
        """End the running turn."""
        if self.active is not None and self.is_busy:
            await self.active.connection.cancel()

    async def close(self) -> None:
        """End every agent that was started."""
        await asyncio.gather(*(one.close() for one in self._members.values()))

    def _tell(self, event: Event) -> None:
        if event.kind == "tool" and event.exit_code is not None:
            self._told.add(event.text)
        if (
            self.active
            and self.active.recorder
            and self.active.connection.agent.name == event.agent
        ):
            self.active.recorder.heard(event)
        self._show(event)

    async def _joined(
        self, agent: Agent, runtime: str, folder: str, native_id: str | None
    ) -> Member:
        connection = Connection(agent, folder, self._tell, self._ask)
        if why := await connection.open(native_id):
            self._tell(Event("note", agent.name, why))
        reported = None
        if recorder.is_reported(runtime):
            reported = Recorder(self.project, runtime, connection.session_id, folder)
            await reported.begin(again=connection.session_id == native_id)
        self._members[agent.name] = member = Member(runtime, connection, reported)
        return member

    async def _over(self, member: Member) -> None:
        """The member's turn is over, however that was."""
        one = member.connection
        if member.recorder:
            await member.recorder.ended()
        else:
            ended = not one.is_alive
            await recorder.over(self.project, one.agent.name, one.session_id, ended=ended)
        turns.ended(self.project)

    async def _end_what_was_left(self) -> None:
        """A chat before this one was killed in a turn: with it ended the agent."""
        if left := turns.left(self.project):
            await recorder.over(self.project, *left, ended=True)
            turns.ended(self.project)

    async def _start_again(self, old: Member) -> None:
        await old.close()
        agent, folder = old.connection.agent, old.connection.folder
        session = old.connection.session_id
        self.active = await self._joined(agent, old.runtime, folder, session)
        session = self.active.connection.session_id
        self._tell(Event("agent", agent.name, session=session, status="again"))

    def _plan(self, runtime: str) -> dict[str, Any]:
        """Which session to go on with, by the rules of `handoff switch`."""
        budget = None if self._budget_tokens is None else str(self._budget_tokens)
        verb = ["switch", runtime, "--json", "--print", *option("--topic", self.topic)]
        verb += [*option("--budget", budget), *flag("--force", self._force)]
        plan: dict[str, Any] = engine.ask(self.project, verb)
        self._force = False  # of the session that was there before us
        return plan

    def _attached(self, file: str) -> Any:
        path = (self.project / file).resolve()
        if not path.is_file():
            raise HandoffError(f"`{file}` is no file")
        return acp.resource_link_block(path.name, path.as_uri())

    def _told_by_hooks(self, member: Member) -> tuple[str | None, list[Event]]:
        """The model that answered in the turn, and its commands whose exit code the agent did not
        tell, but its hooks did; that they did not run, where they told nothing."""
        if member.recorder:
            return None, []
        value, name = (
            history.timeline(self.project, self.topic, MAX_OF_A_TURN),
            member.connection.agent.name,
        )
        own = [one for one in value["sessions"] if one["native_id"] == member.connection.session_id]
        if not own:
            why = (
                f"{name} did not run the project's hooks, so this is not recorded: `handoff doctor`"
            )
            return None, [Event("note", name, why)]
        entries = value["entries"]
        last = max((n for n, one in enumerate(entries) if one["kind"] == "prompt"), default=0)
        return own[0]["model"], [
            history.event(one)._replace(agent=name)
            for one in entries[last:]
            if one["kind"] == "command"
            and one["runtime"] == member.runtime
            and one["exit_code"] is not None
            and one["text"] not in self._told
        ]


def _fits(there: Member, runtime: str, plan: dict[str, Any]) -> bool:
    """Whether an agent that was left can be gone on with."""
    one = there.connection
    kept = one.is_alive and (there.runtime, one.folder) == (runtime, plan["folder"])
    return kept and plan["native_id"] in (None, one.session_id)
