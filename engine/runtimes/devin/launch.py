"""How Devin CLI is started."""

from __future__ import annotations

import shlex


def resume_command(native_id: str) -> str:
    return f"devin -r {shlex.quote(native_id)}"
