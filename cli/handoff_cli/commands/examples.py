"""Examples in a command's help, each on a line of its own."""

from __future__ import annotations

from typing import Any

from typer.core import TyperGroup


class Group(TyperGroup):
    """Commands whose docstrings end with examples. Typer would join their lines to one."""

    def get_command(self, *args: Any) -> Any:
        command = super().get_command(*args)
        if command is not None and command.help:
            command.help = fenced(command.help)
        return command


def fenced(text: str) -> str:
    """The help, in Markdown, with its paragraphs of commands as blocks of code."""
    return "\n\n".join(map(_fenced, text.split("\n\n")))


def _fenced(paragraph: str) -> str:
    lines = [line.strip() for line in paragraph.splitlines()]
    if not all(line.startswith("handoff ") or "| handoff " in line for line in lines):
        return paragraph
    return "\n".join(["```text", *lines, "```"])
