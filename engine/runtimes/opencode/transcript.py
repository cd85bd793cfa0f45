"""OpenCode's sessions as records, from the lines that `database` makes of its store.

Where that cannot be read, our plugin tells all of it while it happens.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ... import records as r
from ..base import number
from ..lines import items, mapping, objects, string, subject, total
from .hooks import outcome, unquoted
from .words import plan_steps

KEPT = False
FLUSH_SECONDS = 0.0


def records(lines: Iterable[bytes]) -> Iterator[r.Record]:
    for value in objects(lines):
        if isinstance(value, r.Skipped):
            yield value
            continue
        info, parts = mapping(value.get("info")), []
        for part in items(value.get("parts")):
            if isinstance(part, dict):
                parts.append(part)
            else:
                yield r.Skipped("a part that is no object")
        if info.get("role") == "assistant":
            yield from _answer(info, parts, "subagent" if value.get("child") is True else None)
        elif info.get("role") != "user":
            yield r.Skipped("a message of no known role")
        elif value.get("child") is not True:
            yield from _prompt(info, parts)


def _prompt(info: dict[str, Any], parts: list[dict[str, Any]]) -> Iterator[r.Record]:
    said = unquoted("\n".join(filter(None, map(_text, parts))))
    if said:
        yield r.Prompt(said, _seconds(mapping(info.get("time")), "created"))


def _answer(
    info: dict[str, Any], parts: list[dict[str, Any]], note: str | None
) -> Iterator[r.Record]:
    begun = _seconds(mapping(info.get("time")), "created")
    speaks = note is None and info.get("summary") is not True  # else it is for the agent alone
    for part in parts:
        time = mapping(part.get("time"))
        if part.get("type") == "tool":
            yield from _tool(part, note)
        elif speaks and _text(part) and ("end" in time or "start" not in time):
            yield r.Reply(_text(part), _seconds(time, "start") or begun)
    tokens = mapping(info.get("tokens"))
    used = total(tokens, ("input",)) + total(mapping(tokens.get("cache")), ("read", "write"))
    if speaks and used:
        yield r.Usage(used, None, string(info.get("modelID")) or None)


def _tool(part: dict[str, Any], note: str | None) -> Iterator[r.Record]:
    call_id, tool = string(part.get("callID")), string(part.get("tool"))
    state = mapping(part.get("state"))
    given, status, error = mapping(state.get("input")), state.get("status"), state.get("error")
    said = mapping(state.get("metadata"))
    at, end = (_seconds(mapping(state.get("time")), key) for key in ("start", "end"))
    # Called in place of a tool that there is not, or that takes no such input.
    if tool == "invalid":
        tool, status, error, given = string(given.get("tool")), "error", given.get("error"), {}
    command = string(given.get("command")) if tool == "bash" else ""
    output = string(state.get("output")) or string(said.get("output"))
    result = r.Result(call_id, None, output, string(error), end, succeeded=status == "completed")
    if status == "pending":
        return  # its input is still being written
    if status not in ("running", "completed", "error") or not tool:
        yield r.Skipped("a tool in no known state")
    elif tool == "todowrite" and status == "completed" and note is None:
        yield r.Plan(plan_steps(given.get("todos")))
    else:
        if command:
            code, why = outcome(said, string(error))
            result = result._replace(exit_code=code, stderr="", error=why)
            yield r.Call(call_id, command, at, note)
        else:
            yield r.Use(call_id, tool, subject(given), at, note)
        if status != "running":
            yield result


def _text(part: dict[str, Any]) -> str:
    """The words of a part; those of a synthetic one are the program's, or of a plugin like ours."""
    hidden = part.get("synthetic") is True or part.get("ignored") is True
    return string(part.get("text")) if part.get("type") == "text" and not hidden else ""


def _seconds(times: dict[str, Any], key: str) -> float | None:
    milliseconds = number(times, key)
    return None if milliseconds is None else milliseconds / 1000
