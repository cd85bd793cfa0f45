"""Fixtures that every part of the tests uses."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

from tests import repository
from tests.repository import Repository

# A version manager's `python3` is a script that costs a hook more than the hook does.
os.environ["PATH"] = os.pathsep.join([str(Path(sys.base_prefix) / "bin"), os.environ["PATH"]])


@pytest.fixture(scope="session")
def prototype(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository that was set up for every runtime; none of our files is committed."""
    made = repository.new(tmp_path_factory.mktemp("prototype") / "app")
    made.write("app.py", "print('hello')\n")
    made.commit("start")
    every = f"runtimes=[{', '.join(repository.SETTINGS)}]"
    done = made.handoff("init", "--defaults", "--data", every)
    assert done.returncode == 0, done.stderr
    return made.path


@pytest.fixture
def project(prototype: Path, tmp_path: Path) -> Repository:
    """A fresh copy of the prototype."""
    shutil.copytree(prototype, tmp_path / "app", symlinks=True)
    return Repository(tmp_path / "app")
