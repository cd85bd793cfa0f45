"""The to-do list of OpenCode's agent."""

from __future__ import annotations

from typing import Any

from ...records import Step
from ..lines import items, mapping, string

_STATUSES = {"pending": "open", "in_progress": "in_progress", "completed": "done"}


def plan_steps(todos: Any) -> tuple[Step, ...]:
    """The steps of a `todowrite` call; a cancelled one is none."""
    listed = [one for one in map(mapping, items(todos)) if one.get("status") != "cancelled"]
    return tuple(
        Step(str(place), string(one.get("content")), _status(one))
        for place, one in enumerate(listed, 1)
    )


def _status(todo: dict[str, Any]) -> str:
    return _STATUSES.get(string(todo.get("status")), "open")
