"""How Cursor's CLI is started."""

from __future__ import annotations

import shlex

START = "agent"
PROVED: str | None = None


def resume_command(native_id: str) -> str:
    return f"agent --resume {shlex.quote(native_id)}"
