"""Claude Code's side of the scripted model: steps become tool calls and message events."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from .script import JSON, Script

Calls = list[tuple[str, JSON]]


def step(body: JSON, script: Script) -> JSON:
    """The step to play now, its tool calls under `calls`."""
    messages: list[JSON] = body.get("messages", [])
    compaction = messages and any("Do NOT call any tools" in text for text in texts(messages[-1]))
    if not compaction and not any(tool.get("name") == "Bash" for tool in body.get("tools", [])):
        return {"text": '{"title": "scripted session"}'}  # an errand beside the session
    steps, start = script.newest(
        (index, text)
        for index, message in enumerate(messages)
        if message.get("role") == "user"
        for text in texts(message)
    )
    # Claude Code starts without the schemas of its to-do tools and names them in a message.
    offered = {
        line for message in messages[: start + 2] for line in "\n".join(texts(message)).split()
    }
    todos = Todos(
        one_call="TodoWrite" in offered,
        made_before=json.dumps(messages[:start]).count('"name": "TaskCreate"'),
    )
    turns = [{**step, "calls": calls} for step in steps for calls in calls_of(step, todos)]
    seen = sum(message.get("role") == "assistant" for message in messages[start:])
    return script.compact(seen) if compaction else script.next_turn(turns, seen)


def texts(message: JSON) -> list[str]:
    content = message.get("content") or []
    if isinstance(content, str):
        return [content]
    return [block.get("text", "") for block in content if block.get("type") == "text"]


def calls_of(step: JSON, todos: Todos) -> list[Calls]:
    """The tool calls of each model turn that the step takes; no call means text."""
    if "calls" in step:
        return [[(name, arguments) for name, arguments in step["calls"]]]
    if "bash" in step:
        bash: JSON = {"command": step["bash"], "description": "Run a scripted command"}
        if "timeout_ms" in step:
            bash["timeout"] = step["timeout_ms"]
        if step.get("background"):
            bash["run_in_background"] = True
        return [[("Bash", bash)]]
    if "poll" in step:  # there is no tool to wait with: Claude Code tells when a command ended
        wait = {"command": f"sleep {step['poll'] / 1000}", "description": "Wait"}
        return [[("Bash", wait)]]
    if "write" in step:
        path, text = step["write"]
        return [[("Write", {"file_path": str(Path.cwd() / path), "content": text})]]
    if "edit" in step:
        path, old, new = step["edit"]
        file = {"file_path": str(Path.cwd() / path)}
        # An edit is refused unless the file was read before.
        return [[("Read", file)], [("Edit", {**file, "old_string": old, "new_string": new})]]
    if "plan" in step:
        return todos.calls(step["plan"])
    return [[]]


@dataclass
class Todos:
    """The to-do list as the calls so far have left it."""

    one_call: bool  # TodoWrite with the whole list; otherwise TaskCreate and TaskUpdate, per item
    made_before: int  # tasks of earlier prompts: ids are counted per session
    loaded: bool = False
    ids: dict[str, str] = field(default_factory=dict)

    def calls(self, plan: list[tuple[str, str]]) -> list[Calls]:
        names = "TodoWrite" if self.one_call else "TaskCreate,TaskUpdate"
        load: list[Calls] = [[("ToolSearch", {"query": f"select:{names}"})]]
        turns = [] if self.loaded else load
        self.loaded = True
        if self.one_call:
            items = [
                {"content": title, "status": status, "activeForm": title} for title, status in plan
            ]
            return [*turns, [("TodoWrite", {"todos": items})]]
        created: Calls = []
        for title, _ in plan:
            if title not in self.ids:
                self.ids[title] = str(self.made_before + len(self.ids) + 1)
                task = {"subject": title, "description": title, "activeForm": title}
                created.append(("TaskCreate", task))
        updated: Calls = [
            ("TaskUpdate", {"taskId": self.ids[title], "status": status})
            for title, status in plan
            if status != "pending"
        ]
        return [*turns, *(calls for calls in (created, updated) if calls)]


def message(step: JSON, body: JSON, number: int) -> JSON:
    """The whole answer; `number` makes its ids unique."""
    content: list[JSON] = [
        {"type": "tool_use", "id": f"toolu_{number:04d}{index:02d}", "name": name, "input": call}
        for index, (name, call) in enumerate(step.get("calls", []))
    ]
    usage = {"cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": 25}
    return {
        "id": f"msg_{number:04d}",
        "type": "message",
        "role": "assistant",
        "model": body.get("model"),
        "content": content or [{"type": "text", "text": step.get("text", "ok")}],
        "stop_reason": "tool_use" if content else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": step.get("in", 1200), **usage},
    }


def events(message: JSON) -> Iterator[JSON]:
    """The same answer as a stream."""
    yield {"type": "message_start", "message": {**message, "content": [], "stop_reason": None}}
    for index, block in enumerate(message["content"]):
        empty: JSON
        if block["type"] == "text":
            empty, delta = {"text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            empty = {"input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        at = {"index": index}
        yield {"type": "content_block_start", **at, "content_block": {**block, **empty}}
        yield {"type": "content_block_delta", **at, "delta": delta}
        yield {"type": "content_block_stop", **at}
    stop = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield {"type": "message_delta", "delta": stop, "usage": {"output_tokens": 25}}
    yield {"type": "message_stop"}
