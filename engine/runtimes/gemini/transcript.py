"""Gemini CLI's session (`~/.gemini/tmp/<project>/chats/session-*.jsonl`) as records.

A message's line is written again once its calls have ended; `$set` lines patch what is known, and
`$rewindTo` takes back a message and all after it. Before 0.39 it was one document, `.json`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from ... import records as r
from ..base import number
from ..lines import items, mapping, objects, seconds, string, subject
from .outcome import INTERRUPTED, REFUSED, drawn, outcome
from .words import human_words

KEPT = True
FLUSH_SECONDS = 0.0

_MARKS = frozenset(("$set", "$rewindTo", "sessionId"))
_WINDOW_TOKENS = 1_048_576  # of every current Gemini model


def records(lines: Iterable[bytes]) -> Iterator[r.Record]:
    said: dict[str, list[r.Record]] = {}  # by message: a later line may take it back
    note = None
    for value in objects(lines, _is_line):
        if isinstance(value, r.Skipped):
            yield value
            continue
        if value.get("kind") == "subagent":
            note = "subagent"
        if "$rewindTo" in value:
            _rewind(said, value["$rewindTo"])
        for row in (value, *map(mapping, items(value.get("messages")))):
            name = string(row.get("id")) or f"message {len(said)}"
            if row.get("type") == "user":
                said[name] = list(_prompt(row))
            elif row.get("type") == "gemini":
                said[name] = list(_answer(row))
                yield from _calls(row, note)
    if note is None:
        yield from chain.from_iterable(said.values())


def _is_line(value: dict[str, Any]) -> bool:
    return "type" in value or not _MARKS.isdisjoint(value)


def _rewind(said: dict[str, list[r.Record]], target: Any) -> None:
    """Take back the message and all after it; everything, where it was said before this sweep."""
    names = list(said)
    for name in names[names.index(target) if target in names else 0 :]:
        del said[name]


def _prompt(row: dict[str, Any]) -> Iterator[r.Record]:
    said = human_words("\n".join(string(mapping(part).get("text")) for part in _parts(row)))
    if said:
        yield r.Prompt(said, seconds(row.get("timestamp")))


def _answer(row: dict[str, Any]) -> Iterator[r.Record]:
    at = seconds(row.get("timestamp"))
    if string(row.get("content")):
        yield r.Reply(string(row["content"]), at)
    used = number(mapping(row.get("tokens")), "input")
    if used is not None:
        model = string(row.get("model"))
        yield r.Usage(used, _WINDOW_TOKENS if model.startswith("gemini-") else None, model or None)


def _calls(row: dict[str, Any], note: str | None) -> Iterator[r.Record]:
    at = seconds(row.get("timestamp"))
    for call in map(mapping, items(row.get("toolCalls"))):
        if call.get("name") == "run_shell_command":
            yield from _command(call, at, note)
        elif call.get("name") and call["name"] != "write_todos":
            yield from _use(call, at, note)


def _command(call: dict[str, Any], at: float | None, note: str | None) -> Iterator[r.Record]:
    call_id, given = string(call.get("id")), mapping(call.get("args"))
    command = string(given.get("command"))
    yield r.Call(call_id, command, at, note)
    told = [mapping(mapping(part).get("functionResponse")) for part in items(call.get("result"))]
    if not told:
        return
    text = string(mapping(told[0].get("response")).get("output"))
    code, output, error = outcome(text, call.get("resultDisplay"), command)
    if call.get("status") == "cancelled":
        why = string(mapping(told[0].get("response")).get("error"))
        error = REFUSED if "denied" in why else INTERRUPTED
        code, output = None, drawn(call.get("resultDisplay")) or ""
    if given.get("is_background") is True:
        code, error = None, "sent to the background"
    yield r.Result(call_id, code, output, "", seconds(call.get("timestamp")), error)


def _use(call: dict[str, Any], at: float | None, note: str | None) -> Iterator[r.Record]:
    call_id = string(call.get("id"))
    yield r.Use(call_id, string(call.get("name")), subject(mapping(call.get("args"))), at, note)
    told = [mapping(mapping(part).get("functionResponse")) for part in items(call.get("result"))]
    if told:
        fine = call.get("status") == "success"
        said = mapping(told[0].get("response"))
        text = string(said.get("error") or said.get("output"))
        yield r.Result(call_id, None, text, "", seconds(call.get("timestamp")), succeeded=fine)


def _parts(row: dict[str, Any]) -> list[Any]:
    content = row.get("content")
    return [{"text": content}] if isinstance(content, str) else items(content)
