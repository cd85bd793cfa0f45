"""What happens in a chat, as values that a screen shows or a line of JSON tells."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from handoff_cli.chat.edits import Edit
from handoff_cli.errors import HandoffError


class Option(NamedTuple):
    """One answer to a request for a permission."""

    id: str
    kind: str  # allow_once, allow_always, reject_once or reject_always
    name: str


class Event(NamedTuple):
    """Something that happened; fields that a kind does not have are None."""

    kind: str  # agent, said, reply, tool, permission, plan, usage, turn, note or error
    agent: str | None = None
    text: str | None = None
    id: str | None = None  # of a tool's call or a permission
    status: str | None = None  # of a tool: pending, in_progress, completed or failed; of a turn
    exit_code: int | None = None
    output: str | None = None
    edits: tuple[Edit, ...] = ()  # of a tool, or what a permission is asked for
    options: tuple[Option, ...] = ()
    steps: tuple[tuple[str, str], ...] = ()  # of a plan: text and status
    used_tokens: int | None = None
    window_tokens: int | None = None
    session: str | None = None  # the native id
    model: str | None = None
    at: float | None = None  # epoch seconds
    tool: str | None = None  # its kind in the protocol: read, edit, execute, …

    def within(self, folder: Path) -> Event:
        """With the paths of its edits as they are seen from a folder, where they lie in it."""
        start = f"{folder}/"
        edits = (one._replace(path=one.path.removeprefix(start)) for one in self.edits)
        return self._replace(edits=tuple(edits))

    def told(self) -> dict[str, Any]:
        """The fields that are there; to `_replace` an earlier event with them adds what is new."""
        return {key: item for key, item in self._asdict().items() if item not in (None, ())}

    def value(self) -> dict[str, Any]:
        """As a JSON value, without what is not there."""
        given = self.told()
        if self.edits:
            given["edits"] = [edit.value() for edit in self.edits]
        if self.options:
            given["options"] = [option._asdict() for option in self.options]
        if self.steps:
            given["steps"] = [{"text": text, "status": status} for text, status in self.steps]
        return given


def failure(error: HandoffError) -> Event:
    return Event("error", text=f"{error}. {error.hint}".strip())


def with_files(text: str, files: Sequence[str]) -> str:
    """What the human said, with the names of what went with it."""
    return f"{text}\n(with {', '.join(files)})" if files else text
