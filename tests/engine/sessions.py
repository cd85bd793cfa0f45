"""Sessions with other words in them: recorded ones, and transcripts without recorded hooks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.repository import RECORDED, Repository

CASES = RECORDED.parent / "cases"


def swapped(value: Any, words: dict[str, str]) -> Any:
    """A JSON value with words exchanged, also in strings that hold JSON."""
    if isinstance(value, dict):
        return {key: swapped(item, words) for key, item in value.items()}
    if isinstance(value, list):
        return [swapped(item, words) for item in value]
    if not isinstance(value, str):
        return value
    if value.startswith(("{", "[")):
        try:
            return json.dumps(swapped(json.loads(value), words))
        except ValueError:
            pass
    for old, new in words.items():
        value = value.replace(old, new)
    return value


def play(project: Repository, runtime: str, words: dict[str, str], session: str) -> list[str]:
    """Play a recorded session in which words are exchanged; what each hook said."""
    folder = next(RECORDED.glob(f"{runtime}-*"))
    transcript = project.path / ".git" / f"{session}.jsonl"
    rows = (folder / "transcript.jsonl").read_text(encoding="utf-8").splitlines()
    lines = [json.dumps(swapped(json.loads(row), words)) for row in rows]
    transcript.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    said = []
    for line in (folder / "hooks.jsonl").read_text(encoding="utf-8").splitlines():
        payload = swapped(json.loads(line), words)
        payload.update(cwd=str(project.path), session_id=session)
        if payload.get("transcript_path"):
            payload["transcript_path"] = str(transcript)
        said.append(project.hook(runtime, payload))
    return said


def case(project: Repository, name: str) -> None:
    """A session of Claude Code of which there is a transcript, told by its hooks."""
    transcript = project.path / ".git" / f"{name}.jsonl"
    transcript.write_bytes((CASES / name / "transcript.jsonl").read_bytes())
    rows = [json.loads(line) for line in transcript.read_text(encoding="utf-8").splitlines()]
    at = {"session_id": name, "transcript_path": str(transcript), "cwd": str(project.path)}
    for row in rows:
        words = row["message"]["content"]
        if isinstance(words, str):
            payload = {**at, "hook_event_name": "UserPromptSubmit", "prompt": words}
            project.hook("claude-code", payload)
    last = rows[-1]["message"]["content"][0]["text"]
    stop = {**at, "hook_event_name": "Stop", "last_assistant_message": last}
    project.hook("claude-code", stop)
    project.hook("claude-code", {**at, "hook_event_name": "SessionEnd", "reason": "other"})


def told(said: str) -> str:
    """What a model reads of a hook's reply, in whatever runtime's shape."""
    if not said:
        return ""
    value = json.loads(said)
    inner = value.get("hookSpecificOutput", value)
    return str(inner.get("additionalContext") or inner.get("context") or inner.get("reason"))


def written(project: Repository) -> dict[str, bytes]:
    """All that handoff keeps: its state, the packets, and every object of the ledger."""
    folders = [project.path / ".handoff/state", project.path / "outputs"]
    files = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    found = {str(path.relative_to(project.path)): path.read_bytes() for path in files}
    ledger = Path(".git") / "handoff" / "ledger.git"
    if (project.path / ledger).exists():
        form = ["cat-file", "--batch-all-objects", "--batch-check=%(objectname) %(objecttype)"]
        for row in project.git(f"--git-dir={ledger}", *form).splitlines():
            name, kind = row.split()
            if kind in ("blob", "commit"):
                content = project.git(f"--git-dir={ledger}", "cat-file", kind, name)
                found[f"ledger {name}"] = content.encode()
    return found
