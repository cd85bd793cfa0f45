"""How Claude Code is started."""

from __future__ import annotations

import shlex

START = "claude"
PROVED: str | None = "2.1.332"


def resume_command(native_id: str) -> str:
    return f"claude --resume {shlex.quote(native_id)}"
