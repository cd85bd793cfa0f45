"""Secrets out of text: each is replaced by a typed marker, `[redacted:github-token]`.

Patterns are compiled when their trigger occurs, since a hook pays for every one of them.
"""

from __future__ import annotations

import re

from .disclosures import DISCLOSURES
from .shapes import SHAPES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from re import Match, Pattern

_LOWERED = "(?i)"
_ESCAPE = r"\\+(?:u([0-9a-fA-F]{4})|([\"'/nrt]))"
_CONTROLS = {"n": "\n", "r": "\r", "t": "\t"}
_compiled: dict[str, Pattern[str]] = {}
_allowed: tuple[str, ...] = ()


def allow(texts: Iterable[str]) -> None:
    """Take these for no secrets from now on: each a whole one, or its beginning and `*`."""
    global _allowed
    _allowed = tuple(texts)


def redact(text: str) -> tuple[str, int]:
    """`text` with every secret replaced by a typed marker, and how many there were; also of those
    that stand there as a JSON string in another one spells them."""
    hits = 0
    for name, pattern, holds in _rules(text):
        while True:  # one may hide what the same rule finds behind it
            spans = list(_spans(text, pattern, holds))
            if not spans:
                break
            hits += len(spans)
            parts, at = [], 0
            for start, end in spans:
                parts += [text[at:start], f"[redacted:{name}]"]
                at = end
            text = "".join((*parts, text[at:]))
    return _without_escaped(text, hits) if "\\" in text else (text, hits)


def redacted(text: str) -> str:
    """`text` with every secret replaced by a typed marker."""
    return redact(text)[0]


def unescaped(text: str) -> tuple[str, list[int]]:
    """The text without JSON's escapes, however deep, and where each of its characters began."""
    parts, places, at = [], [], 0
    for found in _pattern(_ESCAPE).finditer(text):
        start = found.start()
        char = chr(int(found[1], 16)) if found[1] else _CONTROLS.get(found[2], found[2])
        parts += [text[at:start], char]
        places += [*range(at, start), start]
        at = found.end()
    return "".join((*parts, text[at:])), [*places, *range(at, len(text) + 1)]


def _without_escaped(text: str, hits: int) -> tuple[str, int]:
    plain, places = unescaped(text)
    if len(plain) == len(text):
        return text, hits
    found: list[tuple[int, int, str]] = []
    for name, pattern, holds in _rules(plain):
        for start, end in _spans(plain, pattern, holds):
            if all(end <= other[0] or start >= other[1] for other in found):
                found.append((start, end, name))
    for start, end, name in sorted(found, reverse=True):
        text = f"{text[: places[start]]}[redacted:{name}]{text[places[end] :]}"
    return text, hits + len(found)


def _rules(text: str) -> Iterator[tuple[str, str, str]]:
    """The rules one of whose triggers occurs: a name, a pattern, what its value has to be like."""
    lowered = text.lower()
    for name, triggers, shape in SHAPES:
        if any(trigger in text for trigger in triggers):
            yield name, shape, ""
    for name, triggers, disclosure, holds in DISCLOSURES:
        if any(trigger in lowered for trigger in triggers):
            yield name, disclosure, holds


def _spans(text: str, expression: str, holds: str) -> Iterator[tuple[int, int]]:
    """Where secrets begin and end, by one rule."""
    looked_at = text
    if expression.startswith(_LOWERED):
        looked_at, expression = _lowered(text), expression[len(_LOWERED) :]
    pattern = _pattern(expression)
    group = "value" if "value" in pattern.groupindex else 0
    for found in pattern.finditer(looked_at):
        start, end = found.span(group)
        if (not holds or _holds(holds, found, text)) and not _is_allowed(text[start:end]):
            yield start, end


def _holds(like: str, found: Match[str], text: str) -> bool:
    from . import secretvalue  # its patterns cost a hook several milliseconds

    value = text[slice(*found.span("value"))]
    if like != "is_named":
        return bool(getattr(secretvalue, like)(value))
    start, end = found.span("name")
    while start > 0 and (text[start - 1].isalnum() or text[start - 1] == "_"):
        start -= 1
    return secretvalue.is_named(text[start:end], found["sign"], bool(found["quote"]), value)


def _lowered(text: str) -> str:
    """In lower case, each character in its place."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(char.lower() if char.isascii() else char for char in text)


def _pattern(expression: str) -> Pattern[str]:
    if expression not in _compiled:
        _compiled[expression] = re.compile(expression)
    return _compiled[expression]


def _is_allowed(secret: str) -> bool:
    return any(
        secret.startswith(one[:-1]) if one.endswith("*") else secret == one for one in _allowed
    )
