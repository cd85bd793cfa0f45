"""JSON files that other tools own, as text: one value is put in, every other byte stays."""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple, Union

from .errors import HandoffError

UNTOUCHED = "mend the file by hand; it was left untouched"
_DECODER = json.JSONDecoder()
_MARK = "\ufeff"
_BLANKS = re.compile(r"[ \t\r\n\ufeff]*")
Key = Union[str, int]


class Document(NamedTuple):
    name: str  # what messages call it
    text: str
    value: Any


class _Child(NamedTuple):
    """A member of an object or an element of a list; positions in the text."""

    key: Key
    line: int  # where it begins, with its name
    start: int  # where its value begins
    end: int


def parse(name: str, data: bytes) -> Document:
    """The document in a file's bytes. Raises: HandoffError where they are no JSON."""
    try:
        text = data.decode("utf-8")
        return Document(name, text, json.loads(text.lstrip(_MARK)))
    except (ValueError, RecursionError) as error:
        raise HandoffError(f"`{name}` is not valid JSON: {error}", hint=UNTOUCHED) from None


def fresh(name: str, value: Any) -> Document:
    """A document of our own."""
    return Document(name, json.dumps(value, indent=2, ensure_ascii=False) + "\n", value)


def replaced(document: Document, keys: tuple[Key, ...], new: Any) -> Document:
    """The document with `new` at `keys`; an object that lacks the last key gets it at its end."""
    text = document.text
    start = _after_blanks(text, 0)
    end = len(text)
    for key in keys:
        found = [child for child in _children(text, start) if child.key == key]
        if not found:
            return _inserted(document, start, key, new)
        start, end = found[-1].start, found[-1].end
    old = text[start:end]
    inline = "\n" not in old and old[1:-1].strip() != ""
    return _edited(document, start, end, _dumped(text, new, _margin(text, start), inline))


def appended(document: Document, keys: tuple[Key, ...], new: Any) -> Document:
    """The document with `new` as the last element of the list at `keys`."""
    return _inserted(document, _start(document, keys), None, new)


def removed(document: Document, keys: tuple[Key, ...], place: int) -> Document:
    """The document without an element of the list at `keys`."""
    start = _start(document, keys)
    children = _children(document.text, start)
    if len(children) == 1:
        end = document.text.index("]", children[0].end)
        return _edited(document, start + 1, end, "")
    if place == 0:
        return _edited(document, children[0].line, children[1].line, "")
    return _edited(document, children[place - 1].end, children[place].end, "")


def _start(document: Document, keys: tuple[Key, ...]) -> int:
    """Where the container at `keys`, which is there, begins."""
    start = _after_blanks(document.text, 0)
    for key in keys:
        start = next(c.start for c in reversed(_children(document.text, start)) if c.key == key)
    return start


def _inserted(document: Document, start: int, key: Key | None, new: Any) -> Document:
    """With `new` at the end of the container at `start`, laid out as its neighbours are."""
    text = document.text
    children = _children(text, start)
    label = f"{_plain(text, key)}{_colon(text)}" if key is not None else ""
    margin, unit, newline = _margin(text, start), _unit(text), _newline(text)
    if not children:
        end = text.index("}" if text[start] == "{" else "]", start)
        inner = margin + unit
        body = label + _dumped(text, new, inner, not unit)
        inside = f"{newline}{inner}{body}{newline}{margin}" if unit else body
        return _edited(document, start + 1, end, inside)
    last = children[-1]
    if "\n" in text[start : last.line]:
        gap = newline + _margin(text, last.line)
    else:
        gap = " " if _colon(text) == ": " else ""
    alike = key is None and "\n" not in text[last.start : last.end]
    inline = alike or "\n" not in gap
    body = label + _dumped(text, new, gap.strip("\r\n"), inline)
    return _edited(document, last.end, last.end, f",{gap}{body}")


def _edited(document: Document, start: int, end: int, new: str) -> Document:
    text = document.text[:start] + new + document.text[end:]
    return parse(document.name, text.encode("utf-8"))


def _children(text: str, start: int) -> list[_Child]:
    """Of the container that begins at `start`; none of a plain value."""
    found: list[_Child] = []
    if text[start] not in "{[":
        return found
    at = _after_blanks(text, start + 1)
    while text[at] not in "}]":
        line = at
        key: Key = len(found)
        if text[start] == "{":
            key, at = _DECODER.raw_decode(text, at)
            at = _after_blanks(text, _after_blanks(text, at) + 1)
        end = _DECODER.raw_decode(text, at)[1]
        found.append(_Child(key, line, at, end))
        at = _after_blanks(text, end)
        if text[at] == ",":
            at = _after_blanks(text, at + 1)
    return found


def _dumped(text: str, new: Any, margin: str, inline: bool) -> str:
    """`new` as this file writes values, its lines after the first one indented by `margin`."""
    unit = _unit(text)
    if inline or not unit:
        return _plain(text, new)
    lines = json.dumps(new, indent=unit, ensure_ascii=False).split("\n")
    return (_newline(text) + margin).join(lines)


def _plain(text: str, new: Any) -> str:
    colon = _colon(text)
    comma = ", " if colon == ": " else ","
    return json.dumps(new, separators=(comma, colon), ensure_ascii=False)


def _after_blanks(text: str, at: int) -> int:
    found = _BLANKS.match(text, at)
    return found.end() if found else at


def _margin(text: str, at: int) -> str:
    """The white space that the line of a position begins with."""
    begin = text.rfind("\n", 0, at) + 1
    found = re.match(r"[ \t]*", text[begin:at])
    return found[0] if found else ""


def _unit(text: str) -> str:
    """One level of indentation; empty in a file of one line."""
    found = re.search(r"[{\[][ \t]*\r?\n([ \t]+)\S", text)
    return found[1] if found else ""


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _colon(text: str) -> str:
    return ":" if re.search(r'":[^\s]', text) and '": ' not in text else ": "
