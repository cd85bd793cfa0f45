"""One conversation on the real programs: from agent to agent, and back into the first session."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.repository import Repository

from .agents import RUN
from .sandbox import strings

pytestmark = pytest.mark.real


def timeline(project: Repository) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(project.engine("timeline", "--json").stdout)
    return value


def test_a_conversation_goes_round_and_comes_back_to_the_first_session(
    scratch: Repository, tmp_path: Path
) -> None:
    home = tmp_path / "home"

    def turn(runtime: str, words: str, reply: str, **more: Any) -> Any:
        write = {"write": [f"{runtime}.txt", "was here\n"]}
        steps = [{"bash": f"echo {runtime} was here"}, write, {"text": reply}]
        done = RUN[runtime](scratch.path, home, steps, prompt=words, **more)
        assert done.returncode == 0, done.stderr
        return done

    first = turn("claude-code", "Plan the orchard", "Apples in the north.")
    told = turn("codex", "Where do pears go?", "Pears in the south.")
    assert told.model_read("Plan the orchard")
    assert told.model_read("Apples in the north.")
    told = turn("opencode", "And cherries?", "Cherries in the east.")
    assert told.model_read("Pears in the south.")
    again = turn("claude-code", "Sum it up", "Three kinds of trees.", resume=first.session_id)
    assert again.session_id == first.session_id

    request = again.requests[-1]
    read = "\n".join(strings(request))
    _, opening, block = read.partition("<handoff-conversation>")
    block, closing, rest = block.partition("</handoff-conversation>")
    assert opening
    assert closing
    assert "<handoff-conversation>" not in rest
    for words in ("Where do pears go?", "Pears in the south.", "And cherries?", "in the east."):
        assert block.count(words) == 1, words
    assert read.count("Apples in the north.") == 1  # its own words, and from nobody else
    assert read.count("Plan the orchard") == 1

    value = timeline(scratch)
    kinds = ("prompt", "reply")
    spoken = [(e["runtime"], e["text"]) for e in value["entries"] if e["kind"] in kinds]
    assert spoken == [
        ("claude-code", "Plan the orchard"),
        ("claude-code", "Apples in the north."),
        ("codex", "Where do pears go?"),
        ("codex", "Pears in the south."),
        ("opencode", "And cherries?"),
        ("opencode", "Cherries in the east."),
        ("claude-code", "Sum it up"),
        ("claude-code", "Three kinds of trees."),
    ]
    ran = [(e["runtime"], e["exit_code"]) for e in value["entries"] if e["kind"] == "command"]
    assert ran == [(name, 0) for name in ("claude-code", "codex", "opencode", "claude-code")]
    used = [(e["runtime"], e["error"]) for e in value["entries"] if e["kind"] == "tool"]
    assert used == [(name, None) for name in ("claude-code", "codex", "opencode", "claude-code")]
    assert scratch.hook_log() == ""
