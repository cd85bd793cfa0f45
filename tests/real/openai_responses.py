"""Codex's side of the scripted model: steps become response items and response events."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from .script import JSON, Script

CALLS = ("function_call", "custom_tool_call")


def step(body: JSON, script: Script) -> JSON:
    """The step to play now."""
    items: list[JSON] = body.get("input") or []
    steps, start = script.newest(
        (index, text)
        for index, item in enumerate(items)
        if item.get("role") == "user"
        for text in texts(item)
    )
    seen = sum(
        item.get("role") == "assistant" or item.get("type") in CALLS for item in items[start:]
    )
    if items and any("CONTEXT CHECKPOINT COMPACTION" in text for text in texts(items[-1])):
        return script.compact(seen)
    return script.next_turn(steps, seen)


def texts(item: JSON) -> list[str]:
    content = item.get("content") or []
    return [content] if isinstance(content, str) else [part.get("text", "") for part in content]


def item(step: JSON, body: JSON, number: int) -> JSON:
    """The answer's one item; `number` makes its ids unique."""
    call = {"call_id": f"call_{number:04d}"}

    def function(name: str, arguments: JSON) -> JSON:
        own = {"type": "function_call", "id": f"fc_{number:04d}", **call}
        return {**own, "name": name, "arguments": json.dumps(arguments)}

    def custom(name: str, text: str) -> JSON:
        own = {"type": "custom_tool_call", "id": f"ctc_{number:04d}", **call}
        return {**own, "name": name, "input": text}

    if "calls" in step:
        return function(*step["calls"][0])
    if "bash" in step:
        command: JSON = {"cmd": step["bash"]}
        if step.get("background"):
            command["yield_time_ms"] = 250
        if "yield_ms" in step:
            command["yield_time_ms"] = step["yield_ms"]
        return function("exec_command", command)
    if "poll" in step:
        ids = re.findall(r"session ID (\d+)", json.dumps(body.get("input")))
        session = {"session_id": int(ids[-1]) if ids else 0}
        return function("write_stdin", {**session, "chars": "", "yield_time_ms": step["poll"]})
    if "plan" in step:
        plan = [{"step": title, "status": status} for title, status in step["plan"]]
        return function("update_plan", {"plan": plan})
    if "write" in step or "edit" in step:
        return custom("apply_patch", patch(step))
    if "code" in step:
        return custom("exec", step["code"])
    return {
        "type": "message",
        "id": f"msg_{number:04d}",
        "role": "assistant",
        "content": [{"type": "output_text", "text": step.get("text", "ok"), "annotations": []}],
    }


def patch(step: JSON) -> str:
    if "write" in step:
        path, text = step["write"]
        lines = [f"*** Add File: {path}", *(f"+{line}" for line in text.splitlines())]
    else:
        path, old, new = step["edit"]
        lines = [f"*** Update File: {path}", "@@"]
        lines += [f"-{line}" for line in old.splitlines()]
        lines += [f"+{line}" for line in new.splitlines()]
    return "\n".join(["*** Begin Patch", *lines, "*** End Patch", ""])


def events(item: JSON, step: JSON, number: int) -> Iterator[JSON]:
    """The answer as a stream."""
    used = step.get("in", 1200)
    usage = {
        "input_tokens": used,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": 25,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": used + 25,
    }
    response = {"id": f"resp_{number:04d}"}
    yield {"type": "response.created", "response": response}
    yield {"type": "response.output_item.added", "output_index": 0, "item": item}
    if item["type"] == "message":
        at = {"item_id": item["id"], "output_index": 0, "content_index": 0}
        text = item["content"][0]["text"]
        yield {"type": "response.output_text.delta", **at, "delta": text}
    yield {"type": "response.output_item.done", "output_index": 0, "item": item}
    yield {"type": "response.completed", "response": {**response, "usage": usage}}
