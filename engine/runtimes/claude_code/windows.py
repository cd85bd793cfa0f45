"""The context windows of Claude Code's models: neither its hooks nor its transcript tell them."""

from __future__ import annotations

import re

# As version 2.1.332 reports them itself: `modelUsage` of `claude -p --output-format json`.
_MILLION = re.compile(r"claude-(?:opus-(?:5|4-[78])|sonnet-5|haiku-5|fable|mythos)(?![0-9])")
_KNOWN = re.compile(r"claude-(?:opus|sonnet|haiku|3)-")
_LARGE, _USUAL = 1_000_000, 200_000


def tokens(model: str, used: int) -> int | None:
    """The window of a model, or None where that is not known.

    A model of 200,000 tokens can be asked for with a million (`[1m]`), which the transcript does
    not say: a use beyond the window shows it.
    """
    if _MILLION.match(model):
        return _LARGE
    if not _KNOWN.match(model):
        return None
    return _USUAL if used <= _USUAL else _LARGE
