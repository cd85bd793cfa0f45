"""A place for a real agent to work in."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import repository
from tests.repository import Repository


@pytest.fixture
def scratch(tmp_path: Path) -> Repository:
    """A repository that was just set up, with nothing of ours committed."""
    made = repository.new(tmp_path / "repo")
    made.write("app.py", "print('hello')\n")
    made.git("config", "user.name", "Test")
    made.git("config", "user.email", "test@localhost")
    made.commit("start")
    every = f"runtimes=[{', '.join(repository.SETTINGS)}]"
    assert made.handoff("init", "--defaults", "--data", every).returncode == 0
    return made
