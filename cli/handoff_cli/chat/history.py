"""What was said and done in a conversation so far, as the engine has it."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

from handoff_cli import engine
from handoff_cli.chat import recorder
from handoff_cli.chat.events import Event
from handoff_cli.engine import option

MAX_SHOWN = 2_000  # entries


def timeline(project: Path, topic: str | None, most: int) -> dict[str, Any]:
    """The engine's timeline with so many of its newest entries."""
    verb = ["timeline", "--json", "-n", str(most), *option("--topic", topic)]
    value: dict[str, Any] = engine.ask(project, verb)
    return value


def events(project: Path, topic: str | None) -> list[Event]:
    """What was said and done so far, over all agents."""
    return [event(one) for one in timeline(project, topic, MAX_SHOWN)["entries"]]


def event(one: dict[str, Any]) -> Event:
    """An entry of the timeline."""
    kinds = {"prompt": "said", "reply": "reply", "command": "tool", "tool": "tool"}
    at = datetime.fromisoformat(one["at"]).timestamp() if one["at"] else None
    return Event(
        kinds[one["kind"]],
        recorder.name(one["runtime"]),
        one["text"],
        exit_code=one["exit_code"],
        output=one["output"] or None,
        model=one["model"],
        at=at,
    )
