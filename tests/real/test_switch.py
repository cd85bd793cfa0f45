"""`handoff switch` as a person uses it: in a terminal, with the real program in it."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest

from tests.repository import Repository

from . import programs, sandbox
from .agents import CLAUDE, RUN

pytestmark = pytest.mark.real

ROOT = Path(__file__).parents[2]
ONBOARDED = {
    "hasCompletedOnboarding": True,
    "lastOnboardingVersion": programs.CLAUDE_CODE.version,
    "theme": "dark",
    "customApiKeyResponses": {"approved": ["sk-test"], "rejected": []},
}


def on_the_path(folder: Path, name: str, program: programs.Program) -> None:
    folder.mkdir()
    command = " ".join(shlex.quote(str(part)) for part in programs.require(program))
    (folder / name).write_text(f'#!/bin/sh\nexec {command} "$@"\n', encoding="utf-8")
    (folder / name).chmod(0o755)


def settled_in(home: Path, repo: Path) -> None:
    """Claude Code asks nothing of a new user any more, and trusts the folder."""
    file = home / ".claude.json"
    known = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    trusted = {str(repo): {"hasTrustDialogAccepted": True}}
    value = {**known, **ONBOARDED, "projects": {**known.get("projects", {}), **trusted}}
    file.write_text(json.dumps(value), encoding="utf-8")


def test_back_in_its_own_session_the_agent_is_told_what_happened_since(
    scratch: Repository, tmp_path: Path
) -> None:
    home, tools = tmp_path / "home", tmp_path / "tools"
    first = RUN["claude-code"](
        scratch.path, home, [{"text": "Apples in the north."}], prompt="Plan the orchard"
    )
    RUN["codex"](scratch.path, home, [{"text": "Pears in the south."}], prompt="And pears?")
    settled_in(home, scratch.path)
    on_the_path(tools, "claude", programs.CLAUDE_CODE)

    script = [["Plan the orchard", "Sum it up"], ["Three kinds", "/exit"]]
    typist = [sys.executable, "-m", "tests.real.typist", json.dumps(script)]
    path = [str(tools), str(Path(sys.executable).parent), sandbox.environment(home)["PATH"]]
    done = sandbox.run(
        [*typist, "handoff", "switch", "claude-code"],
        cwd=scratch.path,
        home=home,
        prompt="Sum it up",
        steps=[{"text": "Three kinds of trees."}],
        env={**CLAUDE.environment, "PATH": ":".join(path), "PYTHONPATH": str(ROOT)},
    )
    assert done.returncode == 0, done.stderr
    (request,) = done.requests  # switching itself asked the model nothing
    read = "\n".join(sandbox.strings(request))
    for words in ("Plan the orchard", "Apples in the north.", "And pears?", "Pears in the south."):
        assert read.count(words) == 1, words
    value = json.loads(scratch.engine("timeline", "--json").stdout)
    assert [(entry["runtime"], entry["text"]) for entry in value["entries"]] == [
        ("claude-code", "Plan the orchard"),
        ("claude-code", "Apples in the north."),
        ("codex", "And pears?"),
        ("codex", "Pears in the south."),
        ("claude-code", "Sum it up"),
        ("claude-code", "Three kinds of trees."),
    ]
    (one,) = [one for one in value["sessions"] if one["runtime"] == "claude-code"]
    assert (one["native_id"], one["turns"]) == (first.session_id, 2)
    assert scratch.hook_log() == ""
