"""Gemini's side of the scripted model: steps become function calls and answer chunks."""

from __future__ import annotations

import json
from pathlib import Path

from .script import JSON, Script

SHELL, WRITE, EDIT = "run_shell_command", "write_file", "replace"


def step(body: JSON, script: Script) -> JSON:
    """The step to play now; an errand beside the session, such as routing, gets an answer too."""
    if not any("functionDeclarations" in tool for tool in body.get("tools") or []):
        return {"text": json.dumps({"reasoning": "scripted", "model_choice": "flash"})}
    contents: list[JSON] = body.get("contents") or []
    steps, start = script.newest(
        (index, text)
        for index, content in enumerate(contents)
        if content.get("role") == "user"
        for text in texts(content)
    )
    seen = sum(content.get("role") == "model" for content in contents[start:])
    return script.next_turn(steps, seen)


def texts(content: JSON) -> list[str]:
    """The texts of a message, without what hooks put in front of them."""
    found = [part.get("text", "") for part in content.get("parts") or []]
    return [text.rpartition("</hook_context>")[2].strip() for text in found]


def answer(step: JSON) -> JSON:
    """The whole answer, which is also its one chunk as a stream."""
    used = step.get("in", 1200)
    return {
        "candidates": [
            {
                "content": {"role": "model", "parts": [part(step)]},
                "finishReason": "STOP",
                "index": 0,
            }
        ],
        "usageMetadata": {
            "promptTokenCount": used,
            "candidatesTokenCount": 25,
            "totalTokenCount": used + 25,
        },
        "modelVersion": "scripted",
    }


def part(step: JSON) -> JSON:
    if "calls" in step:
        name, arguments = step["calls"][0]
    elif "bash" in step:
        given = {"command": step["bash"], "description": "Run a scripted command"}
        name, arguments = SHELL, {**given, "is_background": bool(step.get("background"))}
    elif "write" in step:
        path, text = step["write"]
        name, arguments = WRITE, {"file_path": str(Path.cwd() / path), "content": text}
    elif "edit" in step:
        path, old, new = step["edit"]
        file = {"file_path": str(Path.cwd() / path), "instruction": "Edit the file"}
        name, arguments = EDIT, {**file, "old_string": old, "new_string": new}
    else:
        return {"text": step.get("text", "ok")}
    return {"functionCall": {"name": name, "args": arguments}}
