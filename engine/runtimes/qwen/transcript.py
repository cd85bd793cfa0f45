"""Qwen Code's session (`~/.qwen/projects/…/chats/<session>.jsonl`) as records."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ... import records as r
from ..base import number
from ..lines import items, mapping, objects, seconds, string, subject
from .words import human_words

KEPT = True
FLUSH_SECONDS = 0.0

# Of a command or tool that a person stopped.
_STOPPED = {"cancelled": "interrupted", "not_started": "not allowed to run"}
_STATUSES = {"pending": "open", "in_progress": "in_progress", "completed": "done"}


def records(lines: Iterable[bytes]) -> Iterator[r.Record]:
    for value in objects(lines, lambda value: "uuid" in value):
        if isinstance(value, r.Skipped):
            yield value
            continue
        kind, at = value.get("type"), seconds(value.get("timestamp"))
        if kind == "user":
            yield from _prompt(value, at)
        elif kind == "assistant":
            yield from _answer(value, at)
        elif kind == "tool_result":
            yield from _result(mapping(value.get("toolCallResult")), at)


def _prompt(row: dict[str, Any], at: float | None) -> Iterator[r.Record]:
    if row.get("provenance", "real_user") != "real_user":
        return
    shown = string(mapping(row.get("systemPayload")).get("displayText"))
    said = human_words(shown or "\n".join(string(part.get("text")) for part in _parts(row)))
    if said:
        yield r.Prompt(said, at)


def _answer(row: dict[str, Any], at: float | None) -> Iterator[r.Record]:
    for part in _parts(row):
        call = mapping(part.get("functionCall"))
        given = mapping(call.get("args"))
        if string(part.get("text")) and part.get("thought") is not True:
            yield r.Reply(string(part["text"]), at)
        elif call.get("name") == "run_shell_command":
            yield r.Call(string(call.get("id")), string(given.get("command")), at)
        elif call.get("name") == "todo_write":
            todos = enumerate(map(mapping, items(given.get("todos"))), 1)
            yield r.Plan(tuple(_step(place, todo) for place, todo in todos))
        elif call:
            yield r.Use(string(call.get("id")), string(call.get("name")), subject(given), at)
    used = number(mapping(row.get("usageMetadata")), "promptTokenCount")
    if used is not None:
        yield r.Usage(used, None, string(row.get("model")) or None)


def _result(result: dict[str, Any], at: float | None) -> Iterator[r.Record]:
    shown = mapping(result.get("resultDisplay"))
    if shown.get("type") != "shell_result":
        fine = result.get("status") == "success"
        said = string(mapping(result.get("error")).get("message")) or _drawn(shown)
        why = _STOPPED.get(string(result.get("executionStatus")))
        yield r.Result(string(result.get("callId")), None, said, "", at, why, fine)
        return
    code = number(shown, "exitCode")
    error = None
    if code is None:
        error = string(shown.get("outcome")) or "no outcome recorded"
    elif shown.get("signal"):
        code, error = None, f"ended by signal {shown['signal']}"
    yield r.Result(string(result.get("callId")), code, string(shown.get("output")), "", at, error)


def _drawn(shown: dict[str, Any]) -> str:
    lines = [map(mapping, items(line)) for line in items(shown.get("ansiOutput"))]
    return "\n".join("".join(string(cell.get("text")) for cell in line).rstrip() for line in lines)


def _step(place: int, todo: dict[str, Any]) -> r.Step:
    status = _STATUSES.get(string(todo.get("status")), "open")
    return r.Step(str(place), string(todo.get("content")), status)


def _parts(row: dict[str, Any]) -> list[dict[str, Any]]:
    return [mapping(part) for part in items(mapping(row.get("message")).get("parts"))]
