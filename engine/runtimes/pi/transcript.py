"""pi's session (`~/.pi/agent/sessions/…/<time>_<session>.jsonl`, version 3) as records."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ... import records as r
from ..lines import items, mapping, objects, seconds, string, subject, total
from .outcome import outcome

KEPT = True
FLUSH_SECONDS = 0.0

_VERSIONS = (1, 2, 3)


def records(lines: Iterable[bytes]) -> Iterator[r.Record]:
    version: object = _VERSIONS[0]
    for value in objects(lines, lambda value: "timestamp" in value):
        if isinstance(value, r.Skipped):
            yield value
            continue
        if value.get("type") == "session":
            version = value.get("version", _VERSIONS[0])
        if version not in _VERSIONS:
            yield r.Skipped("of a version that is not known")
        elif value.get("type") == "message":
            message, at = mapping(value.get("message")), seconds(value.get("timestamp"))
            if message.get("role") == "user":
                yield from _prompt(message, at)
            elif message.get("role") == "assistant":
                yield from _answer(message, at)
            elif message.get("role") == "toolResult":
                yield _result(message, at)


def _prompt(message: dict[str, Any], at: float | None) -> Iterator[r.Record]:
    said = _text(message.get("content")).strip()
    if said:
        yield r.Prompt(said, at)


def _answer(message: dict[str, Any], at: float | None) -> Iterator[r.Record]:
    for part in map(mapping, items(message.get("content"))):
        if part.get("type") == "text" and string(part.get("text")):
            yield r.Reply(string(part["text"]), at)
        elif part.get("type") == "toolCall" and part.get("name") == "bash":
            given = mapping(part.get("arguments"))
            yield r.Call(string(part.get("id")), string(given.get("command")), at)
        elif part.get("type") == "toolCall":
            given = mapping(part.get("arguments"))
            yield r.Use(string(part.get("id")), string(part.get("name")), subject(given), at)
    usage = mapping(message.get("usage"))
    used = total(usage, ("input", "cacheRead", "cacheWrite"))
    if used:
        yield r.Usage(used, None, string(message.get("model")) or None)


def _result(message: dict[str, Any], at: float | None) -> r.Result:
    is_error = message.get("isError") is not False
    call_id, text = string(message.get("toolCallId")), _text(message.get("content"))
    if message.get("toolName") != "bash":
        return r.Result(call_id, None, text, "", at, succeeded=not is_error)
    code, output, error = outcome(is_error, text)
    return r.Result(call_id, code, output, "", at, error)


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(string(mapping(part).get("text")) for part in items(content))
