"""What `--help` tells."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from handoff_cli.app import app


def commands(group: Any, *names: str) -> Iterator[tuple[str, ...]]:
    """The words of every command, with those in groups."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, *names, name)
        else:
            yield (*names, name)


@pytest.mark.parametrize("words", list(commands(typer.main.get_command(app))), ids=" ".join)
def test_every_example_stands_on_a_line_of_its_own(words: tuple[str, ...]) -> None:
    done = CliRunner().invoke(app, [*words, "--help"], env={"COLUMNS": "200", "TERM": "dumb"})
    assert done.exit_code == 0, done.output
    group: Any = typer.main.get_command(app)
    for word in words:
        group = group.commands[word]
    told = inspect.getdoc(group.callback) or ""
    examples = [line.strip() for line in told.splitlines() if line.strip().startswith("handoff ")]
    shown = [line.strip() for line in done.output.splitlines()]
    assert [line for line in examples if line not in shown] == []
    assert examples
