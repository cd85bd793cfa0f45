"""Which of a prompt's words a human typed."""

from __future__ import annotations

import re

# What is in the files that a prompt names stands in the user's name, too.
_OTHERS = re.compile(
    r"<(qwen:[\w-]+)>.*?(?:</\1>|\Z)|\A\s*/[a-z]+(?:\s|\Z)"
    r"|\n--- Content from referenced files ---\n.*\Z",
    re.DOTALL,
)


def human_words(text: str) -> str:
    """What the human said in `text`, or an empty string where the program said it."""
    return _OTHERS.sub("", text).strip()
