"""How Goose is started."""

from __future__ import annotations

import shlex

START = "goose session"
PROVED: str | None = None


def resume_command(native_id: str) -> str:
    return f"goose session --resume --session-id {shlex.quote(native_id)}"
