"""The screen of `handoff chat` in a real terminal, with an agent that is a process."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import termios
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.real.typist import Terminal
from tests.repository import Repository, environment

FAKE = Path(__file__).with_name("acp_agent.py")
# An agent that does not end with its input; its process is written down.
STUBBORN = 'echo $$ >> "$0"; "$@" asks; exec sleep 300'


class Recorded(Terminal):
    """A terminal that keeps all that was written to it."""

    written = b""

    def answer(self, part: bytes) -> None:
        self.written += part
        super().answer(part)


@pytest.fixture
def start(project: Repository) -> Iterator[Callable[..., Recorded]]:
    """Starts `handoff chat` in a terminal of its own."""
    home = project.path.parent / "home" / ".config" / "handoff"
    home.mkdir(parents=True)
    arguments = ["-c", STUBBORN, str(project.path.parent / "started"), sys.executable, str(FAKE)]
    (home / "agents.toml").write_text(
        f'[agents.asks]\ncommand = "sh"\narguments = {json.dumps(arguments)}\n'
    )
    variables = [f"{key}={value}" for key, value in environment(project.path).items()]
    command = ["env", "-i", "TERM=xterm-256color", *variables, sys.executable, "-m", "handoff_cli"]
    started: list[Recorded] = []

    def chat(*options: str) -> Recorded:
        started.append(Recorded([*command, "chat", "--project", str(project.path), *options]))
        return started[-1]

    yield chat
    for one in started:
        with contextlib.suppress(ProcessLookupError, ChildProcessError):
            os.kill(one.child, signal.SIGKILL)
            os.waitpid(one.child, 0)


@pytest.fixture
def terminal(start: Callable[..., Recorded]) -> Recorded:
    return start("--agent", "asks")


def end(terminal: Terminal) -> int:
    """The exit code, once it has ended and all that it wrote was read."""
    with contextlib.suppress(EOFError):
        while True:
            terminal.read(10)
    return terminal.end()


def agents(project: Repository) -> list[str]:
    """The processes of all agents that were started."""
    return (project.path.parent / "started").read_text().split()


def agents_end(pids: list[str]) -> bool:
    """Whether all of them end soon."""
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
    assert agents_end(agents(project))


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
    assert agents_end(agents(project))


def test_whoever_is_taken_over_from_is_told_so_on_a_terminal_as_it_was(
    terminal: Recorded, start: Callable[..., Recorded], project: Repository
) -> None:
    assert terminal.wait("ready"), terminal.shown()
    terminal.type("go on")
    assert terminal.wait("asks asks"), terminal.shown()
    first = agents(project)
    other = start("--agent", "asks", "--take-over")
    assert end(terminal) == 0
    last = terminal.written.rpartition(b"\x1b[?1049l")[2]
    told = f"another client took this conversation over (process {other.child})"
    assert told in last.decode()
    assert b"\x1b[?25h" in terminal.written
    assert termios.tcgetattr(terminal.terminal)[3] & termios.ECHO
    assert agents_end(first)
    assert other.wait("ready"), other.shown()
    other.type("/quit")
    assert end(other) == 0
    assert b"took this conversation over" not in other.written


def test_watching_shows_what_others_say_as_they_say_it(
    start: Callable[..., Recorded], project: Repository
) -> None:
    project.play("claude-code")
    watcher = start("--watch")
    assert watcher.wait("nobody holds it"), watcher.shown()
    assert "claude-code" in watcher.shown()
    assert "codex" not in watcher.shown()
    project.play("codex")  # it was recorded after the other, so it stands at the end
    assert watcher.wait("codex · gpt-5.5"), watcher.shown()
    talker = start("--agent", "asks")
    assert watcher.wait(f"process {talker.child} holds it"), watcher.shown()
    watcher.type("q")
    assert end(watcher) == 0
    assert talker.wait("ready"), talker.shown()  # a look takes nothing away


def test_without_a_terminal_a_chat_says_what_goes_instead(project: Repository) -> None:
    project.play("codex")
    for options in (["--agent", "asks"], ["--watch"]):
        told = project.handoff("chat", *options)
        assert told.returncode == 1
        assert "a chat is shown in a terminal" in told.stderr
