"""Secrets out of text: each is replaced by a typed marker, `[redacted:github-token]`.

Patterns are compiled when their trigger occurs, since a hook pays for every one of them.
"""

from __future__ import annotations

import json
import re

from .disclosures import DISCLOSURES, NAME, WORDS
from .shapes import SHAPES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from re import Match, Pattern
    from typing import Any

MAX_ROUNDS = 10
MIN_CHARS = 9  # as `a://b:c@d` has
MAX_SECRET_CHARS = 20_000  # longer than a private key
_LOWERED = "(?i)"
# What a terminal or a reader does not show, and what JSON escapes, however deep.
_UNSEEN = "\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\u2061\u2062\u2063\u2064\ufeff"
_HIDES = "\\\x1b" + _UNSEEN
_ESCAPE = (
    r"(?:\x1b|(?<!\\)\\+u001[bB])\[[0-?]*[ -/]*[@-~]|[" + _UNSEEN + r"]"
    r"|(?<!\\)\\+(?:u([0-9a-fA-F]{4})|([\"'/nrt]))"
)
_CONTROLS = {"n": "\n", "r": "\r", "t": "\t"}
_compiled: dict[str, Pattern[str]] = {}
_allowed: frozenset[str] = frozenset()


def allow(texts: Iterable[str]) -> None:
    """Take these for no secrets from now on. Whole ones only: no list may let through a kind."""
    global _allowed
    _allowed = frozenset(texts)


def redact(text: str) -> tuple[str, int]:
    """`text` with every secret replaced by a typed marker, and how many there were; also of those
    that a JSON string in another one spells, or that invisible characters take apart."""
    hits = 0
    if len(text) < MIN_CHARS:
        return text, hits
    for name, pattern, holds in _rules(text):
        for _ in range(MAX_ROUNDS):  # one may hide what the same rule finds behind it
            spans = list(_spans(text, pattern, holds))
            if not spans:
                break
            hits += len(spans)
            parts, at = [], 0
            for start, end in spans:
                parts += [text[at:start], f"[redacted:{name}]"]
                at = end
            text = "".join((*parts, text[at:]))
    if any(char in text for char in _HIDES):
        return _without_hidden(text, hits)
    return text, hits


def redacted(text: str) -> str:
    """`text` with every secret replaced by a typed marker."""
    return redact(text)[0]


def beginning(text: str, max_chars: int) -> str:
    """At least the first `max_chars` of the text, redacted; what is far behind is not looked at."""
    return redacted(text[: max_chars + MAX_SECRET_CHARS])


def checked(data: bytes) -> bytes:
    """A file's bytes as they may be kept: the same where no secret is found, also not behind the
    escapes of JSON. JSON stays JSON."""
    text = data.decode("utf-8", "surrogateescape")
    if not redact(text)[1]:
        return data
    try:
        text = json.dumps(value(json.loads(text)), indent=2, ensure_ascii=False) + "\n"
    except (ValueError, RecursionError):
        text = redacted(text)
    return text.encode("utf-8", "surrogateescape")


def value(given: Any) -> Any:
    """A JSON value without secrets in its texts, also in those that only their keys give away."""
    if isinstance(given, str):
        return redacted(given)
    if isinstance(given, dict):
        return {key: _field(key, item) for key, item in given.items()}
    return [value(item) for item in given] if isinstance(given, list) else given


def _field(key: str, item: Any) -> Any:
    new = value(item)
    if isinstance(item, str) and new == item and redact(json.dumps({key: item}))[1]:
        return "[redacted:assignment]"
    return new


def _unescaped(text: str) -> tuple[str, list[int]]:
    """The text as it is meant, and where each of its characters begins."""
    parts, places, at = [], [], 0
    for found in _pattern(_ESCAPE).finditer(text):
        start = found.start()
        char = chr(int(found[1], 16)) if found[1] else found[2] or ""
        char = "" if char in _UNSEEN else _CONTROLS.get(char, char)
        parts += [text[at:start], char]
        places += [*range(at, start), *[start][: len(char)]]
        at = found.end()
    return "".join((*parts, text[at:])), [*places, *range(at, len(text) + 1)]


def _without_hidden(text: str, hits: int) -> tuple[str, int]:
    plain, places = _unescaped(text)
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
    named = any(word in lowered for word in WORDS)
    for name, triggers, disclosure, holds in DISCLOSURES:
        if (named or NAME not in disclosure) and any(trigger in lowered for trigger in triggers):
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
        if text[start:end] not in _allowed and (not holds or _holds(holds, found, text)):
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
