"""Rollout lines as Codex wrote them before 0.171, without items: codes are in outputs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from ... import records as r
from ..lines import items, mapping, string
from .hooks import exit_code
from .words import command_text, human_words

# Codex itself writes these heads in front of what a program printed.
_HEAD = re.compile(
    r"(?:Chunk ID: \S+\n)?(?:Wall time: [0-9.]+ seconds\n)?"
    r"Process exited with code (-?[0-9]{1,10})\n"
    r"|Exit code: (-?[0-9]{1,10})\nWall time"
)
# A command inside the JavaScript of a code-mode call.
_NESTED = re.compile(r'exec_command\(\s*\{\s*"?cmd"?\s*:\s*("(?:[^"\\]|\\.)*")')


def records(payload: dict[str, Any], at: float | None) -> Iterator[r.Record]:
    """What one line of an older rollout says."""
    kind, call_id = payload.get("type"), string(payload.get("call_id"))
    if kind == "user_message":
        said = human_words(string(payload.get("message")))
        if said:
            yield r.Prompt(said, at)
    elif kind == "agent_message":
        yield r.Reply(string(payload.get("message")), at)
    elif kind == "message":
        parts = [string(mapping(part).get("text")) for part in items(payload.get("content"))]
        text = "\n".join(filter(None, parts))
        if payload.get("role") == "assistant":
            yield r.Reply(text, at)
        elif payload.get("role") == "user" and human_words(text):
            yield r.Prompt(human_words(text), at)
    elif kind == "local_shell_call":
        command = command_text(mapping(payload.get("action")).get("command"))
        yield r.Call(call_id, command, at)
    elif kind == "custom_tool_call" and payload.get("name") == "exec":
        nested = _NESTED.search(string(payload.get("input")))
        if nested:
            yield r.Call(call_id, _unquoted(nested[1]), at)
    elif kind == "custom_tool_call_output":
        yield r.Result(call_id, None, "", "", at, "ran inside a script, which tells no exit code")
    elif kind == "function_call_output":
        yield _output(call_id, payload.get("output"), at)
    elif kind == "exec_command_end":
        stdout, stderr = string(payload.get("stdout")), string(payload.get("stderr"))
        yield r.Result(call_id, exit_code(payload), stdout, stderr, at)


def _unquoted(literal: str) -> str:
    """The text of a JavaScript string; as it stands where it has escapes that JSON lacks."""
    try:
        return string(json.loads(literal, strict=False))
    except ValueError:
        return literal[1:-1]


def _output(call_id: str, output: Any, at: float | None) -> r.Result:
    """The exit code that Codex put around a program's output, never one inside it."""
    text = string(output)
    if text.startswith("{"):
        try:
            value = mapping(json.loads(text))
        except (ValueError, RecursionError):
            value = {}
        if "metadata" in value:
            code = exit_code(mapping(value["metadata"]))
            return r.Result(call_id, code, string(value.get("output")), "", at)
    head = _HEAD.match(text)
    if head is None:
        return r.Result(call_id, None, text, "", at, "no exit code recorded")
    code = exit_code({"exit_code": int(head[1] or head[2])})
    return r.Result(call_id, code, text.partition("Output:\n")[2], "", at)
