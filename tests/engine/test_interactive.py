"""What was typed at the programs, as they wrote it down: a prompt whose second command was
interrupted, a shell command of the human's own, and a file that a prompt names."""

from __future__ import annotations

import json

import pytest

from tests.repository import Repository

RECORDINGS = {
    "gemini": "See @app.py",
    "qwen": "Look at @app.py now",
    "copilot": "See @app.py",
}


@pytest.mark.parametrize("runtime", RECORDINGS)
def test_only_what_was_typed_at_the_agent_is_the_human_s(project: Repository, runtime: str) -> None:
    project.play(runtime, "interactive")
    value = json.loads(project.engine("timeline", "--json").stdout)
    said = [(one["kind"], one["text"]) for one in value["entries"] if one["kind"] != "command"]
    assert said == [
        ("prompt", "Plan the pears"),
        ("prompt", RECORDINGS[runtime]),
        ("reply", "Pears in the south."),
    ]
    assert value["sessions"][0]["turns"] == 2
    assert project.active()["task"]["goal"] == "Plan the pears"
    assert project.hook_log() == ""
