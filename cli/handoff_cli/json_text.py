"""JSON as text that somebody else owns: find a node, put one in, take one out, keep every byte.

`without` undoes `appended` to the byte with no memory of what stood there before, because every
insertion leaves its kind behind in the white space before the closing bracket:

- a container that we create has white space there, so it goes with its last element;
- in a container that was there but empty, our text touches the closing bracket, so it stays;
- in a container with elements, our text follows the last one, and the white space before ours
  always starts right after a byte that is none.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NoReturn

import tree_sitter
import tree_sitter_json
from tree_sitter import Node

from handoff_cli import json_comments
from handoff_cli.errors import HandoffError
from handoff_cli.json_comments import BLANKS

BOM = b"\xef\xbb\xbf"
UNTOUCHED = "it was left untouched"

_PARSER = tree_sitter.Parser(tree_sitter.Language(tree_sitter_json.language()))
_EXPONENT_PLUS = re.compile(rb"(?<=\d[eE])\+(?=\d)")  # a sign that the grammar does not know


@dataclass(frozen=True)
class Document:
    """A parsed file; byte positions of `root` and its nodes are positions in `text`."""

    name: str  # what messages call it
    jsonc: bool  # comments and trailing commas are allowed
    text: bytes
    bare: bytes  # `text` with the byte order mark and comments blanked
    plain: bytes  # `bare` with trailing commas blanked: strict JSON
    root: Node | None  # None: nothing but white space

    def value(self, node: Node) -> object:
        return json.loads(self.plain[node.start_byte : node.end_byte])

    def line(self, node: Node) -> int:
        return _line(self.text, node.start_byte)

    def edited(self, *spans: tuple[int, int, bytes]) -> Document:
        """The document with each `(start, end, new text)`, given in order, put in place."""
        parts, done = [], 0
        for start, end, new in spans:
            parts += [self.text[done:start], new]
            done = end
        return parse(b"".join([*parts, self.text[done:]]), jsonc=self.jsonc, name=self.name)


def parse(text: bytes, *, jsonc: bool, name: str) -> Document:
    """The document in `text`.

    Raises:
        HandoffError: it is no UTF-8, or not what its reader takes for JSON.
    """
    unmarked = b"   " + text[len(BOM) :] if text.startswith(BOM) else text
    bare = json_comments.blanked(unmarked) if jsonc else unmarked
    plain = json_comments.trailing_commas_blanked(bare) if jsonc else bare
    if not text.removeprefix(BOM).strip(BLANKS):
        return Document(name, jsonc, text, bare, plain, None)
    try:
        _check(plain)
    except UnicodeDecodeError as error:
        hint = f"save it as UTF-8; {UNTOUCHED}"
        raise HandoffError(f"`{name}` is not UTF-8 text", hint) from error
    except RecursionError as error:
        raise HandoffError(f"`{name}` is nested too deeply", UNTOUCHED) from error
    except json.JSONDecodeError as error:
        _refuse(name, unmarked, error)
    tree = _PARSER.parse(_EXPONENT_PLUS.sub(b"0", plain)).root_node
    if tree.has_error or tree.named_child_count != 1:
        raise HandoffError(f"`{name}` cannot be parsed", UNTOUCHED)
    return Document(name, jsonc, text, bare, plain, tree.named_children[0])


def members(document: Document, node: Node) -> Iterator[tuple[str, Node]]:
    """Key and value of each member, in order; nothing where `node` is no object."""
    for pair in node.named_children if node.type == "object" else ():
        key, value = pair.named_children
        yield str(document.value(key)), value


def values(document: Document, node: Node, key: str) -> list[Node]:
    """The values under `key`: more than one where the key is written twice."""
    return [value for name, value in members(document, node) if name == key]


def appended(document: Document, container: Node, value: object, key: str = "") -> Document:
    """The document with `value` (in an object: under `key`) as the last element of `container`."""
    head = b"%s: " % json.dumps(key, ensure_ascii=False).encode() if key else b""
    close = container.end_byte - 1
    items = container.named_children
    if not items:
        multiline = document.root == container or _breaks(document.text.strip(BLANKS))
        element = head + _rendered(document, value, close if multiline else None)
        return document.edited((close, close, element))
    last = items[-1]
    start, end = last.byte_range
    comma = document.bare.find(b",", end, close)
    at = json_comments.end_on_line(document.text, max(end, comma + 1))
    gap = document.text[items[-2].end_byte if len(items) > 1 else container.start_byte : start]
    breaks = _breaks(gap) or _in_line_comment(document, at)
    space = _newline(document.text) + _margin(document.text, start) if breaks else b" "
    multiline = breaks or _breaks(document.text[start:end])
    element = space + head + _rendered(document, value, start if multiline else None)
    if comma >= 0:
        return document.edited((at, at, element + b","))
    return document.edited((end, end, b","), (at, at, element))


def replaced(document: Document, node: Node, value: object) -> Document:
    """The document with `value` where `node` is, on one line if `node` is."""
    start, end = node.byte_range
    at = start if _breaks(document.text[start:end]) else None
    return document.edited((start, end, _rendered(document, value, at)))


def filled(blank: Document, value: object) -> Document:
    """The document that holds `value` after the white space of a blank one."""
    end = len(blank.text)
    return blank.edited((end, end, _rendered(blank, value, end)))


def without(document: Document, value: Node) -> Document | None:
    """The document without a value that `appended` may have put there, its key included.

    None: nothing but our own containers would be left.
    """
    pair = value.parent if value.parent and value.parent.type == "pair" else None
    element = pair or value
    container = element.parent
    if container is None or container.type == "document":
        return None
    siblings = container.named_children
    index = siblings.index(element)
    if len(siblings) == 1:
        return _without_only(document, container, element)
    start, end = element.byte_range
    last = index == len(siblings) - 1
    limit = container.end_byte if last else siblings[index + 1].start_byte
    comma = document.bare.find(b",", end, limit)
    if not last:
        if not document.text[end:limit].replace(b",", b"", 1).strip(BLANKS):
            return document.edited((start, limit, b""))
        return document.edited((start, end, b""), (comma, comma + 1, b""))
    gap = len(document.text[:start].rstrip(BLANKS))
    rest = document.text[end + 1 if comma == end else end :].lstrip(b" \t")
    if _in_line_comment(document, gap) and not _breaks(rest[:1]):
        gap = start  # or the comment would swallow the rest
    if comma >= 0:
        return document.edited((gap, end, b""), (comma, comma + 1, b""))
    comma = document.bare.find(b",", siblings[index - 1].end_byte, start)
    return document.edited((comma, comma + 1, b""), (gap, end, b""))


def _without_only(document: Document, container: Node, element: Node) -> Document | None:
    start, end = element.byte_range
    close = container.end_byte - 1
    before, after = document.text[container.start_byte + 1 : start], document.text[end:close]
    if after and not (before + after).replace(b",", b"").strip(BLANKS):
        return without(document, container)
    comma = document.bare.find(b",", end, close)
    cuts = [(start, end, b"")] + ([(comma, comma + 1, b"")] if comma >= 0 else [])
    return document.edited(*cuts)


def _check(plain: bytes) -> None:
    def no_constant(name: str) -> NoReturn:
        raise json.JSONDecodeError(f"`{name}` is not a value", text, text.find(name))

    text = plain.decode()
    # numbers stay text: their size is not our business
    json.loads(text, parse_constant=no_constant, parse_int=str, parse_float=str)


def _refuse(name: str, text: bytes, error: json.JSONDecodeError) -> NoReturn:
    loose = json_comments.trailing_commas_blanked(json_comments.blanked(text))
    try:
        _check(loose)
    except ValueError:
        reason = error.msg[:1].lower() + error.msg[1:]
        message, hint = f"{reason} on line {error.lineno}", "fix it by hand"
    else:
        at = next(at for at, byte in enumerate(text) if byte != loose[at])
        message = f"comment or trailing comma on line {_line(text, at)}"
        hint = "take comments and trailing commas out: its reader ignores a file that has them"
    raise HandoffError(f"`{name}` is not valid JSON: {message}", f"{hint}; {UNTOUCHED}") from error


def _line(text: bytes, at: int) -> int:
    return len(re.findall(rb"\r\n|\r|\n", text[:at])) + 1


def _rendered(document: Document, value: object, at: int | None) -> bytes:
    """`value` in the file's own style, for the line that holds position `at`; None: on one line."""
    unit = re.search(rb'[\r\n]([ \t]+)"', document.text)
    indent = unit[1].decode() if unit else "  "
    lines = json.dumps(value, indent=indent, ensure_ascii=False).encode()
    if at is None:
        return re.sub(rb"\n[ \t]*", b" ", lines)
    return lines.replace(b"\n", _newline(document.text) + _margin(document.text, at))


def _newline(text: bytes) -> bytes:
    first = re.search(rb"\r\n|\r|\n", text)
    return first[0] if first else b"\n"


def _margin(text: bytes, at: int) -> bytes:
    """The white space that the line with position `at` starts with."""
    line = re.split(rb"[\r\n]", text[:at])[-1]
    return line[: len(line) - len(line.lstrip(b" \t"))]


def _breaks(text: bytes) -> bool:
    return b"\n" in text or b"\r" in text


def _in_line_comment(document: Document, at: int) -> bool:
    return document.jsonc and json_comments.in_line_comment(document.text, at)
