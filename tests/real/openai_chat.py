"""The chat-completions side of the scripted model, which several agents speak."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from .script import JSON, Script

# For each kind of step, the tools that may be offered for it, and their arguments.
SHELLS = ("run_shell_command", "bash")
WRITERS = ("write_file", "write", "create")
EDITORS = ("edit", "replace", "str_replace_editor")


def step(body: JSON, script: Script) -> JSON:
    """The step to play now; an errand beside the session, such as a title, is answered too."""
    if not set(SHELLS) & set(tools(body)):
        return {"text": "scripted session"}
    messages: list[JSON] = body.get("messages") or []
    steps, start = script.newest(
        (index, text)
        for index, message in enumerate(messages)
        if message.get("role") == "user"
        for text in texts(message)
    )
    seen = sum(message.get("role") == "assistant" for message in messages[start:])
    offered = tools(body)
    return script.next_turn([turn for one in steps for turn in turns(one, offered)], seen)


def turns(step: JSON, offered: dict[str, JSON]) -> list[JSON]:
    """The step, after a look at the file where the agent refuses to edit an unread one."""
    if "edit" not in step or "read_file" not in offered:
        return [step]
    given = {"file_path": str(Path.cwd() / step["edit"][0])}
    return [{"calls": [["read_file", given]]}, step]


def tools(body: JSON) -> dict[str, JSON]:
    """The properties of each tool that is offered."""
    functions = [tool.get("function") or {} for tool in body.get("tools") or []]
    return {
        one["name"]: (one.get("parameters") or {}).get("properties") or {}
        for one in functions
        if "name" in one
    }


def texts(message: JSON) -> list[str]:
    """The texts of a message, and their parts: agents wrap a prompt in what they know."""
    content = message.get("content") or ""
    found = [content] if isinstance(content, str) else [p.get("text", "") for p in content]
    # OpenCode hands a prompt with spaces on in quotes, Copilot puts the time in front of it.
    return [one for text in found for one in (text, text.strip().strip('"'), *text.split("\n\n"))]


def message(step: JSON, body: JSON, number: int) -> JSON:
    call = chosen(step, tools(body))
    if call is None:
        return {"role": "assistant", "content": step.get("text", "ok")}
    name, arguments = call
    function = {"name": name, "arguments": json.dumps(arguments)}
    made = {"index": 0, "id": f"call_{number:04d}", "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [made]}


def chosen(step: JSON, offered: dict[str, JSON]) -> tuple[str, JSON] | None:
    """The tool that takes the step, with its arguments; None: the step is text."""
    if "calls" in step:
        name, arguments = step["calls"][0]
        return name, arguments
    if "bash" in step:
        name = next(one for one in SHELLS if one in offered)
        given: JSON = {"command": step["bash"], "description": "Run a scripted command"}
        extra = {"is_background": bool(step.get("background")), "mode": "sync"}
    elif "write" in step or "edit" in step:
        kind = "write" if "write" in step else "edit"
        name = next(one for one in (WRITERS if kind == "write" else EDITORS) if one in offered)
        path, *parts = step[kind]
        full = str(Path.cwd() / path)
        given = {}
        extra = {"filePath": full, "file_path": full, "path": full}
        if kind == "write":
            extra |= {"content": parts[0], "file_text": parts[0]}
        else:
            old, new = parts
            extra |= {"oldString": old, "newString": new, "old_string": old, "new_string": new}
            extra |= {"old_str": old, "new_str": new}
            extra |= {"oldText": old, "newText": new, "edits": [{"oldText": old, "newText": new}]}
    else:
        return None
    return name, {**given, **{key: extra[key] for key in extra if key in offered[name]}}


def usage(step: JSON) -> JSON:
    used = step.get("in", 1200)
    return {"prompt_tokens": used, "completion_tokens": 25, "total_tokens": used + 25}


def answer(message: JSON, step: JSON, body: JSON, number: int) -> JSON:
    calls = [{k: v for k, v in one.items() if k != "index"} for one in calls_of(message)]
    whole = {**message, "tool_calls": calls} if calls else message
    choice = {"index": 0, "message": whole, "finish_reason": reason(message)}
    return {**head(body, number, "chat.completion"), "choices": [choice], "usage": usage(step)}


def events(message: JSON, step: JSON, body: JSON, number: int) -> Iterator[JSON]:
    """The same answer as a stream."""
    chunk = head(body, number, "chat.completion.chunk")
    yield {**chunk, "choices": [{"index": 0, "delta": message, "finish_reason": None}]}
    yield {**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": reason(message)}]}
    yield {**chunk, "choices": [], "usage": usage(step)}


def head(body: JSON, number: int, kind: str) -> JSON:
    return {"id": f"chatcmpl-{number:04d}", "object": kind, "created": 0, "model": body["model"]}


def calls_of(message: JSON) -> list[JSON]:
    found: list[JSON] = message.get("tool_calls") or []
    return found


def reason(message: JSON) -> str:
    return "tool_calls" if calls_of(message) else "stop"
