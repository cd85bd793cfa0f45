"""Which of a user message's words a human typed."""

from __future__ import annotations

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
