"""Our hook groups in settings files that other people own: put in, found again, taken out.

Every byte outside our groups stays, and `remove_hooks(add_hooks(text))` is `text`, with no note
kept anywhere of what stood there before.
"""

from __future__ import annotations

import json
import os
import secrets
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tree_sitter import Node

from handoff_cli import json_text
from handoff_cli.errors import HandoffError
from handoff_cli.json_comments import BLANKS
from handoff_cli.json_text import UNTOUCHED, Document


@dataclass(frozen=True)
class Entry:
    event: str  # as the runtime names it
    group: dict[str, object]  # one element of that event's array


@dataclass(frozen=True)
class Place:
    """One settings file: how to read it and how to know ours in it."""

    name: str  # what messages call it
    mark: str  # stands in the `command` of each handler of ours, and in no other
    jsonc: bool = False  # its reader takes comments and trailing commas
    under: tuple[str, ...] = ("hooks",)  # the keys that lead to its events
    fresh: dict[str, object] = field(default_factory=dict)  # what a file that we create needs too


@dataclass(frozen=True)
class _Ours:
    entry: Entry
    nodes: tuple[Node, ...]  # the whole group, or our handlers in a group shared with others
    shared: bool


def add_hooks(text: bytes | None, entries: Iterable[Entry], place: Place) -> bytes:
    """The file with these entries of ours in it and no others; None is a file that is not there.

    Raises:
        HandoffError: the file has a shape that we do not understand.
    """
    wanted = _wanted(entries, place)
    document = _document(text, place)
    for event in wanted:
        _spot(document, (*place.under, event))
    while surplus := [ours for ours, group in _compared(document, place, wanted) if group is None]:
        text = _text_without(document, surplus[-1], place)
        document = _document(text, place)
    for index in range(len(_found(document, place))):
        ours, group = _compared(document, place, wanted)[index]
        if ours.entry.group != group:
            document = json_text.replaced(document, ours.nodes[0], group)
    present = Counter(ours.entry.event for ours in _found(document, place))
    for event, groups in wanted.items():
        for group in groups[present[event] :]:
            document = _appended(document, Entry(event, group), place)
    return document.text + (b"\n" if text is None else b"")


def remove_hooks(text: bytes | None, place: Place) -> bytes | None:
    """The file without our entries; None: there was no such file before us.

    Raises:
        HandoffError: the file cannot be parsed.
    """
    while found := _found(document := _document(text, place), place):
        text = _text_without(document, found[-1], place)
    return text


def hook_entries(text: bytes | None, place: Place) -> tuple[Entry, ...]:
    """Our entries, in the order of the file; of a shared group only our handlers."""
    return tuple(ours.entry for ours in _found(_document(text, place), place))


