"""How pi is started."""

from __future__ import annotations

import shlex

START = "pi"
PROVED: str | None = "0.73.1"


def resume_command(native_id: str) -> str:
    return f"pi --session {shlex.quote(native_id)}"
