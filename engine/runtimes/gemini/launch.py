"""How Gemini CLI is started."""

from __future__ import annotations

import shlex

START = "gemini"
PROVED: str | None = "0.61.0"


def resume_command(native_id: str) -> str:
    return f"gemini --resume {shlex.quote(native_id)}"