def read(path: Path) -> bytes | None:
    """The file's bytes; None where there is none."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise HandoffError(f"cannot read `{path}`: {error.strerror}") from error


def write(path: Path, text: bytes | None) -> bool:
    """Whether anything changed. Whole file, atomic; a link stays a link, None deletes the file."""
    if read(path) == text:
        return False
    real = Path(os.path.realpath(path))
    part = real.with_name(f".{real.name}.{secrets.token_hex(4)}")
    try:
        if text is None:
            real.unlink()
            return True
        real.parent.mkdir(parents=True, exist_ok=True)
        part.write_bytes(text)
        if real.exists():
            part.chmod(real.stat().st_mode & 0o7777)
        part.replace(real)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise HandoffError(f"cannot write `{path}`: {error.strerror}", UNTOUCHED) from error
    return True


def same_text(left: bytes, right: bytes) -> bool:
    """Whether two texts differ in their line ends at most, as a checkout may change them."""
    return left.replace(b"\r\n", b"\n") == right.replace(b"\r\n", b"\n")


def _document(text: bytes | None, place: Place) -> Document:
    return json_text.parse(text or b"", jsonc=place.jsonc, name=place.name)


def _wanted(entries: Iterable[Entry], place: Place) -> dict[str, list[dict[str, object]]]:
    wanted: dict[str, list[dict[str, object]]] = {}
    for entry in entries:
        group = json.loads(json.dumps(entry.group, allow_nan=False))
        handlers = group.get("hooks", [group])
        if not handlers or any(place.mark not in handler["command"] for handler in handlers):
            raise ValueError(f"an entry for {entry.event} could not be recognised again")
        wanted.setdefault(entry.event, []).append(group)
    if not wanted:
        raise ValueError("nothing to add")
    return wanted


def _found(document: Document, place: Place) -> list[_Ours]:
    nodes = [document.root] if document.root else []
    for step in place.under:
        nodes = [value for node in nodes for value in json_text.values(document, node, step)]
    return [
        ours
        for node in nodes
        for event, groups in json_text.members(document, node)
        if groups.type == "array"
        for group in groups.named_children
        for ours in _ours(document, event, group, place)
    ]


def _ours(document: Document, event: str, group: Node, place: Place) -> Iterator[_Ours]:
    def marked(handler: Node) -> bool:
        commands = [document.value(node) for node in json_text.values(document, handler, "command")]
        return any(isinstance(command, str) and place.mark in command for command in commands)

    arrays = [node for node in json_text.values(document, group, "hooks") if node.type == "array"]
    handlers = [node for array in arrays for node in array.named_children] or [group]
    ours = tuple(node for node in handlers if marked(node))
    if not ours:
        return
    value = document.value(group)
    assert isinstance(value, dict)
    if ours == tuple(handlers):
        yield _Ours(Entry(event, value), (group,), shared=False)
    else:
        shared = {**value, "hooks": [document.value(node) for node in ours]}
        yield _Ours(Entry(event, shared), ours, shared=True)


def _compared(
    document: Document, place: Place, wanted: dict[str, list[dict[str, object]]]
) -> list[tuple[_Ours, dict[str, object] | None]]:
    """Each of ours with the group that it should be; None: it should go."""
    pairs: list[tuple[_Ours, dict[str, object] | None]] = []
    seen: Counter[str] = Counter()
    for ours in _found(document, place):
        groups = wanted.get(ours.entry.event, [])[seen[ours.entry.event] :]
        seen[ours.entry.event] += 1
        keep = groups and not (ours.shared and ours.entry.group != groups[0])
        pairs.append((ours, groups[0] if keep else None))
    return pairs


def _text_without(document: Document, ours: _Ours, place: Place) -> bytes | None:
    left = json_text.without(document, ours.nodes[-1])
    if left and not _only_fresh(document, left, place):
        return left.text
    start, end = document.root.byte_range if document.root else (0, 0)
    before, after = document.text[:start], document.text[end:]
    if (before + after).removeprefix(json_text.BOM).strip(BLANKS):
        return before + b"{}" + after  # comments that are not ours
    return None if after else before


def _only_fresh(document: Document, left: Document, place: Place) -> bool:
    """Whether we created the file: there ours comes first, in another's file it comes last."""
    if not (place.fresh and document.root and left.root):
        return False
    first = next(key for key, _ in json_text.members(document, document.root))
    return first in place.under[:1] and left.value(left.root) == place.fresh


def _appended(document: Document, entry: Entry, place: Place) -> Document:
    node, missing = _spot(document, (*place.under, entry.event))
    if node is None:
        value = {missing[0]: _nested(missing[1:], entry.group), **place.fresh}
        return json_text.filled(document, value)
    if not missing:
        return json_text.appended(document, node, entry.group)
    return json_text.appended(document, node, _nested(missing[1:], entry.group), missing[0])


def _spot(document: Document, path: tuple[str, ...]) -> tuple[Node | None, tuple[str, ...]]:
    """The deepest node there is on the way to an event's array, and the keys that lack from it."""
    node, here = document.root, "the top"
    if node is None:
        return None, path
    for depth, key in enumerate(path):
        _expect(document, node, "object", here)
        found = json_text.values(document, node, key)
        if len(found) > 1:
            again = f"line {document.line(found[1])} of `{document.name}`"
            hint = f"merge the two by hand; {UNTOUCHED}"
            raise HandoffError(f"`{key}` stands there a second time on {again}", hint)
        if not found:
            return node, path[depth:]
        node, here = found[0], f"`{key}`"
    _expect(document, node, "array", here)
    return node, ()


def _expect(document: Document, node: Node, kind: str, here: str) -> None:
    if node.type != kind:
        where = f"{here} on line {document.line(node)} of `{document.name}`"
        raise HandoffError(f"{where} is not an {kind}", f"change it by hand; {UNTOUCHED}")


def _nested(keys: tuple[str, ...], group: dict[str, object]) -> object:
    """An event's array with the group alone, inside one object for each key."""
    return {keys[0]: _nested(keys[1:], group)} if keys else [group]
