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


def at_hand(repo: Repository, home: Path, tools: Path) -> dict[str, str]:
    """The variables with which the agents are there, and ask for permissions."""
    try:
        sandbox.namespaces()
    except programs.UnavailableError as reason:
        programs.give_up(str(reason))
    variables: dict[str, str] = {}
    for name in NAMES:
        on_the_path(tools, name, AGENTS[name].program)
        AGENTS[name].prepare(home, repo.path)
        variables |= AGENTS[name].environment
    del variables["COPILOT_ALLOW_ALL"]
    variables["PATH"] = f"{tools}:{sandbox.environment(home)['PATH']}"
    variables["PYTHONPATH"] = str(Path(__file__).parents[2])
    return variables


def chatted(
    driver: str,
    does: object,
    prompts: dict[str, Any],
    place: tuple[Repository, Path, dict[str, str]],
    *arguments: str,
    timeout_seconds: int = 120,
) -> sandbox.Finished:
    """A chat, with arguments, after a driver of it (`talker` or `typist`) has done all this."""
    project, home, variables = place
    done = sandbox.run(
        [
            *(sys.executable, "-m", f"tests.real.{driver}", json.dumps(does)),
            *(sys.executable, "-m", "handoff_cli", "chat", *arguments),
        ],
        cwd=project.path,
        home=home,
        prompts=prompts,
        env=variables,
        timeout_seconds=timeout_seconds,
    )
    assert done.returncode == 0, (done.stdout, done.stderr)
    return done


def of_turns() -> dict[str, Any]:
    return {words: [*steps, {"text": said}] for words, (_, steps, said) in TURNS.items()}


def spoken(project: Repository) -> list[tuple[str, str]]:
    return [
        (one["runtime"], one["text"])
        for one in timeline(project)["entries"]
        if one["kind"] in ("prompt", "reply")
    ]


def test_four_agents_and_back_to_the_first(scratch: Repository, tmp_path: Path) -> None:
    home = tmp_path / "home"
    variables = at_hand(scratch, home, tmp_path / "tools")
    orders: list[dict[str, Any]] = []
    for words, (name, _, _) in TURNS.items():
        orders += [{"switch": name}, {"prompt": words}]
    place = (scratch, home, variables)
    gemini = ("--agent", "gemini", "--json")
    done = chatted("talker", orders[1:], of_turns(), place, *gemini, timeout_seconds=240)
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert [one["text"] for one in events if one["kind"] == "error"] == []

    agents = [(one["agent"], one["status"]) for one in events if one["kind"] == "agent"]
    assert agents == [*((name, "new") for name in NAMES), ("gemini", "kept")]
    sessions = [one["session"] for one in events if one["kind"] == "turn"]
    assert sessions[0] == sessions[-1]
    assert len(set(sessions)) == 4
    replies = [(one["agent"], one["text"]) for one in events if one["kind"] == "reply"]
    assert replies == [(name, said) for name, _, said in TURNS.values()]
    models = [one.get("model", "") for one in events if one["kind"] == "turn"]
    assert [one.partition("-")[0] for one in models] == [
        *("gemini", "scripted", "scripted", "scripted", "gemini")
    ]
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

    wanted: list[tuple[str, str]] = []
    for words, (name, _, said) in TURNS.items():
        wanted += [(name, words), (name, said)]
    assert spoken(scratch) == wanted
    ran = [
        (one["runtime"], one["exit_code"])
        for one in timeline(scratch)["entries"]
        if one["kind"] == "command"
    ]
    assert ran == codes
    assert scratch.hook_log() == ""


def test_on_the_screen_with_two_agents_and_a_permission(
    scratch: Repository, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    variables = at_hand(scratch, home, tmp_path / "tools")
    lines: list[list[str | None]] = [
        ["gemini · ready", "Plan the orchard"],
        ["gemini asks: echo apples", "2"],  # allow it once
        ["Apples in the north.", ""],  # its turn ends a little later
        ["gemini · ready", "/switch opencode"],
        ["opencode · ready", "Where do pears go?"],
        ["Pears in the south.", ""],
        ["opencode · ready", "/switch gemini"],
        ["gemini · ready", "Sum it up"],
        ["Four kinds of trees.", ""],
        ["gemini · ready", "/quit"],
    ]
    place = (scratch, home, variables)
    chatted("typist", lines, of_turns(), place, "--agent", "gemini", timeout_seconds=280)
    assert spoken(scratch) == [
        ("gemini", "Plan the orchard"),
        ("gemini", "Apples in the north."),
        ("opencode", "Where do pears go?"),
        ("opencode", "Pears in the south."),
        ("gemini", "Sum it up"),
        ("gemini", "Four kinds of trees."),
    ]
    assert len({one["native_id"] for one in timeline(scratch)["sessions"]}) == 2
    assert scratch.hook_log() == ""


def test_opened_again_it_shows_what_was_and_the_agent_s_own_session_goes_on(
    scratch: Repository, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    variables = at_hand(scratch, home, tmp_path / "tools")
    replies = {"Where do pears go?": "In the south.", "And quinces?": "Beside them."}

    def talked(words: str, *arguments: str) -> list[dict[str, Any]]:
        said = {asked: [{"text": told}] for asked, told in replies.items()}
        place = (scratch, home, variables)
        done = chatted("talker", [{"prompt": words}], said, place, "--json", *arguments)
        return [json.loads(line) for line in done.stdout.splitlines()]

    first = talked("Where do pears go?", "--agent", "opencode")
    again = talked("And quinces?")  # with the agent that spoke last
    shown = [(one["kind"], one["text"]) for one in again if one.get("when") == "history"]
    assert shown == [("said", "Where do pears go?"), ("reply", "In the south.")]
    (agent,) = [one for one in again if one["kind"] == "agent"]
    assert (agent["agent"], agent["status"]) == ("opencode", "resumed")
    assert agent["session"] == first[-1]["session"]
    now = [one["text"] for one in again if one["kind"] == "reply" and "when" not in one]
    assert now == ["Beside them."]
    assert len(timeline(scratch)["entries"]) == 4
