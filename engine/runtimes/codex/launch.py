"""How Codex is started."""

from __future__ import annotations

import shlex

START = "codex"
PROVED: str | None = "0.171.0"


def resume_command(native_id: str) -> str:
    return f"codex resume {shlex.quote(native_id)}"
