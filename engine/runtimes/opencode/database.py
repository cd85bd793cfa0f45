"""What OpenCode keeps of a session, in its database or its older store, as lines: a message each,
as `opencode export` has them, and whether it is of another agent of the session."""

from __future__ import annotations

import json
from collections.abc import Iterator
from heapq import merge
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from ...errors import HandoffError
from ..lines import mapping
from .tree import Tree

if TYPE_CHECKING:
    from ..protocol import Files
    from .rows import Rows

BOM = b"\xef\xbb\xbf"


class Message(NamedTuple):
    created: int  # epoch milliseconds
    id: str
    session: str


class Messages:
    """The lines of a session's messages that were begun after `offset` (epoch milliseconds), up to
    one that is still being written; `offset` is when the last of them was begun.

    With `whole` also of what is still being written, as far as it is; `offset` stays before that.
    Raises: HandoffError where the session cannot be read.
    """

    def __init__(
        self, path: str, native_id: str, offset: int, files: Files, whole: bool = False
    ) -> None:
        self.offset, self.size, self.cut_bytes = offset, 0, 0
        self._path, self._native_id, self._whole = path, native_id, whole
        name = path.replace("\\", "/").rpartition("/")[2]
        folder = path[: len(path) - len(name)]
        self._source: Rows | Tree = Tree(f"{folder}storage", files)
        self._sources: list[Rows | Tree] = [self._source]
        if name in files.names(folder):
            try:
                from .rows import Rows
            except ImportError as error:  # some builds of Python go without `sqlite3`
                raise HandoffError(f"`{path}` cannot be read ({error})") from None
            self._sources.insert(0, Rows(path))

    def __iter__(self) -> Iterator[bytes]:
        is_over = True
        found = merge(*(self._messages(one, self.offset) for one in self._sessions()))
        for created, group in groupby(found, key=lambda one: one.created):
            messages = [(one, self._source.message(one.session, one.id)) for one in group]
            is_over = is_over and all(self._is_over(one, info) for one, info in messages)
            if not is_over and not self._whole:
                return
            for one, info in messages:
                yield self._line(one, info)
            if is_over:
                self.offset = created

    def close(self) -> None:
        for source in self._sources:
            source.close()

    def _sessions(self) -> list[str]:
        """The session and those that it called, from the first source that has it."""
        for source in self._sources:
            found = source.sessions(self._native_id)
            if found:
                self._source = source
                return found
        raise HandoffError(f"`{self._path}` does not have the session")

    def _messages(self, session: str, after: int) -> Iterator[Message]:
        for created, key in self._source.messages(session, after):
            yield Message(created, key, session)

    def _is_over(self, message: Message, data: bytes) -> bool:
        """Whether no more of it will come. One that was killed is never completed: but there is a
        later answer in its session, or in the one that called that."""
        info = _value(data)
        if info.get("role") != "assistant" or info.get("error"):
            return True
        if mapping(info.get("time")).get("completed") is not None:
            return True
        return any(
            _value(self._source.message(session, key)).get("role") == "assistant"
            for session in {message.session, self._native_id}
            for _, key in self._source.messages(session, message.created)
        )

    def _line(self, message: Message, info: bytes) -> bytes:
        parts = b", ".join(map(_sound, self._source.parts(message.id)))
        child = b"false" if message.session == self._native_id else b"true"
        return b'{"info": %b, "parts": [%b], "child": %b}\n' % (_sound(info), parts, child)


def _sound(data: bytes) -> bytes:
    """The JSON text, or `null` for one that is none: the reader counts it."""
    return data.removeprefix(BOM) if _parsed(data) is not None else b"null"


def _value(data: bytes) -> dict[str, Any]:
    return mapping(_parsed(data))


def _parsed(data: bytes) -> Any:
    try:
        return json.loads(data.removeprefix(BOM).decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
