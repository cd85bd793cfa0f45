"""How GitHub Copilot CLI is started."""

from __future__ import annotations

import shlex

START = "copilot"
PROVED: str | None = "1.0.102"


def resume_command(native_id: str) -> str:
    return f"copilot --resume={shlex.quote(native_id)}"
