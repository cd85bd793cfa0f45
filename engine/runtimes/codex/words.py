"""What the human and the agent said in so many words: prompts and plans."""

from __future__ import annotations

import shlex
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
    "<user_shell_command>",
    "<permissions instructions>",
    "<collaboration_mode>",
    "<recommended_plugins>",
    "<goal_context>",
    "<skill>",
    "# AGENTS.md instructions",
    "Another language model started to solve this problem",
)
# What an editor's extension puts in front of the human's words.
_EDITOR, _REQUEST = "# Context from my IDE setup:", "## My request for Codex:"


def human_words(text: str) -> str:
    """What the human said in `text`, or an empty string where the program said it."""
    said = text.strip()
    if said.startswith(_EDITOR):
        said = said.partition(_REQUEST)[2].strip()
    return "" if said.startswith(_WRAPPERS) else said


def plan_steps(plan: Any) -> tuple[Step, ...]:
    """The steps of an `update_plan` call's `plan`."""
    steps = enumerate(map(mapping, items(plan)), 1)
    return tuple(Step(str(at), string(step.get("step")), _status(step)) for at, step in steps)


def _status(step: dict[str, Any]) -> str:
    return _STATUSES.get(string(step.get("status")), "open")


def command_text(argv: Any) -> str:
    """The shell text of a command: itself, or of an argv, where `bash -lc TEXT` is TEXT."""
    if isinstance(argv, str):
        return argv
    words = [string(word) for word in items(argv)]
    if len(words) == 3 and words[0].endswith("sh") and words[1] in ("-lc", "-c"):
        return words[2]
    return shlex.join(words)
