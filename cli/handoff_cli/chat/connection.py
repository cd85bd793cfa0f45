"""An agent's process and its session, over the Agent Client Protocol."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Any

import acp
from acp import schema
from pydantic import ValidationError

from handoff_cli import __version__
from handoff_cli.chat import agents, program, updates
from handoff_cli.chat.agents import Agent
from handoff_cli.chat.events import Event
from handoff_cli.chat.program import Program
from handoff_cli.chat.wire import Wire
from handoff_cli.errors import HandoffError

START_SECONDS = 60
LET_GO_SECONDS = 4  # in which a program that was killed with its parent lets go of its session
INVALID_REQUEST = -32600  # that a session is in use, and not that there is none
AUTH_REQUIRED = -32000

Tell = Callable[[Event], None]
Ask = Callable[[Event], Awaitable[str | None]]  # a permission's chosen option, or None


class Connection:
    """An agent that was started; `close` ends its process."""

    def __init__(self, agent: Agent, folder: str, tell: Tell, ask: Ask) -> None:
        self.agent, self.folder = agent, folder
        self.session_id = ""
        self.model: str | None = None  # as far as it is told
        self._tell, self._ask = tell, ask
        self._permissions = 0
        self._tools: dict[str, str | None] = {}  # what this turn's calls are
        self._program: Program | None = None
        self._peer: Any = None
        self._can: Any = None

    @property
    def is_alive(self) -> bool:
        return self._program is not None and self._program.exit_code is None

    async def open(self, native_id: str | None) -> str | None:
        """Start the agent, with its own session again where it can; why not, where it cannot.

        Raises: HandoffError where no session begins.
        """
        name = self.agent.command[0]
        try:
            variables = agents.environment(self.agent)
            self._program = await program.start(self.agent.command, variables, self.folder)
            wire: Any = Wire(self._program.reader, self._program.writer, self._heard)
            self._peer = acp.connect_to_agent(_Client(self), wire)
            return await asyncio.wait_for(self._begin(native_id), START_SECONDS)
        except FileNotFoundError:
            hint = agents.INSTALL.get(self.agent.name, "install it")
            raise HandoffError(f"`{name}` is not installed", hint) from None
        except asyncio.TimeoutError:
            await self.close()
            raise HandoffError(f"`{name}` did not answer in {START_SECONDS} s") from None
        except (acp.RequestError, ConnectionError, OSError) as error:
            await self.close()
            raise HandoffError(
                f"`{name}` could not begin a session: {error}",
                self._login(error) or "start it by itself once",
            ) from None

    async def _begin(self, native_id: str | None) -> str | None:
        about = schema.Implementation(name="handoff", version=__version__)
        answer = await self._peer.initialize(
            protocol_version=acp.PROTOCOL_VERSION,
            client_capabilities=schema.ClientCapabilities(),
            client_info=about,
        )
        self._can = answer.agent_capabilities
        why = None
        if native_id:
            why = await self._load(native_id)
            if why is None:
                self.session_id = native_id
                return None
        made = await self._peer.new_session(cwd=self.folder, mcp_servers=[])
        self.session_id, self.model = made.session_id, updates.model(made.config_options)
        return why

    async def _load(self, native_id: str) -> str | None:
        """Open the agent's own session; why it cannot be, if it cannot."""
        clock = asyncio.get_running_loop().time
        deadline = clock() + LET_GO_SECONDS
        while True:
            try:
                return await self._load_now(native_id)
            except acp.RequestError as error:
                if error.code != INVALID_REQUEST or clock() > deadline:
                    return f"{self.agent.name} could not open session {native_id} again: {error}"
            await asyncio.sleep(0.2)

    async def _load_now(self, native_id: str) -> str | None:
        given = {"cwd": self.folder, "session_id": native_id, "mcp_servers": []}
        sessions = self._can and self._can.session_capabilities
        if sessions and sessions.resume is not None:
            opened = await self._peer.resume_session(**given)
        elif self._can and self._can.load_session:
            opened = await self._peer.load_session(**given)
        else:
            return f"{self.agent.name} cannot open a session again"
        self.model = updates.model(opened.config_options)
        return None

    async def prompt(self, blocks: list[Any]) -> str:
        """Run a turn; why it ended, such as `end_turn` or `cancelled`.

        Raises: HandoffError where the agent fails or ends.
        """
        self._tools.clear()
        turn = asyncio.ensure_future(self._peer.prompt(session_id=self.session_id, prompt=blocks))
        assert self._program
        ended = asyncio.ensure_future(self._program.wait())
        try:
            await asyncio.wait({turn, ended}, return_when=asyncio.FIRST_COMPLETED)
            if not turn.done():
                raise await self._ended()
            answer = await turn
        except acp.RequestError as error:
            raise HandoffError(f"{self.agent.name}: {error}", self._login(error)) from None
        except ConnectionError:
            raise await self._ended() from None
        finally:
            for task in (turn, ended):
                task.cancel()
        return str(answer.stop_reason)

    def _login(self, error: Exception) -> str:
        """What to do where it is a login that is missing."""
        if not isinstance(error, acp.RequestError) or error.code != AUTH_REQUIRED:
            return ""
        by_itself = f"start `{self.agent.command[0]}` by itself once and log in"
        return agents.LOGIN.get(self.agent.name, by_itself)

    async def _ended(self) -> HandoffError:
        """That the process ended in a turn, or hung up and is ended."""
        assert self._program
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self._program.wait(), program.END_SECONDS)
        code = self._program.exit_code
        await self.close()
        return HandoffError(
            f"{self.agent.name} ended with {code} in its turn"
            if code is not None
            else f"{self.agent.name} hung up in its turn",
            "the conversation goes on; your next message starts it again",
        )

    async def cancel(self) -> None:
        with contextlib.suppress(ConnectionError):  # it ended just now: its turn tells so
            await self._peer.cancel(session_id=self.session_id)

    async def close(self) -> None:
        """End the agent, and all that it started."""
        if self._peer is not None:
            with contextlib.suppress(Exception):
                await self._peer.close()
        if self._program is not None:
            await self._program.end()

    def _heard(self, params: Any) -> None:
        """Tell what the agent sent in its turn; what has a shape of another time is passed over."""
        try:
            told = schema.SessionNotification.model_validate(params)
            events = list(updates.events(self.agent.name, told.update))
        except (ValidationError, AttributeError, TypeError):
            return
        if told.session_id != self.session_id:
            return
        if told.update.session_update == "config_option_update":
            self.model = updates.model(told.update.config_options) or self.model
        for event in events:
            self._tell(self._named(event)._replace(model=self.model))

    def _named(self, event: Event) -> Event:
        """A tool's later updates say no more what it is: as the earlier ones called it."""
        if event.kind != "tool" or event.id is None:
            return event
        known = self._tools.get(event.id)
        text = event.text if event.text not in (None, "bash") else known or event.text
        self._tools[event.id] = text
        return event._replace(text=text)

    async def asked(self, session_id: str, call: Any, options: Any) -> str | None:
        if session_id != self.session_id:
            return None
        self._permissions += 1
        number = f"{self.agent.name}-{self._permissions}"
        return await self._ask(updates.permission(self.agent.name, number, call, options))


class _Client:
    """Our side of the protocol, as the library calls it."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def on_connect(self, conn: Any) -> None:
        pass

    async def request_permission(
        self, session_id: str, tool_call: Any, options: Any, **more: Any
    ) -> schema.RequestPermissionResponse:
        chosen = await self._connection.asked(session_id, tool_call, options)
        outcome: Any = schema.DeniedOutcome(outcome="cancelled")
        if chosen is not None:
            outcome = schema.AllowedOutcome(outcome="selected", option_id=chosen)
        return schema.RequestPermissionResponse(outcome=outcome)

    async def ext_notification(self, method: str, params: Any) -> None:
        """What one agent alone tells; no answer is expected."""

    def __getattr__(self, name: str) -> Any:
        """We offer neither files nor terminals: agents use their own."""
        if name.startswith("_"):
            raise AttributeError(name)

        async def refuse(*_: Any, **__: Any) -> Any:
            raise acp.RequestError.method_not_found(name)

        return refuse
