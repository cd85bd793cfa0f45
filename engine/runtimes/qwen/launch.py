"""How Qwen Code is started."""

from __future__ import annotations

import shlex

START = "qwen"
PROVED: str | None = "0.24.4"


def resume_command(native_id: str) -> str:
    return f"qwen --resume {shlex.quote(native_id)}"
