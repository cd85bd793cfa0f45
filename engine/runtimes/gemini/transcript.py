"""Gemini CLI's session (`~/.gemini/tmp/<project>/chats/session-*.jsonl`) as records.

A message's line is written again once its calls have ended; `$set` lines patch what is known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ... import records as r
from ..base import number
from ..lines import items, mapping, objects, seconds, string, subject
from .outcome import outcome
from .words import human_words

KEPT = True
FLUSH_SECONDS = 0.0

_WINDOW_TOKENS = 1_048_576  # of every current Gemini model


def records(lines: Iterable[bytes]) -> Iterator[r.Record]:
    prompts: set[str] = set()
    for value in objects(lines):
        if isinstance(value, r.Skipped):
            yield value
        elif value.get("type") == "user" and string(value.get("id")) not in prompts:
            prompts.add(string(value.get("id")))
            yield from _prompt(value)
        elif value.get("type") == "gemini":
            yield from _answer(value)


def _prompt(row: dict[str, Any]) -> Iterator[r.Record]:
    said = human_words("\n".join(string(mapping(part).get("text")) for part in _parts(row)))
    if said:
        yield r.Prompt(said, seconds(row.get("timestamp")))


def _answer(row: dict[str, Any]) -> Iterator[r.Record]:
    at = seconds(row.get("timestamp"))
    if string(row.get("content")):
        yield r.Reply(string(row["content"]), at)
    for call in map(mapping, items(row.get("toolCalls"))):
        if call.get("name") == "run_shell_command":
            yield from _command(call, at)
        elif call.get("name") and call["name"] != "write_todos":
            yield from _use(call, at)
    used = number(mapping(row.get("tokens")), "input")
    if used is not None:
        model = string(row.get("model"))
        yield r.Usage(used, _WINDOW_TOKENS if model.startswith("gemini-") else None, model or None)


def _command(call: dict[str, Any], at: float | None) -> Iterator[r.Record]:
    call_id, given = string(call.get("id")), mapping(call.get("args"))
    yield r.Call(call_id, string(given.get("command")), at)
    told = [mapping(mapping(part).get("functionResponse")) for part in items(call.get("result"))]
    if not told:
        return
    text = string(mapping(told[0].get("response")).get("output"))
    code, output, error = outcome(text, call.get("resultDisplay"))
    if given.get("is_background") is True:
        code, error = None, "sent to the background"
    yield r.Result(call_id, code, output, "", seconds(call.get("timestamp")), error)


def _use(call: dict[str, Any], at: float | None) -> Iterator[r.Record]:
    call_id = string(call.get("id"))
    yield r.Use(call_id, string(call.get("name")), subject(mapping(call.get("args"))), at)
    told = [mapping(mapping(part).get("functionResponse")) for part in items(call.get("result"))]
    if told:
        fine = call.get("status") == "success"
        said = mapping(told[0].get("response"))
        text = string(said.get("error") or said.get("output"))
        yield r.Result(call_id, None, text, "", seconds(call.get("timestamp")), succeeded=fine)


def _parts(row: dict[str, Any]) -> list[Any]:
    content = row.get("content")
    return [{"text": content}] if isinstance(content, str) else items(content)
