"""`handoff chat` with Claude Code and Codex, which speak its protocol through adapters from npm."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.repository import Repository

from . import programs, sandbox
from .agents import CLAUDE, CODEX, configure_codex
from .sandbox import strings
from .test_conversation import timeline
from .test_switch import ROOT, on_the_path

pytestmark = pytest.mark.real

SPOKEN = ("prompt", "reply")
CLAUDE_NAME, CODEX_NAME = "claude-code", "codex"


def outside(command: str) -> dict[str, Any]:
    """A step in which Codex wants a command out of its sandbox, and so a permission."""
    why = {"sandbox_permissions": "require_escalated", "justification": "May I?"}
    return {"calls": [["exec_command", {"cmd": command, **why}]]}


TURNS: dict[str, tuple[str, list[dict[str, Any]], str | None]] = {
    "Plan the orchard": (CLAUDE_NAME, [{"bash": "echo apples; exit 3"}], "Apples in the north."),
    "Where do pears go?": (CODEX_NAME, [{"bash": "echo pears; exit 4"}], "Pears in the south."),
    "And cherries?": (CODEX_NAME, [outside("echo cherries > east")], "Cherries in the east."),
    "And figs?": (CODEX_NAME, [outside("echo forbidden > west")], None),  # it is refused
    "Sum it up": (CLAUDE_NAME, [], "Three kinds of trees."),
    "And then?": (CLAUDE_NAME, [{"bash": "touch done"}], "Nothing more."),
}


@pytest.fixture
def adapters(scratch: Repository, tmp_path: Path) -> dict[str, str]:
    """The variables with which both agents are there, as their adapters start them."""
    try:
        sandbox.namespaces()
    except programs.UnavailableError as reason:
        programs.give_up(str(reason))
    home, tools = tmp_path / "home", tmp_path / "tools"
    for program in (programs.CLAUDE_ADAPTER, programs.CODEX_ADAPTER):
        on_the_path(tools, program.name, program)
    settings = home / ".claude" / "settings.json"
    settings.parent.mkdir(parents=True)
    settings.write_text('{"permissions": {"defaultMode": "default"}}', encoding="utf-8")
    configure_codex(home, scratch.path)
    trusting = scratch.handoff("doctor", "--trust-codex")
    assert "7 hooks accepted" in trusting.stderr + trusting.stdout
    return {
        **CLAUDE.environment,
        **CODEX.environment,
        "CLAUDE_CODE_EXECUTABLE": str(programs.require(programs.CLAUDE_CODE)[-1]),
        "CODEX_PATH": str(programs.require(programs.CODEX)[-1]),
        "INITIAL_AGENT_MODE": "workspace-write",  # of Codex: the human is asked, not a model
        "PATH": f"{tools}:{sandbox.environment(home)['PATH']}",
        "PYTHONPATH": str(ROOT),
    }


def test_there_and_back_though_both_adapters_are_killed(
    scratch: Repository, tmp_path: Path, adapters: dict[str, str]
) -> None:
    first, second, third, refused, back, last = TURNS
    orders = [
        {"prompt": first},
        {"switch": CODEX_NAME},
        {"prompt": second},
        {"kill": "codex-acp"},
        {"prompt": third},
        {"prompt": refused},
        {"switch": CLAUDE_NAME},
        {"prompt": back},
        {"kill": "claude-agent-acp"},
        {"prompt": last},
    ]
    chat = [sys.executable, "-m", "handoff_cli", "chat", "--agent", CLAUDE_NAME, "--json"]
    done = sandbox.run(
        [sys.executable, "-m", "tests.real.talker", json.dumps(orders), *chat],
        cwd=scratch.path,
        home=tmp_path / "home",
        prompts={words: [*steps, {"text": said}] for words, (_, steps, said) in TURNS.items()},
        env=adapters,
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout  # and no process is left
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert [one["text"] for one in events if one["kind"] in ("error", "note")] == []

    assert [(one["agent"], one["status"]) for one in events if one["kind"] == "agent"] == [
        (CLAUDE_NAME, "new"),
        (CODEX_NAME, "new"),
        (CODEX_NAME, "again"),
        (CLAUDE_NAME, "kept"),
        (CLAUDE_NAME, "again"),
    ]
    assert [(one["agent"], one["text"]) for one in events if one["kind"] == "permission"] == [
        (CLAUDE_NAME, "echo apples; exit 3"),
        (CODEX_NAME, "echo cherries > east"),
        (CODEX_NAME, "echo forbidden > west"),
        (CLAUDE_NAME, "touch done"),
    ]
    assert {path.name for path in scratch.path.iterdir()} & {"east", "west", "done"} == {
        "east",
        "done",
    }
    codes = [(one["agent"], one["exit_code"]) for one in events if "exit_code" in one]
    assert codes == [(CLAUDE_NAME, 3), (CODEX_NAME, 4), (CODEX_NAME, 0), (CLAUDE_NAME, 0)]
    turns = [one for one in events if one["kind"] == "turn"]
    ends = [one["status"] for one in turns]
    assert ends == ["end_turn", "end_turn", "end_turn", "cancelled", "end_turn", "end_turn"]

    value = timeline(scratch)
    spoken = [(one["runtime"], one["text"]) for one in value["entries"] if one["kind"] in SPOKEN]
    assert spoken == [
        (name, text) for words, (name, _, said) in TURNS.items() for text in (words, said) if text
    ]
    replies = [(one["agent"], one["text"]) for one in events if one["kind"] == "reply"]
    assert replies == [(name, said) for name, _, said in TURNS.values() if said]
    ran = [
        (one["runtime"], one["exit_code"]) for one in value["entries"] if one["kind"] == "command"
    ]
    assert ran == [*codes[:3], (CODEX_NAME, None), *codes[3:]]
    kept = {(one["runtime"], one["native_id"]) for one in value["sessions"]}
    assert kept == {(one["agent"], one["session"]) for one in turns}
    assert len(kept) == 2
    (first_one,) = [one for one in value["sessions"] if one["runtime"] == CLAUDE_NAME]
    assert first_one["ended_at"]  # its hook ran as the chat ended
    assert scratch.hook_log() == ""

    requests = ["\n".join(strings(one)) for one in done.requests]
    assert not any("SUGGESTION MODE" in one for one in requests)  # what nobody would see
    assert any(first in one and "Apples in the north." in one for one in requests if second in one)
    # All that the first agent sent since it was back, also after its process was killed.
    since = [one for one in requests if back in one]
    assert any(last in one for one in since)
    for read in since:
        assert read.count("<handoff-conversation>") == 1
        told = read.partition("<handoff-conversation>")[2].partition("</handoff-conversation>")[0]
        for words, (name, _, said) in TURNS.items():
            if name == CODEX_NAME:
                assert (told.count(words), read.count(words)) == (1, 1), words
                assert not said or (told.count(said), read.count(said)) == (1, 1), words
        assert (read.count(first), read.count("Apples in the north."), read.count(back)) == (1,) * 3
