"""A session in OpenCode's older store, before 1.2: a folder with a JSON file for each thing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ..base import number
from ..lines import mapping

if TYPE_CHECKING:
    from ..protocol import Files


class Tree:
    """The store in a folder; no path is made of a name that is not listed there."""

    def __init__(self, folder: str, files: Files) -> None:
        self._folder = folder
        self._files = files

    def sessions(self, native_id: str) -> list[str]:
        """The session and those that it called, or none where it is not here."""
        for project in self._files.names(f"{self._folder}/session"):
            folder = f"{self._folder}/session/{project}"
            names = self._keys(folder)
            if native_id in names:
                infos = {name: self._value(f"{folder}/{name}.json") for name in names}
                found = [native_id]
                for above in found:  # grows while it is read
                    children = (key for key, info in infos.items() if info.get("parentID") == above)
                    found += [key for key in children if key not in found]
                return found
        return []

    def messages(self, session: str, after: int) -> Iterator[tuple[int, str]]:
        """When each message later than `after` (epoch milliseconds) was begun, and its id."""
        if session not in self._files.names(f"{self._folder}/message"):
            return
        folder = f"{self._folder}/message/{session}"
        found = []
        for key in self._keys(folder):
            times = mapping(self._value(f"{folder}/{key}.json").get("time"))
            found.append((max(1, number(times, "created") or 1), key))
        yield from sorted(one for one in found if one[0] > after)

    def message(self, session: str, key: str) -> bytes:
        return self._files.read(f"{self._folder}/message/{session}/{key}.json") or b""

    def parts(self, key: str) -> list[bytes]:
        folder = f"{self._folder}/part/{key}"
        return [self._files.read(f"{folder}/{one}.json") or b"" for one in self._keys(folder)]

    def close(self) -> None:
        pass

    def _keys(self, folder: str) -> list[str]:
        names = self._files.names(folder)
        return [name[: -len(".json")] for name in names if name.endswith(".json")]

    def _value(self, path: str) -> dict[str, Any]:
        try:
            return mapping(json.loads(self._files.read(path) or b""))
        except (ValueError, RecursionError):
            return {}
