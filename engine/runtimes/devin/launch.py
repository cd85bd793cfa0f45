"""How Devin CLI is started."""

from __future__ import annotations

import shlex

START = "devin"
PROVED: str | None = None


def resume_command(native_id: str) -> str:
    return f"devin -r {shlex.quote(native_id)}"
