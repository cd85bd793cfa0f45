"""The real programs as people use them: typed words, approvals, Esc, a terminal that is closed."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.repository import Repository

from . import programs, sandbox
from .agents import AGENTS, RUN
from .test_switch import ROOT, settled_in

pytestmark = pytest.mark.real

FAILING = "echo no such check >&2; exit 3"
LONG = "touch begun; sleep 61"  # ended by the terminal, not by itself
GOAL, SECOND, THIRD = "Plan the pears", "And the cherries", "Sum it up"
FAILED = {"bash": FAILING}
TALK = {
    GOAL: [FAILED, {"text": "Pears in the south."}],
    SECOND: [{"bash": LONG}, {"text": "Never said."}],
    THIRD: [{"text": "Two kinds of trees."}],
}
Lines = list[list[str | None]]


@dataclass(frozen=True)
class Interface:
    """What a program shows, and what a person types then."""

    ready: tuple[tuple[str, str], ...]  # until it takes words
    takes: str  # what it shows where it takes them
    stopped: str  # what it shows of a turn that was interrupted
    asks: str = ""  # whether a command may run, if it asks
    escape: str = "\x1b"
    leave: str = "/quit"
    arguments: tuple[str, ...] = ()
    without: str = ""  # a variable that answers for the person

    def lines(self, *typed: tuple[str, str]) -> Lines:
        """As many lines until the program has the goal and its first command may run."""
        asked = [(self.asks, "\r")] if self.asks else []
        return [list(one) for one in (*self.ready, (self.takes, GOAL), *asked, *typed)]


INTERFACES = {
    "claude-code": Interface(
        (),
        "for shortcuts",
        "Interrupted",
        asks="Do you want to proceed",
        arguments=("--permission-mode", "default"),
    ),
    # Its folder is trusted by a variable: what is typed while it restarts for that, is lost.
    "gemini": Interface((), "Type your message", "Request cancelled", asks="Allow execution of"),
    "qwen": Interface(
        (),
        "Type your message",
        "Request cancelled",
        asks="Allow execution of",
        arguments=("--auth-type", "openai"),
    ),
    "copilot": Interface(
        (("Do you trust", "\r"),),
        "? help",
        "cancelled by user",
        asks="Do you want to run",
        escape="\x1b\x1b",
        leave="/exit",
        without="COPILOT_ALLOW_ALL",
    ),
    "opencode": Interface((), "Ask anything", "interrupted", escape="\x1b\x1b", leave="/exit"),
    "pi": Interface(
        (),
        "scripted-model",
        "aborted",
        arguments=("--provider", "scripted", "--model", "scripted-model"),
    ),
}


def typed(runtime: str, project: Repository, home: Path, lines: Lines, talk: Any) -> None:
    """Type these lines at the program, each after what it waits for."""
    agent, interface = AGENTS[runtime], INTERFACES[runtime]
    program = programs.require(agent.program)
    home.mkdir(exist_ok=True)
    agent.prepare(home, project.path)
    if runtime == "claude-code":
        settled_in(home, project.path)
    set_for_it = {k: v for k, v in agent.environment.items() if k != interface.without}
    typist = [sys.executable, "-m", "tests.real.typist", json.dumps(lines)]
    done = sandbox.run(
        [*typist, *program, *interface.arguments],
        cwd=project.path,
        home=home,
        prompts=talk,
        timeout_seconds=300,
        env={**set_for_it, "PYTHONPATH": str(ROOT)},
    )
    assert done.returncode != 99, done.stderr


def entries(project: Repository) -> list[tuple[str, str, int | None]]:
    value = json.loads(project.engine("timeline", "--json").stdout)
    replies = [one for one in value["entries"] if one["kind"] == "reply"]
    assert all(one["model"] for one in replies)
    return [(one["kind"], one["text"], one["exit_code"]) for one in value["entries"]]


@pytest.mark.parametrize("runtime", INTERFACES)
def test_a_conversation_in_the_terminal_is_on_record_and_handed_over(
    scratch: Repository, tmp_path: Path, runtime: str
) -> None:
    interface, home = INTERFACES[runtime], tmp_path / "home"
    lines = interface.lines(
        ("Pears in the south", SECOND),
        *([(interface.asks, "\r")] if interface.asks else []),
        (str(scratch.path / "begun"), interface.escape),
        (interface.stopped, THIRD),
        ("Two kinds", interface.leave),
    )
    typed(runtime, scratch, home, lines, TALK)
    assert scratch.hook_log() == ""
    assert entries(scratch) == [
        ("prompt", GOAL, None),
        ("command", FAILING, 3),
        ("reply", "Pears in the south.", None),
        ("prompt", SECOND, None),
        ("command", LONG, None),
        ("prompt", THIRD, None),
        ("reply", "Two kinds of trees.", None),
    ]
    packet = scratch.active()
    assert (packet["session"]["runtime"], packet["task"]["goal"]) == (runtime, GOAL)
    assert packet["session"]["ended_at"]
    assert packet["last_statement"] == "Two kinds of trees."
    assert [run["exit_code"] for run in packet["commands_run"]] == [3, None]
    assert FAILING in packet["next_action"]
    (session,) = json.loads(scratch.engine("status", "--json").stdout)["sessions"]
    assert (session["turns"], session["busy"], session["packet"]) == (3, False, True)

    told = RUN["claude-code"](scratch.path, home, [{"text": "I see."}], prompt="Go on")
    for words in (f"`{FAILING}` exit code 3", "Pears in the south.", THIRD):
        assert told.model_read(words), words


@pytest.mark.parametrize("runtime", ["claude-code", "copilot", "opencode"])
def test_a_terminal_that_is_closed_in_a_turn_leaves_what_was_done_to_the_next_agent(
    scratch: Repository, tmp_path: Path, runtime: str
) -> None:
    interface, home = INTERFACES[runtime], tmp_path / "home"
    # No end of a turn was ever told: the next start has the session from its file alone.
    lines = interface.lines(*([(LONG, "\r")] if interface.asks else []))
    lines.append([str(scratch.path / "begun"), None])
    typed(runtime, scratch, home, lines, {GOAL: [FAILED, {"bash": LONG}, {"text": "Never said."}]})

    told = RUN["claude-code"](scratch.path, home, [{"text": "I see."}], prompt="Go on")
    assert told.model_read(f"`{FAILING}` exit code 3")
    assert told.model_read(GOAL)
    assert entries(scratch)[:2] == [("prompt", GOAL, None), ("command", FAILING, 3)]
    recovered = next(
        packet
        for packet in scratch.packets().values()
        if packet["session"]["runtime"] == runtime and packet["task"]["goal"] == GOAL
    )
    codes = [run["exit_code"] for run in recovered["commands_run"]]
    assert codes[0] == 3
    assert 0 not in codes  # what was cut short has none, or the signal's
    assert scratch.hook_log() == ""
