"""Which of a prompt's words a human typed."""

from __future__ import annotations

import re

# What hooks said before, what Gemini says of the session, what a command of the user's own shell
# printed and what is in the files that a prompt names stand in the user's name.
_OTHERS = re.compile(
    r"<(hook_context|session_context)>.*?(?:</\1>|\Z)|\A\s*/[a-z]+(?:\s|\Z)"
    r"|\AI ran the following shell command:\n```sh\n.*\Z"
    r"|\n--- Content from referenced files ---\n.*\Z",
    re.DOTALL,
)


def human_words(text: str) -> str:
    """What the human said in `text`, or an empty string where the program said it."""
    return _OTHERS.sub("", text).strip()
