"""How Claude Code is started."""

from __future__ import annotations

import shlex

START = "claude"


def resume_command(native_id: str) -> str:
    return f"claude --resume {shlex.quote(native_id)}"
