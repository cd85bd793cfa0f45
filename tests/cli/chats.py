"""`handoff chat --json` as a process, with agents that behave as they are called."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from tests.repository import Repository, environment

FAKE = Path(__file__).with_name("acp_agent.py")
SECONDS = 60
WAYS = (
    *("is plain", "dies", "babbles", "asks", "is slow", "is big", "is late", "works"),
    *("is another", "is stubborn", "runs hooks"),
)


class Chat:
    """A running `handoff chat --json`."""

    def __init__(self, project: Repository, agent: str, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "handoff_cli", "chat", "--json", "--agent", agent, *arguments],
            cwd=project.path,
            env=environment(project.path),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._rest = b""

    def send(self, **order: Any) -> None:
        assert self.process.stdin
        self.process.stdin.write(json.dumps(order).encode() + b"\n")
        self.process.stdin.flush()

    def hang_up(self) -> None:
        """Say that no more orders come."""
        assert self.process.stdin
        self.process.stdin.close()
        self.process.stdin = None

    def until(self, *kinds: str) -> list[dict[str, Any]]:
        """The events up to the first of one of these kinds."""
        found = []
        while True:
            found.append(self._next())
            if found[-1]["kind"] in kinds:
                return found

    def _next(self) -> dict[str, Any]:
        assert self.process.stdout
        deadline = time.monotonic() + SECONDS
        while b"\n" not in self._rest:
            left = deadline - time.monotonic()
            ready = select.select([self.process.stdout], [], [], max(0, left))[0]
            data = os.read(self.process.stdout.fileno(), 1_000_000) if ready else b""
            assert data, (self._rest, self.process.poll(), self._errors())
            self._rest += data
        line, _, self._rest = self._rest.partition(b"\n")
        value: dict[str, Any] = json.loads(line)
        return value

    def _errors(self) -> bytes:
        self.process.kill()
        return self.process.communicate()[1]

    def end(self) -> int:
        if self.process.poll() is None:
            self.send(close=True)
        return self.process.wait(SECONDS)


def configure(project: Repository, name: str, **more: str) -> None:
    """Add an agent to the user's settings, which behaves as its name says or as `way` does."""
    file = project.path.parent / "home" / ".config" / "handoff" / "agents.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    mark = str(project.path.parent / "started")
    arguments = [str(FAKE), more.pop("way", name), mark]
    if name == "runs hooks":
        more["runtime"] = "opencode"
    values = {"command": sys.executable, "arguments": arguments, **more}
    rows = "".join(f"{key} = {json.dumps(value)}\n" for key, value in values.items())
    with file.open("a") as settings:
        settings.write(f"[agents.{json.dumps(name)}]\n{rows}")


def alive(project: Repository) -> list[int]:
    pids = (project.path.parent / "started").read_text().split()
    return [int(pid) for pid in pids if Path(f"/proc/{pid}/cmdline").exists()
            and b"acp_agent" in Path(f"/proc/{pid}/cmdline").read_bytes()]  # fmt: skip
