"""Faults on purpose: a session that grows turn by turn, hooks that are killed, what must hold."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import jsonschema

from engine import ledger, timeline
from tests.repository import Repository, environment

RUNTIME = "claude-code"

# Runs the engine, and kills it and its children before what would be its n-th write.
_KILLED_AT = """
import os, runpy, signal, sys
engine, wanted, seen = sys.argv[1], int(sys.argv[2]), 0
CHANGES = {"os.rename", "os.remove", "os.mkdir", "os.chmod", "subprocess.Popen"}
def watch(event, arguments):
    global seen
    writes = event == "open" and (arguments[2] or 0) & (os.O_WRONLY | os.O_RDWR)
    if event in CHANGES or writes:
        seen += 1
        if seen == wanted:
            os.killpg(0, signal.SIGKILL)
sys.addaudithook(watch)
sys.argv = [engine, *sys.argv[3:]]
runpy.run_path(engine, run_name="__main__")
"""


class Growing:
    """A session of Claude Code: each turn a question, a command and an answer."""

    def __init__(self, project: Repository, name: str = "s-1") -> None:
        self.project, self.name, self.turns = project, name, 0
        self.transcript = project.path.parent / f"{name}.jsonl"
        self.transcript.touch()

    def grow(self) -> None:
        """Another turn in the transcript; every third command fails."""
        self.turns += 1
        number, at = self.turns, "2026-11-30T10:00:00.000Z"
        call = {
            "type": "tool_use",
            "id": f"{self.name}-t{number}",
            "name": "Bash",
            "input": {"command": self.command(number)},
        }
        failed = number % 3 == 0
        result = {
            "type": "tool_result",
            "tool_use_id": call["id"],
            "is_error": failed,
            "content": "Exit code 1\nno" if failed else "yes",
        }
        rows: list[dict[str, Any]] = [
            {"type": "user", "message": {"content": f"Question {number} of {self.name}"}},
            {"type": "assistant", "message": {"content": [call]}},
            {"type": "user", "message": {"content": [result]}},
            {"type": "assistant", "message": {"content": [{"type": "text", "text": "So it is."}]}},
        ]
        with self.transcript.open("a", encoding="utf-8") as file:
            for place, row in enumerate(rows):
                value = {**row, "timestamp": at, "uuid": f"{self.name}-{number}-{place}"}
                file.write(json.dumps(value) + "\n")
        self.project.write("app.py", f"print({number})\n")

    def command(self, number: int) -> str:
        return f"check {self.name} {number}"

    def payload(self, event: str = "Stop") -> dict[str, Any]:
        return {
            "hook_event_name": event,
            "session_id": self.name,
            "transcript_path": str(self.transcript),
            "cwd": str(self.project.path),
            "source": "startup",
            "reason": "other",
            "prompt": f"Question {self.turns} of {self.name}",
        }

    def tell(self, event: str = "Stop") -> str:
        return self.project.hook(RUNTIME, self.payload(event))

    def start(self, event: str = "Stop") -> subprocess.Popen[bytes]:
        """The event's hook in a process group of its own."""
        (command,) = self.project.hook_commands(RUNTIME, event)
        return self._process(["sh", "-c", command], event)

    def killed_at(self, write: int, event: str = "Stop") -> bool:
        """Whether the hook was killed before its write of this number, and has so many at all."""
        engine = str(self.project.path / ".handoff/engine/__main__.py")
        arguments = [sys.executable, "-I", "-S", "-B", "-c", _KILLED_AT, engine, str(write)]
        process = self._process([*arguments, "hook", RUNTIME], event)
        return process.wait(60) == -signal.SIGKILL

    def _process(self, command: list[str], event: str) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            command,
            cwd=self.project.path,
            env=environment(self.project.path),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        assert process.stdin
        process.stdin.write(json.dumps(self.payload(event)).encode())
        process.stdin.close()
        return process


def kill(process: subprocess.Popen[bytes], after_seconds: float) -> bool:
    """Kill a process and its children at a moment; whether it had not ended before."""
    time.sleep(after_seconds)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    return process.wait(60) == -signal.SIGKILL


def active(project: Repository, topic: str = "default") -> dict[str, Any]:
    """The active packet, straight from the ledger."""
    tip = ledger.tip(ledger_of(project), ledger.ref("main", None, topic))
    assert tip is not None
    value: dict[str, Any] = json.loads(tip.payload)
    return value


def ledger_of(project: Repository) -> str:
    return str(project.path / ".git/handoff/ledger.git")


def expect_whole(project: Repository) -> dict[str, Any]:
    """Whatever happened: a valid packet is active, and every file is one or another whole version.

    Returns: the active packet.
    """
    schema = json.loads((project.path / "handoff.schema.json").read_text(encoding="utf-8"))
    validator = jsonschema.Draft202012Validator(schema)
    value = active(project)
    validator.validate(value)
    for packet in project.packets().values():
        validator.validate(packet)
    for path in project.path.glob("outputs/handoff/*/handoff.md"):
        assert path.read_text(encoding="utf-8").endswith("\n"), path
    for path in project.path.glob(".handoff/state/sessions/*.json"):
        json.loads(path.read_text(encoding="utf-8"))
    checked = subprocess.run(
        ["git", "--git-dir", ledger_of(project), "fsck", "--strict", "--no-dangling"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (checked.returncode, checked.stdout) == (0, ""), checked
    return value


def expect_all(session: Growing) -> None:
    """After an event that was let be: nothing of the session is missing and nothing is twice."""
    project = session.project
    value = expect_whole(project)
    assert project.packets()[session.name] == value, project.hook_log()
    log = (project.path / ".handoff/state/feedback_record.jsonl").read_text(encoding="utf-8")
    ran = [json.loads(line) for line in log.splitlines()]
    commands = [one["command"] for one in ran if one["session_id"] == session.name]
    wanted = [session.command(number + 1) for number in range(session.turns)]
    assert sorted(set(commands), key=commands.index) == wanted
    assert [one["command"] for one in value["commands_run"]][-1:] == wanted[-1:]
    told = json.loads(project.engine("timeline", "--json").stdout)["entries"]
    said = [one["text"] for one in told if one["kind"] == timeline.PROMPT]
    own = [text for text in said if text.endswith(f"of {session.name}")]
    assert own == [f"Question {number + 1} of {session.name}" for number in range(session.turns)]


def leftovers(project: Repository) -> list[Path]:
    """Temporary files and locks that nobody holds any more."""
    found = [*project.path.rglob("*.tmp"), *project.path.rglob("*.lock")]
    return [path for path in found if path.name != "index.lock"]
