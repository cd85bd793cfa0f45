"""Where the human types: Enter sends, Ctrl+J breaks the line, and a paste hides nothing."""

from __future__ import annotations

from textual import events
from textual.message import Message
from textual.widgets import TextArea

from handoff_cli.chat.text import visible


class Prompt(TextArea):
    class Sent(Message):
        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    def __init__(self) -> None:
        super().__init__(placeholder="Message, or /help", highlight_cursor_line=False)

    async def _on_key(self, event: events.Key) -> None:
        if event.key == "enter":
            self.post_message(self.Sent(self.text))
        elif event.key in ("shift+enter", "ctrl+j"):
            self.insert("\n")
        else:
            return  # to the one of `TextArea`, which Textual calls next
        event.stop()
        event.prevent_default()

    async def _on_paste(self, event: events.Paste) -> None:
        event.text = visible(event.text)
