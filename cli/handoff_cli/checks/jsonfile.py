"""Settings that others own, read for evidence alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from handoff_cli import json_text, settings_files
from handoff_cli.errors import HandoffError


def read(path: Path) -> dict[str, Any]:
    """The object in a JSON file, comments allowed; empty where there is none that can be read."""
    try:
        data = settings_files.read(path)
        document = json_text.parse(data or b"", jsonc=True, name=path.name)
    except HandoffError:
        return {}
    value = document.value(document.root) if document.root else {}
    return value if isinstance(value, dict) else {}


def inner(value: dict[str, Any], *keys: str) -> Any:
    """What stands below the keys, or None."""
    here: Any = value
    for key in keys:
        here = here.get(key) if isinstance(here, dict) else None
    return here
