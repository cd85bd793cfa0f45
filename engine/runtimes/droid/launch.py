"""How Factory droid is started."""

from __future__ import annotations

import shlex

START = "droid"
PROVED: str | None = None


def resume_command(native_id: str) -> str:
    return f"droid -s {shlex.quote(native_id)}"
