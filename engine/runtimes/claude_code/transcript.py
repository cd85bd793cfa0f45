"""Claude Code's transcript (`~/.claude/projects/…/<session>.jsonl`) as records."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from ... import records as r
from ..base import number
from ..lines import items, mapping, objects, seconds, string, subject, total
from . import windows
from .hooks import is_running, outcome
from .words import human_words

KEPT = True
FLUSH_SECONDS = 0.0

_MARKS = frozenset(("message", "uuid", "sessionId", "leafUuid", "messageId"))
_PLAN_TOOLS = ("TodoWrite", "TaskCreate", "TaskUpdate")
_STATUSES = {
    "pending": "open",
    "in_progress": "in_progress",
    "completed": "done",
    "deleted": "deleted",
}
# What was sent to the background ended: the program's own ids and status come first; the exit code
# comes last, after the agent's words for the command.
_ENDED = re.compile(
    r"<task-notification>\s*<task-id>[\w-]+</task-id>\s*<tool-use-id>([\w-]+)</tool-use-id>"
    r"\s*(?:<output-file>[^<]*</output-file>\s*)?<status>(\w+)</status>"
)
_EXIT_CODE = re.compile(
    r" (?:failed with exit code |completed \(exit code )(-?[0-9]{1,10})\)?"
    r"</summary>\s*</task-notification>\Z"
)


def records(lines: Iterable[bytes]) -> Iterator[r.Record]:
    plans: dict[str, tuple[str, dict[str, Any]]] = {}  # to-do calls whose result is not in yet
    for value in objects(lines, _is_row):
        if isinstance(value, r.Skipped):
            yield value
            continue
        kind, at = value.get("type"), seconds(value.get("timestamp"))
        if kind == "assistant" and not value.get("isApiErrorMessage"):
            yield from _assistant(value, at, plans)
        elif kind == "system" and value.get("subtype") == "compact_boundary":
            yield from _compacted(mapping(value.get("compactMetadata")))
        elif kind == "user" and not value.get("isMeta") and not value.get("isCompactSummary"):
            yield from _results(value, at, plans)
            yield from _prompt(value, at)
            yield from _ended(value, at)


def _is_row(value: dict[str, Any]) -> bool:
    """Whether it has what only rows have."""
    return not _MARKS.isdisjoint(value)


def _assistant(
    row: dict[str, Any], at: float | None, plans: dict[str, tuple[str, dict[str, Any]]]
) -> Iterator[r.Record]:
    message, sidechain = mapping(row.get("message")), row.get("isSidechain") is True
    for block in map(mapping, items(message.get("content"))):
        if block.get("type") == "text" and not sidechain:
            yield r.Reply(string(block.get("text")), at)
        elif block.get("type") == "tool_use":
            call_id, name = string(block.get("id")), string(block.get("name"))
            given = mapping(block.get("input"))
            if name == "Bash":
                note = "subagent" if sidechain else None
                yield r.Call(call_id, string(given.get("command")), at, note)
            elif name in _PLAN_TOOLS and not sidechain:
                plans[call_id] = (name, given)
            elif name and name not in _PLAN_TOOLS:
                yield r.Use(call_id, name, subject(given), at, "subagent" if sidechain else None)
    if not sidechain:
        yield from _usage(mapping(message.get("usage")), string(message.get("model")))


def _results(
    row: dict[str, Any], at: float | None, plans: dict[str, tuple[str, dict[str, Any]]]
) -> Iterator[r.Record]:
    response = row.get("toolUseResult")
    for block in map(mapping, items(mapping(row.get("message")).get("content"))):
        if block.get("type") != "tool_result":
            continue
        tool, given = plans.pop(string(block.get("tool_use_id")), ("", {}))
        if not tool:
            yield _result(block, response, at)
        elif block.get("is_error") is not True:
            yield from _plan(tool, given, mapping(response))


def _prompt(row: dict[str, Any], at: float | None) -> Iterator[r.Record]:
    """The human's words; rows of another origin are the program's, such as a notification."""
    origin = mapping(row.get("origin")).get("kind", "human")  # only what was typed names it
    if row.get("isSidechain") is True or origin != "human":
        return
    content = mapping(row.get("message")).get("content")
    blocks = [{"text": content}] if isinstance(content, str) else map(mapping, items(content))
    said = human_words("\n".join(string(block.get("text")) for block in blocks))
    if said:
        yield r.Prompt(said, at)


def _ended(row: dict[str, Any], at: float | None) -> Iterator[r.Record]:
    """The end of what was sent to the background, from the row in which the program tells it."""
    if mapping(row.get("origin")).get("kind") != "task-notification":
        return
    told = string(mapping(row.get("message")).get("content")).strip()
    head, code = _ENDED.match(told), _EXIT_CODE.search(told)
    if head:
        error = None if code else f"{head[2]} in the background"
        passed = head[2] == "completed"
        yield r.Result(head[1], int(code[1]) if code else None, "", "", at, error, passed)


def _result(block: dict[str, Any], response: Any, at: float | None) -> r.Result:
    call_id = string(block.get("tool_use_id"))
    text = _joined(block.get("content"))
    if block.get("is_error") is True:
        code, stdout, stderr, error = outcome(None, text or "failed")
    elif isinstance(response, dict):
        code, stdout, stderr, error = outcome(response, "")
    elif block.get("is_error") is False:
        code, stdout, stderr, error = 0, text, "", None
    else:
        code, stdout, stderr, error = None, text, "", "no outcome recorded"
    passed = block.get("is_error") is not True
    running = passed and is_running(response)
    return r.Result(call_id, code, stdout, stderr, at, error, passed, running)


def _plan(tool: str, given: dict[str, Any], response: dict[str, Any]) -> Iterator[r.Record]:
    """The to-do list after a call that succeeded: all of it, or one step."""
    if tool == "TodoWrite":
        todos = [mapping(todo) for todo in items(given.get("todos"))]
        yield r.Plan(
            tuple(
                r.Step(str(number), string(todo.get("content")), _status(todo) or "open")
                for number, todo in enumerate(todos, 1)
            )
        )
    elif tool == "TaskUpdate":
        key, subject = string(given.get("taskId")), string(given.get("subject"))
        yield r.PlanChange(r.Step(key, subject, _status(given)))
    else:  # the result of `TaskCreate` alone tells the step's id
        key = string(mapping(response.get("task")).get("id"))
        yield r.PlanChange(r.Step(key, string(given.get("subject")), "open"))


def _status(todo: dict[str, Any]) -> str:
    return _STATUSES.get(string(todo.get("status")), "")


def _usage(usage: dict[str, Any], model: str) -> Iterator[r.Record]:
    keys = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    used = total(usage, keys)
    if used:
        yield r.Usage(used, windows.tokens(model, used), model or None)


def _compacted(facts: dict[str, Any]) -> Iterator[r.Record]:
    left = number(facts, "postTokens")
    if left is not None:
        yield r.Usage(left, None)


def _joined(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(string(mapping(part).get("text")) for part in items(content))
