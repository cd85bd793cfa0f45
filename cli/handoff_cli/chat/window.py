"""A screen with a conversation: its list, a line that tells how it stands, and the keys of both."""

from __future__ import annotations

import asyncio
import signal
import sys
from typing import ClassVar

from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Static

from handoff_cli.chat.talk import Talk
from handoff_cli.chat.text import visible
from handoff_cli.errors import HandoffError


class Window(App[None]):
    CSS_PATH = "screen.tcss"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("pageup", "scroll(-1)", priority=True),
        Binding("pagedown", "scroll(1)", priority=True),
        Binding("ctrl+end", "to_end", priority=True),
        Binding("ctrl+o", "fold", priority=True),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._talk = Talk()
        self._status = Static(markup=False, id="status")

    def compose(self) -> ComposeResult:
        yield self._talk
        yield self._status

    async def close(self) -> None:
        """End what was started, once the screen has gone."""

    def _stands(self, *parts: str) -> None:
        """Tell how it stands; empty parts are left out."""
        self._status.update(visible(" · ".join(filter(None, parts))).replace("\n", " "))

    def action_scroll(self, pages: int) -> None:
        move = self._talk.scroll_page_up if pages < 0 else self._talk.scroll_page_down
        move(animate=False)

    def action_to_end(self) -> None:
        self._talk.to_end()

    def action_fold(self) -> None:
        self._talk.fold()


def show(window: Window) -> None:
    """Show it until the user leaves, or a signal ends it.

    Raises: HandoffError where there is no terminal.
    """
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise HandoffError("a chat is shown in a terminal", "`--json` is for scripts")

    async def until_left() -> int | None:
        for number in (signal.SIGTERM, signal.SIGHUP):
            asyncio.get_running_loop().add_signal_handler(number, window.exit)
        try:
            await window.run_async()
        finally:
            await window.close()
        return window.return_code

    if asyncio.run(until_left()):
        raise SystemExit(1)  # Textual has shown the traceback
