"""Releases of the template, and chats that end with their test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.cli import releases as made
from tests.cli.releases import Releases
from tests.repository import Repository

from .chats import WAYS, Chat, configure


@pytest.fixture
def releases(tmp_path: Path) -> Releases:
    return made.new(tmp_path / "checkout")


@pytest.fixture
def chats(project: Repository) -> Iterator[Callable[..., Chat]]:
    """Starts chats; agents are called by how they behave."""
    for way in WAYS:
        configure(project, way)
    running: list[Chat] = []

    def start(agent: str, *arguments: str) -> Chat:
        running.append(Chat(project, agent, *arguments))
        return running[-1]

    yield start
    for chat in running:
        chat.process.kill()
        chat.process.communicate()
