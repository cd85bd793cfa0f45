"""What the human and the agent said in so many words: prompts and plans."""

from __future__ import annotations

from typing import Any

from ...records import Step
from ..lines import items, mapping, string

_STATUSES = {"pending": "open", "in_progress": "in_progress", "completed": "done"}
# Messages that the program writes in the user's name.
_WRAPPERS = (
    "<environment_context>",
    "<user_instructions>",
    "<hook_prompt",
    "<turn_aborted>",
    "<subagent_notification>",
    "# AGENTS.md instructions",
    "Another language model started to solve this problem",
)


def human_words(text: str) -> str:
    """What the human said in `text`, or an empty string where the program said it."""
    said = text.strip()
    return "" if said.startswith(_WRAPPERS) else said


def plan_steps(plan: Any) -> tuple[Step, ...]:
    """The steps of an `update_plan` call's `plan`."""
    steps = enumerate(map(mapping, items(plan)), 1)
    return tuple(Step(str(at), string(step.get("step")), _status(step)) for at, step in steps)


def _status(step: dict[str, Any]) -> str:
    return _STATUSES.get(string(step.get("status")), "open")
