"""A chat for scripts: what happens as lines of JSON on stdout, what to do as lines on stdin."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

from handoff_cli.chat.conversation import Conversation, Start
from handoff_cli.chat.events import Event, failure
from handoff_cli.chat.following import following, news
from handoff_cli.chat.program import MAX_LINE_BYTES
from handoff_cli.errors import HandoffError

ORDERS = "prompt, switch, answer, cancel or close"


def run(project: Path, start: Start) -> None:
    """Serve stdin; a signal to end closes what was started, too."""

    async def until_ended() -> None:
        served = asyncio.ensure_future(talk(project, start))
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, served.cancel)
        with contextlib.suppress(asyncio.CancelledError):
            await served

    asyncio.run(until_ended())


def watch(project: Path, topic: str | None) -> None:
    """Tell what is said by whatever client, until interrupted; nothing can be said here."""
    followed = following(project, topic)
    told: list[Event] = []
    with contextlib.suppress(KeyboardInterrupt):
        while True:
            events = followed.look()
            if events is not None:
                for event in news(told, events):
                    sys.stdout.write(json.dumps(event.value()) + "\n")
                sys.stdout.flush()
                told = events
            time.sleep(followed.pause_seconds)


async def talk(project: Path, start: Start) -> None:
    """Serve stdin until it ends or says `{"close": true}`."""
    pipe = _Pipe(project, start)
    try:
        await pipe.serve(start.agent)
    finally:
        await pipe.conversation.close()


def _stdin() -> asyncio.StreamReader:
    """What comes on stdin, also from a file, of which no event loop is told."""
    loop, reader = asyncio.get_running_loop(), asyncio.StreamReader(MAX_LINE_BYTES)

    def read() -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended
            while data := os.read(0, 65_536):
                loop.call_soon_threadsafe(reader.feed_data, data)
            loop.call_soon_threadsafe(reader.feed_eof)

    threading.Thread(target=read, daemon=True).start()
    return reader


class _Pipe:
    def __init__(self, project: Path, start: Start) -> None:
        self.conversation = Conversation(project, start, self._tell, self._ask)
        self._asked: dict[str, asyncio.Future[str | None]] = {}
        self._hears = True  # orders still come
        self._turns: set[asyncio.Task[None]] = set()

    async def serve(self, agent: str) -> None:
        for event in self.conversation.history():
            self._tell(event, "history")
        await self.conversation.use(agent)
        reader = _stdin()
        while line := await reader.readline():
            try:
                order = json.loads(line)
                if not isinstance(order, dict):
                    raise ValueError("no JSON object")
            except ValueError as error:
                self._tell(Event("error", text=f"this is no order: {error}"))
                continue
            if order.get("close"):
                break
            await self._follow(order)
        self._hears = False
        self._refuse()
        for turn in list(self._turns):
            await turn

    async def _follow(self, order: dict[str, Any]) -> None:
        try:
            if isinstance(order.get("prompt"), str):
                files = [str(name) for name in order.get("files") or ()]
                turn = asyncio.create_task(self._turn(order["prompt"], files))
                self._turns.add(turn)
                turn.add_done_callback(self._turns.discard)
                await asyncio.sleep(0)  # it holds the conversation from now on
            elif isinstance(order.get("switch"), str):
                await self.conversation.use(order["switch"])
            elif order.get("answer") in self._asked:
                self._asked.pop(order["answer"]).set_result(order.get("option"))
            elif order.get("cancel"):
                self._refuse()
                await self.conversation.cancel()
            else:
                raise HandoffError(f"no order has {', '.join(order) or 'nothing'}: {ORDERS}")
        except HandoffError as error:
            self._tell(failure(error))

    async def _turn(self, text: str, files: list[str]) -> None:
        try:
            await self.conversation.say(text, files)
        except HandoffError as error:
            self._tell(failure(error))

    def _tell(self, event: Event, when: str = "now") -> None:
        value = event.value() | ({"when": when} if when != "now" else {})
        sys.stdout.write(json.dumps(value) + "\n")
        sys.stdout.flush()

    async def _ask(self, event: Event) -> str | None:
        assert event.id
        waiting: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()
        self._tell(event)
        if not self._hears:
            return None
        self._asked[event.id] = waiting
        return await waiting

    def _refuse(self) -> None:
        """No to whatever is asked."""
        for waiting in self._asked.values():
            waiting.set_result(None)
        self._asked.clear()
