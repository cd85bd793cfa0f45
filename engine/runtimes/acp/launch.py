"""How an agent is started that only a chat can talk with."""

from __future__ import annotations

import shlex


class Launch:
    """Of one agent, by the name that it has in the user's settings."""

    PROVED: str | None = None

    def __init__(self, name: str) -> None:
        self.START = f"handoff chat --agent {shlex.quote(name)}"

    def resume_command(self, native_id: str) -> str:
        """The chat finds the session itself."""
        return self.START
