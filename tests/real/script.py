"""The steps that a scripted model plays, and where in a conversation they start."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

JSON = dict[str, Any]

SPENT: JSON = {"text": "(no more steps)"}
SUMMARY = "<analysis>read</analysis><summary>The conversation so far, in short.</summary>"


class Script:
    """Steps by prompt; a prompt may also carry its own as `STEPS=[…]`."""

    def __init__(self, prompts: dict[str, list[JSON]] | None = None) -> None:
        self.prompts = {prompt.strip(): steps for prompt, steps in (prompts or {}).items()}
        # What a compacted conversation no longer shows.
        self.last_prompt = ""
        self.last_steps: list[JSON] = []
        self.compacted_turns = 0

    def newest(self, texts: Iterable[tuple[int, str]]) -> tuple[list[JSON], int]:
        """The steps that the last matching user text asks for, and its position."""
        found: tuple[str, list[JSON], int] | None = None
        for position, text in texts:
            steps = self._asked_for_by(text)
            if steps is not None:
                found = text, steps, position
        if found is None:
            return self.last_steps, 0
        prompt, steps, position = found
        if prompt != self.last_prompt:
            self.last_prompt, self.last_steps, self.compacted_turns = prompt, steps, 0
        return steps, position

    def next_turn(self, turns: Sequence[JSON], seen: int) -> JSON:
        """What to play where the conversation shows so many turns since its prompt."""
        turn = self.compacted_turns + seen
        return turns[turn] if turn < len(turns) else SPENT

    def compact(self, seen: int) -> JSON:
        """The summary; the turns that it replaces stay counted."""
        self.compacted_turns += seen
        return {"text": SUMMARY}

    def _asked_for_by(self, text: str) -> list[JSON] | None:
        at = text.find("STEPS=[")
        if at < 0:
            return self.prompts.get(text.strip()) if text.strip() else None
        try:
            steps: list[JSON] = json.JSONDecoder().raw_decode(text, at + len("STEPS="))[0]
        except ValueError:  # a prompt quoted in short, not the prompt itself
            return None
        return steps
