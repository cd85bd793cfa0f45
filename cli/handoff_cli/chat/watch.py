"""The screen of a chat that another client holds: what is said there, and nothing to say here."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import ClassVar

from textual.binding import Binding, BindingType

from handoff_cli.chat import holder
from handoff_cli.chat.following import Following, following
from handoff_cli.chat.window import Window, show
from handoff_cli.errors import HandoffError


def run(project: Path, topic: str | None) -> None:
    """Show what is said by whatever client, until the user leaves."""
    show(Watch(project, following(project, topic)))


class Watch(Window):
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q", "quit"),
        Binding("up", "line(-1)"),
        Binding("down", "line(1)"),
        Binding("home", "to_start"),
        Binding("end", "to_end"),
    ]

    def __init__(self, project: Path, followed: Following) -> None:
        super().__init__()
        self._project, self._followed = project, followed

    def on_mount(self) -> None:
        self._stands("reading what was said")
        self.run_worker(self._follow())

    async def _follow(self) -> None:
        while True:
            try:
                events = await asyncio.to_thread(self._followed.look)
            except HandoffError as error:
                first = f"error: {error}"
            else:
                if events is not None:
                    self._talk.become(events)
                first = "" if self._talk.shown else "nothing was said here yet"
            pid = holder.who(self._project)
            held = f"process {pid} holds it" if pid else "nobody holds it"
            self._stands(first, f"watching: {held}", "q leaves")
            await asyncio.sleep(self._followed.pause_seconds)

    def action_line(self, lines: int) -> None:
        self._talk.scroll_relative(y=lines, animate=False)

    def action_to_start(self) -> None:
        self._talk.scroll_home(animate=False)
