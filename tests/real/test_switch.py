"""`handoff switch` as a person uses it: in a terminal, with the real program in it."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest

from tests.repository import Repository

from . import programs, sandbox
from .agents import CLAUDE, CODEX, RUN, Agent, configure_codex

pytestmark = pytest.mark.real

ROOT = Path(__file__).parents[2]
ONBOARDED = {
    "hasCompletedOnboarding": True,
    "lastOnboardingVersion": programs.CLAUDE_CODE.version,
    "theme": "dark",
    "customApiKeyResponses": {"approved": ["sk-test"], "rejected": []},
}

# Of Codex's, which it shows at its first start in a terminal.
NO_NEWS = """
[notice.model_migrations]
"gpt-5.5" = "gpt-6-sol"

[tui.model_availability_nux]
"gpt-6.1-sol" = 1
"""


def on_the_path(folder: Path, name: str, program: programs.Program) -> None:
    folder.mkdir(exist_ok=True)
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


def typed(
    repo: Repository,
    home: Path,
    lines: list[list[str]],
    agent: Agent,
    command: list[str],
    reply: str,
) -> sandbox.Finished:
    """What a person who types these lines, each after the text it waits for, makes happen."""
    tools = home.parent / "tools"
    path = [str(tools), str(Path(sys.executable).parent), sandbox.environment(home)["PATH"]]
    done = sandbox.run(
        [sys.executable, "-m", "tests.real.typist", json.dumps(lines), *command],
        cwd=repo.path,
        home=home,
        prompt=lines[0][1],
        steps=[{"text": reply}],
        env={**agent.environment, "PATH": ":".join(path), "PYTHONPATH": str(ROOT)},
    )
    assert done.returncode == 0, done.stderr
    return done


def test_there_and_back_in_a_terminal(scratch: Repository, tmp_path: Path) -> None:
    """As the guide has it: trust, go on in Codex, come back to Claude Code's own session."""
    home = tmp_path / "home"
    first = RUN["claude-code"](
        scratch.path, home, [{"text": "Apples in the north."}], prompt="Plan the orchard"
    )
    assert first.returncode == 0, first.stderr
    settled_in(home, scratch.path)
    on_the_path(tmp_path / "tools", "claude", programs.CLAUDE_CODE)
    on_the_path(tmp_path / "tools", "codex", programs.CODEX)
    configure_codex(home, scratch.path)
    with (home / ".codex" / "config.toml").open("a", encoding="utf-8") as file:
        file.write(NO_NEWS)
    trusting = scratch.handoff("doctor", "--trust-codex")
    assert "7 hooks accepted" in trusting.stderr + trusting.stdout

    lines = [["default", "And pears?"], ["Pears in", "/quit"]]
    switch = ["handoff", "switch"]
    codex = typed(scratch, home, lines, CODEX, [*switch, "codex"], "Pears in the south.")
    read = "\n".join(sandbox.strings(codex.requests[0]))  # it asked for nothing before that
    assert read.count("And pears?") == 1
    for words in ("Plan the orchard", "Apples in the north."):
        assert words in read

    lines = [["Plan the orchard", "Sum it up"], ["Three kinds", "/exit"]]
    back = typed(scratch, home, lines, CLAUDE, [*switch, "claude-code"], "Three kinds of trees.")
    (request,) = back.requests
    _, _, told = "\n".join(sandbox.strings(request)).partition("<handoff-conversation>")
    told, closing, _ = told.partition("</handoff-conversation>")
    assert closing
    assert (told.count("And pears?"), told.count("Pears in the south.")) == (1, 1)
    assert "Apples" not in told

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
