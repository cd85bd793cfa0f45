"""How GitHub Copilot CLI is started."""

from __future__ import annotations

import shlex

START = "copilot"


def resume_command(native_id: str) -> str:
    return f"copilot --resume={shlex.quote(native_id)}"
