"""The turn that runs, written down: of one in which a chat was killed nobody else could tell."""

from __future__ import annotations

import json
from pathlib import Path

from handoff_cli import state

FILE = "chat-turn.json"


def begun(project: Path, agent: str, session: str) -> None:
    value = {"agent": agent, "session": session}
    state.file(project, FILE).write_text(json.dumps(value), encoding="utf-8")


def ended(project: Path) -> None:
    state.file(project, FILE).unlink(missing_ok=True)


def left(project: Path) -> tuple[str, str] | None:
    """The agent and the native session whose turn a chat did not see to its end."""
    try:
        value = json.loads(state.file(project, FILE).read_text(encoding="utf-8"))
        return str(value["agent"]), str(value["session"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
