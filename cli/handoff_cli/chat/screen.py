"""A chat for people: the conversation as a list, an input below it, and how it stands."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.events import Key

from handoff_cli.chat import agents
from handoff_cli.chat.connection import Ask, Tell
from handoff_cli.chat.conversation import Conversation, Start
from handoff_cli.chat.events import Event, failure, with_files
from handoff_cli.chat.prompt import Prompt
from handoff_cli.chat.window import Window, show
from handoff_cli.errors import HandoffError

WORKING = "working"
UNSEEN_SECONDS = 0.4  # a key pressed so soon was meant for the input
HELP = """\
/switch NAME   go on with another agent
/attach FILE   send it with the next message
/cancel, Esc   end the running turn
/quit, Ctrl+Q  leave; agents end, nothing is lost
Enter sends, Ctrl+J breaks the line
PageUp, PageDown and Ctrl+End scroll
Ctrl+O shows the outputs of tools, and no more"""

Make = Callable[[Tell, Ask], Any]  # a conversation


def run(project: Path, start: Start) -> None:
    """Show the conversation until the user leaves, or a signal ends it."""
    show(Chat(project, start.agent, lambda tell, ask: Conversation(project, start, tell, ask)))


class Chat(Window):
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", priority=True)]

    def __init__(self, project: Path, agent: str, make: Make) -> None:
        super().__init__()
        self.conversation = make(self._tell, self._ask)
        self._project, self._agent = project, agent
        self._prompt = Prompt()
        self._session = ""
        self._percent: int | None = None
        self._doing = ""  # what runs, one thing at a time
        self._files: list[str] = []
        self._asking = asyncio.Lock()
        self._answer: asyncio.Future[str | None] | None = None
        self._asked = Event("permission")
        self._asked_at = 0.0

    def compose(self) -> ComposeResult:
        yield self._talk
        yield self._prompt
        yield self._status

    async def close(self) -> None:
        await self.conversation.close()

    def on_mount(self) -> None:
        self._prompt.focus()
        self._run(self._begin(), f"starting {self._agent}")

    async def _begin(self) -> None:
        try:
            self._talk.begin(await asyncio.to_thread(self.conversation.history))
        except HandoffError as error:
            self._told(error)
        await self.conversation.use(self._agent)

    # What is typed

    def on_prompt_sent(self, sent: Prompt.Sent) -> None:
        text = sent.text.strip()
        try:
            if sent.text.startswith("/"):
                self._follow(*text[1:].partition(" ")[::2])
            elif text:
                self._say(text)
        except HandoffError as error:
            self._told(error)
        else:
            self._prompt.clear()
        self._show_status()

    def _say(self, text: str) -> None:
        self._must_be_idle()
        if self.conversation.active is None:
            raise HandoffError("no agent is there", "`/switch NAME` starts one")
        files, self._files = self._files, []
        self._tell(Event("said", self._agent, with_files(text, files), at=time.time()))
        self._talk.to_end()
        self._run(self.conversation.say(text, files), WORKING)

    def _follow(self, command: str, given: str) -> None:
        given = given.strip()
        if command == "switch" and given:
            self._must_be_idle()
            self._run(self.conversation.use(given), f"starting {given}")
        elif command == "switch":
            raise HandoffError("`/switch` needs a name", f"such as {', '.join(agents.KNOWN)}")
        elif command == "attach":
            path = Path(given).expanduser()
            if not given or not (self._project / path).is_file():
                raise HandoffError(f"`{given}` is no file")
            self._files.append(str(path))
        elif command == "cancel":
            self._cancel()
        elif command == "help":
            self._tell(Event("note", text=HELP))
        elif command == "quit":
            self.exit()
        else:
            raise HandoffError(
                f"`/{command}` is no command: it was not sent",
                "`/help` lists them; a space before it makes it a message",
            )

    def _must_be_idle(self) -> None:
        if self._doing:
            raise HandoffError(f"not now: {self._doing}", "let it end, or Esc cancels a turn")

    def _cancel(self) -> None:
        self.run_worker(self.conversation.cancel())

    # What runs

    def _run(self, what: Awaitable[None], doing: str) -> None:
        self._doing = doing
        self._show_status()
        self.run_worker(self._until_done(what))

    async def _until_done(self, what: Awaitable[None]) -> None:
        try:
            await what
        except HandoffError as error:
            self._told(error)
        finally:
            self._doing = ""
            self._reply(None)
            self._show_status()

    def _tell(self, event: Event) -> None:
        if event.kind == "usage":
            used, window = event.used_tokens, event.window_tokens
            self._percent = round(100 * used / window) if used is not None and window else None
        elif event.kind == "agent":
            if event.agent != self._agent:
                self._percent = None
            self._agent, self._session = event.agent or "", event.session or ""
        elif event.kind == "turn" and event.agent and event.model:
            self._talk.answered(event.agent, event.model)
        if event.kind not in ("usage", "turn") or event.status not in (None, "end_turn"):
            self._talk.add(event.within(self._project))
        if event.kind in ("usage", "agent", "permission"):
            self._show_status()

    def _told(self, error: HandoffError) -> None:
        self._tell(failure(error))

    def _show_status(self) -> None:
        working = "working, Esc cancels" if self._doing == WORKING else self._doing
        self._stands(
            self._agent,
            "asks: press a number" if self._answer else working or "ready",
            f"{len(self._files)} attached" if self._files else "",
            "" if self._percent is None else f"context {self._percent} %",
            self._session[:8] and f"session {self._session[:8]}",
        )

    # Permissions

    async def _ask(self, event: Event) -> str | None:
        async with self._asking:
            if not self._doing:
                return None  # its turn has ended
            self._answer = asyncio.get_running_loop().create_future()
            self._asked, self._asked_at = event, time.monotonic()
            self._prompt.disabled = True
            self._tell(event)
            self._talk.to_end()
            try:
                chosen = await self._answer
            finally:
                self._answer = None
                self._prompt.disabled = False
                self._prompt.focus()
            name = next((one.name for one in event.options if one.id == chosen), "cancelled")
            self._tell(event._replace(status=name))
            return chosen

    def _reply(self, chosen: str | None) -> None:
        if self._answer and not self._answer.done():
            self._answer.set_result(chosen)

    def on_key(self, key: Key) -> None:
        seen = time.monotonic() - self._asked_at >= UNSEEN_SECONDS
        if self._answer and seen and key.key in tuple("123456789"):
            for option in self._asked.options[int(key.key) - 1 : int(key.key)]:
                self._reply(option.id)

    def action_leave(self) -> None:
        """Esc: no to what is asked; else the running turn ends."""
        if self._answer:
            self._reply(None)
        elif self._doing == WORKING:
            self._cancel()
