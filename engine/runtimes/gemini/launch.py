"""How Gemini CLI is started."""

from __future__ import annotations

import shlex

START = "gemini"


def resume_command(native_id: str) -> str:
    return f"gemini --resume {shlex.quote(native_id)}"
