"""The screen of `handoff chat` in a real terminal, with an agent that is a process."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.real.typist import Terminal
from tests.repository import Repository, environment

FAKE = Path(__file__).with_name("acp_agent.py")
# An agent that does not end with its input; its process is written down.
STUBBORN = 'echo $$ >> "$0"; "$@" asks; exec sleep 300'


@pytest.fixture
def terminal(project: Repository) -> Iterator[Terminal]:
    home = project.path.parent / "home" / ".config" / "handoff"
    home.mkdir(parents=True)
    arguments = ["-c", STUBBORN, str(project.path.parent / "started"), sys.executable, str(FAKE)]
    (home / "agents.toml").write_text(
        f'[agents.asks]\ncommand = "sh"\narguments = {json.dumps(arguments)}\n'
    )
    variables = [f"{key}={value}" for key, value in environment(project.path).items()]
    command = ["env", "-i", "TERM=xterm-256color", *variables, sys.executable, "-m", "handoff_cli"]
    started = Terminal([*command, "chat", "--agent", "asks", "--project", str(project.path)])
    yield started
    with contextlib.suppress(ProcessLookupError, ChildProcessError):
        os.kill(started.child, signal.SIGKILL)
        os.waitpid(started.child, 0)


def end(terminal: Terminal) -> int:
    """The exit code, once it has ended and all that it wrote was read."""
    with contextlib.suppress(EOFError):
        while True:
            terminal.read(10)
    return terminal.end()


def agents_end(project: Repository) -> bool:
    """Whether every agent that was started ends soon."""
    pids = (project.path.parent / "started").read_text().split()
    assert pids
    until = time.monotonic() + 10
    while time.monotonic() < until:
        if not any(Path(f"/proc/{pid}").exists() for pid in pids):
            return True
        time.sleep(0.05)
    return False


def test_a_turn_with_a_permission_and_leaving(terminal: Terminal, project: Repository) -> None:
    assert terminal.wait("ready"), terminal.shown()
    terminal.type("go on")
    assert terminal.wait("asks asks: rm -r build"), terminal.shown()
    terminal.type("\x1b")
    assert terminal.wait("→ cancelled"), terminal.shown()
    assert "You said" in terminal.shown()
    terminal.type("/quit")
    assert end(terminal) == 0
    assert agents_end(project)


@pytest.mark.parametrize("how", ["SIGTERM", "SIGHUP", "closed"])
def test_whatever_ends_it_no_agent_is_left(
    terminal: Terminal, project: Repository, how: str
) -> None:
    assert terminal.wait("ready"), terminal.shown()
    terminal.type("go on")
    assert terminal.wait("asks asks"), terminal.shown()
    if how == "closed":
        os.close(terminal.terminal)
        assert terminal.end() >= 0  # by itself, though Python could not flush
    else:
        os.kill(terminal.child, signal.Signals[how])
        assert end(terminal) == 0
    assert agents_end(project)
