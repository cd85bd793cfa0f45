"""How OpenCode is started."""

from __future__ import annotations

import shlex

START = "opencode"
PROVED: str | None = "1.18.33"


def resume_command(native_id: str) -> str:
    return f"opencode -s {shlex.quote(native_id)}"
