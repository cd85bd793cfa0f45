"""`handoff chat` with the real agents: one conversation through four of them, and back."""

from __future__ import annotations

import html
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.repository import Repository

from . import programs, sandbox
from .agents import AGENTS
from .sandbox import strings
from .test_conversation import timeline
from .test_switch import on_the_path

pytestmark = pytest.mark.real

NAMES = ("gemini", "opencode", "qwen", "copilot")
TURNS = {
    "Plan the orchard": ("gemini", [{"bash": "echo apples; exit 3"}], "Apples in the north."),
    "Where do pears go?": ("opencode", [{"bash": "echo pears"}], "Pears in the south."),
    "And cherries?": ("qwen", [], "Cherries in the east."),
    "And figs?": ("copilot", [{"bash": "echo figs; exit 4"}], "Figs in the west."),
    "Sum it up": ("gemini", [], "Four kinds of trees."),
}


def test_four_agents_and_back_to_the_first(scratch: Repository, tmp_path: Path) -> None:
    try:
        sandbox.namespaces()
    except programs.UnavailableError as reason:
        programs.give_up(str(reason))
    home, tools = tmp_path / "home", tmp_path / "tools"
    variables: dict[str, str] = {}
    for name in NAMES:
        on_the_path(tools, name, AGENTS[name].program)
        AGENTS[name].prepare(home, scratch.path)
        variables |= AGENTS[name].environment
    variables.pop("COPILOT_ALLOW_ALL")  # it is to ask
    variables |= {
        "PATH": f"{tools}:{sandbox.environment(home)['PATH']}",
        "PYTHONPATH": str(Path(__file__).parents[2]),
    }
    orders: list[dict[str, Any]] = []
    for words, (name, _, _) in TURNS.items():
        orders += [{"switch": name}, {"prompt": words}]
    chat = [sys.executable, "-m", "handoff_cli", "chat", "--agent", "gemini", "--json"]
    talker = [sys.executable, "-m", "tests.real.talker", json.dumps(orders[1:])]
    done = sandbox.run(
        [*talker, *chat],
        cwd=scratch.path,
        home=home,
        prompts={words: [*steps, {"text": said}] for words, (_, steps, said) in TURNS.items()},
        env=variables,
        timeout_seconds=240,
    )
    assert done.returncode == 0, (done.stdout, done.stderr)
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert [one["text"] for one in events if one["kind"] == "error"] == []

    agents = [(one["agent"], one["status"]) for one in events if one["kind"] == "agent"]
    assert agents == [*((name, "new") for name in NAMES), ("gemini", "kept")]
    sessions = [one["session"] for one in events if one["kind"] == "turn"]
    assert sessions[0] == sessions[-1]
    assert len(set(sessions)) == 4
    replies = [(one["agent"], one["text"]) for one in events if one["kind"] == "reply"]
    assert replies == [(name, said) for name, _, said in TURNS.values()]
    asked = {one["agent"] for one in events if one["kind"] == "permission"}
    assert {"gemini", "copilot"} <= asked
    codes = [(one["agent"], one["exit_code"]) for one in events if "exit_code" in one]
    assert codes == [("gemini", 3), ("opencode", 0), ("copilot", 4)]

    # The first agent's last request: what the others said, once, and nothing of its own twice.
    request = next(one for one in reversed(done.requests) if "Sum it up" in "\n".join(strings(one)))
    read = html.unescape("\n".join(strings(request)))  # as Gemini hands it on
    _, opening, block = read.partition("<handoff-conversation>")
    block, closing, rest = block.partition("</handoff-conversation>")
    assert (opening, closing) == ("<handoff-conversation>", "</handoff-conversation>")
    assert "<handoff-conversation>" not in rest
    for words, (name, _, said) in TURNS.items():
        if name != "gemini":
            assert (block.count(words), block.count(said)) == (1, 1), words
    assert "Apples in the north." not in block

    spoken = [
        (one["runtime"], one["text"])
        for one in timeline(scratch)["entries"]
        if one["kind"] in ("prompt", "reply")
    ]
    wanted: list[tuple[str, str]] = []
    for words, (name, _, said) in TURNS.items():
        wanted += [(name, words), (name, said)]
    assert spoken == wanted
    ran = [
        (one["runtime"], one["exit_code"])
        for one in timeline(scratch)["entries"]
        if one["kind"] == "command"
    ]
    assert ran == codes
    assert scratch.hook_log() == ""
