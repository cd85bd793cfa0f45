"""What `doctor` says of the real programs, and what they do."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.repository import Repository

from .agents import CODEX, Started

pytestmark = pytest.mark.real

STEPS = [{"bash": "exit 3"}, {"text": "Next: the rest."}]


def test_codex_skips_hooks_that_nobody_accepted_and_runs_those_that_doctor_accepted(
    scratch: Repository, tmp_path: Path
) -> None:
    """The hash that stands for acceptance is found out, not documented: Codex is the judge."""
    careful = replace(
        CODEX,
        arguments=lambda prompt, resume, more: [
            "exec",
            "--dangerously-bypass-approvals-and-sandbox",
            *more,
            prompt,
        ],
    )
    run, home = Started(careful), tmp_path / "home"
    assert run(scratch.path, home, STEPS, prompt="Work on").returncode == 0
    assert scratch.packets() == {}
    found = scratch.handoff("doctor").stdout
    assert "codex: 7 of 7 hooks were not accepted" in found
    assert "does not trust this folder" not in found.partition("gemini:")[0]
    before = (home / ".codex" / "config.toml").read_text()
    accepted = scratch.handoff("doctor", "--trust-codex").stdout
    assert "were not accepted" not in accepted
    assert (home / ".codex" / "config.toml").read_text().startswith(before.rstrip())
    assert run(scratch.path, home, STEPS, prompt="Work on").returncode == 0
    (packet,) = scratch.packets().values()
    assert [run["exit_code"] for run in packet["commands_run"]] == [3]
    assert "codex: hooks in `.codex/hooks.json`, heard last at" in scratch.handoff("doctor").stdout
