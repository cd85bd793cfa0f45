"""Plays recorded hook payloads through the hook commands of a project's settings files.

The commands are taken from those files and run by `sh -c`, exactly as the agents would; what the
agent itself did in between (edits and commits) is done here, so that git has something to tell.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from handoff_cli.errors import HandoffError
from handoff_cli.history import clean_environment

IDENTITY = {
    "GIT_AUTHOR_NAME": "demo",
    "GIT_AUTHOR_EMAIL": "demo@localhost",
    "GIT_COMMITTER_NAME": "demo",
    "GIT_COMMITTER_EMAIL": "demo@localhost",
}


@dataclass(frozen=True)
class Played:
    """One recorded event and what the hooks answered."""

    event: str
    payload: dict[str, Any]
    reply: str  # what the model receives; mostly nothing


def repository(folder: Path) -> None:
    """Make the scratch repository that the recording starts from."""
    folder.mkdir(parents=True)
    content: dict[str, str] = json.loads(_data("repository.json"))
    for name, text in content.items():
        (folder / name).write_text(text, encoding="utf-8")
    _git(folder, "init", "--quiet", "--initial-branch=main")
    commit(folder, ".", "A parser for lines of key = value")


def commit(folder: Path, paths: str, subject: str) -> None:
    _git(folder, "add", *paths.split())
    _git(folder, "commit", "--quiet", "-m", subject)


def session(folder: Path, runtime: str, settings: str) -> Iterator[Played]:
    """Play a runtime's recording in the repository `folder`, event by event."""
    transcript = folder.parent / f"{runtime}.jsonl"
    for line in _data(f"{runtime}.hooks.jsonl").splitlines():
        payload: dict[str, Any] = json.loads(line)
        payload |= {"cwd": str(folder), "transcript_path": str(transcript)}
        event = payload["hook_event_name"]
        if event == "Stop":
            transcript.write_text(_data(f"{runtime}.transcript.jsonl"), encoding="utf-8")
        _act(folder, payload)
        yield Played(event, payload, _hooks(folder, folder / settings, payload))


def _act(folder: Path, payload: dict[str, Any]) -> None:
    """Do to the repository what the agent did."""
    given, tool = payload.get("tool_input", {}), payload.get("tool_name")
    if tool == "Write":
        (folder / Path(given["file_path"]).name).write_text(given["content"], encoding="utf-8")
    elif tool == "Edit":
        path = folder / Path(given["file_path"]).name
        text = path.read_text(encoding="utf-8").replace(given["old_string"], given["new_string"])
        path.write_text(text, encoding="utf-8")
    elif tool == "Bash" and given["command"].startswith("git add"):
        subprocess.run(
            ["sh", "-c", given["command"]], cwd=folder, env=_environment(folder), check=True
        )


def _hooks(folder: Path, settings: Path, payload: dict[str, Any]) -> str:
    """Run every hook that the settings file has for the payload; return what reaches the model."""
    configured = json.loads(settings.read_text(encoding="utf-8"))["hooks"]
    said = ""
    for group in configured.get(payload["hook_event_name"], []):
        if group.get("matcher") not in (None, payload.get("tool_name")):
            continue
        for handler in group["hooks"]:
            done = subprocess.run(
                ["sh", "-c", handler["command"]],
                input=json.dumps(payload),
                capture_output=True,
                text=True,
                cwd=folder,
                env=_environment(folder),
                timeout=handler["timeout"],
                check=False,
            )
            if done.returncode:
                raise HandoffError(
                    f"the hook for {payload['hook_event_name']} failed: {done.stderr}"
                )
            if done.stdout:
                said += json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"]
    return said


def _git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=folder, env=_environment(folder), check=True)


def _environment(folder: Path) -> dict[str, str]:
    return {**clean_environment(), **IDENTITY, "CLAUDE_PROJECT_DIR": str(folder)}


def _data(name: str) -> str:
    return (files("handoff_cli") / "demo" / name).read_text(encoding="utf-8")
