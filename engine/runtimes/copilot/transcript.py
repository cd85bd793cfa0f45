"""GitHub Copilot CLI's session (`~/.copilot/session-state/<session>/events.jsonl`) as records."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from ... import records as r
from ..base import number
from ..lines import items, mapping, objects, seconds, string, subject

KEPT = True
FLUSH_SECONDS = 0.3  # it writes about every tenth of a second

_VERSION = 1
_SHELLS = ("bash", "powershell")
_ENDING = re.compile(r"\n?<shellId: \S+ completed with exit code -?[0-9]+>\Z")


def records(lines: Iterable[bytes]) -> Iterator[r.Record]:
    version: object = _VERSION
    for value in objects(lines, _is_event):
        if isinstance(value, r.Skipped):
            yield value
            continue
        if value["type"] == "session.start":
            version = value["data"].get("version", _VERSION)
        if version != _VERSION:
            yield r.Skipped("of a version that is not known")
            continue
        kind, at = value.get("type"), seconds(value.get("timestamp"))
        data = mapping(value.get("data"))
        if kind == "user.message":
            if string(data.get("content")).strip() and not data.get("source"):
                yield r.Prompt(string(data["content"]).strip(), at)
        elif kind == "assistant.message":
            yield from _answer(data, at)
        elif kind == "abort":
            yield r.Interrupted(at)
        elif kind == "tool.execution_complete":
            yield from _result(data, at)
        elif kind == "session.usage_record":
            yield from _usage(mapping(data.get("usage")))


def _is_event(value: dict[str, Any]) -> bool:
    return isinstance(value.get("data"), dict) and isinstance(value.get("type"), str)


def _answer(data: dict[str, Any], at: float | None) -> Iterator[r.Record]:
    note = "subagent" if data.get("parentToolCallId") else None
    if string(data.get("content")) and note is None:
        yield r.Reply(string(data["content"]), at)
    for call in map(mapping, items(data.get("toolRequests"))):
        if call.get("name") in _SHELLS:
            given = mapping(call.get("arguments"))
            yield r.Call(string(call.get("toolCallId")), string(given.get("command")), at, note)
        elif call.get("name"):
            use = subject(mapping(call.get("arguments")))
            yield r.Use(string(call.get("toolCallId")), string(call["name"]), use, at, note)


def _result(data: dict[str, Any], at: float | None) -> Iterator[r.Record]:
    code = number(mapping(data.get("shellExecution")), "exitCode")
    result = mapping(data.get("result"))
    output = _ENDING.sub("", string(result.get("detailedContent") or result.get("content")))
    error = None if code is not None else "no exit code recorded"
    fine = data.get("success") is True
    yield r.Result(string(data.get("toolCallId")), code, output, "", at, error, fine)


def _usage(usage: dict[str, Any]) -> Iterator[r.Record]:
    used = number(usage, "inputTokens")
    if used is not None and usage.get("interactionType") in (None, "conversation-agent"):
        limit = number(usage, "maxPromptTokens")
        yield r.Usage(used, limit, string(usage.get("model")) or None)
