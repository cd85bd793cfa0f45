"""How Codex is started."""

from __future__ import annotations

import shlex

START = "codex"


def resume_command(native_id: str) -> str:
    return f"codex resume {shlex.quote(native_id)}"
