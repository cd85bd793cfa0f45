"""Messages between us and an agent's process: one JSON-RPC object a line, in order.

What an agent tells of its session is taken up here, where the order of its lines is known: what
comes after the answer to a prompt is not of that turn.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Callable
from typing import Any

UPDATE, PROMPT = "session/update", "session/prompt"


class Wire:
    """The transport of an ACP connection, as the library wants it."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        updated: Callable[[Any], None],
    ) -> None:
        self._reader, self._writer, self._updated = reader, writer, updated
        self._turn: Any = None  # the running prompt's number

    async def send(self, message: dict[str, Any]) -> None:
        if message.get("method") == PROMPT:
            self._turn = message["id"]
        self._writer.write(json.dumps(message).encode() + b"\n")
        await self._writer.drain()

    async def receive(self) -> dict[str, Any] | None:
        """The next message that is not an update; None at the end. What is none is passed over."""
        while True:
            try:
                line = await self._reader.readline()
            except ValueError:  # longer than any message of ours may be
                continue
            if not line:
                return None
            try:
                message = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if not isinstance(message, dict):
                continue
            if message.get("method") == UPDATE:
                if self._turn is not None:
                    self._updated(message.get("params"))
                continue
            if "method" not in message and message.get("id") == self._turn:
                self._turn = None
            return message

    async def close(self) -> None:
        with contextlib.suppress(OSError):
            self._writer.close()
