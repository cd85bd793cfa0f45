"""Fixtures of the tests of updates."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli import releases as made
from tests.cli.releases import Releases


@pytest.fixture
def releases(tmp_path: Path) -> Releases:
    return made.new(tmp_path / "checkout")
