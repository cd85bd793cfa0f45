"""Files of other tools: one value is put in, every other byte stays."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import jsontext
from engine.errors import HandoffError

FILE = b'\xef\xbb\xbf{\r\n\t"n": 1.50e1,\r\n\t"inline": ["\\u00e9", "b"],\r\n\t"last": []\r\n}\r\n'
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(codec="utf-8")),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)
objects = st.dictionaries(st.text(st.characters(codec="utf-8"), max_size=5), values)


def put(data: bytes, key: str, value: Any) -> bytes:
    return jsontext.replaced(jsontext.parse("f", data), (key,), value).text.encode()


def test_only_the_value_changes() -> None:
    assert put(FILE, "n", 2) == FILE.replace(b"1.50e1", b"2")
    assert put(FILE, "inline", ["x"]) == FILE.replace(b'["\\u00e9", "b"]', b'["x"]')
    assert put(FILE, "new", "y") == FILE.replace(b"[]\r\n", b'[],\r\n\t"new": "y"\r\n')


def test_elements_come_and_go_as_their_neighbours_are_laid_out() -> None:
    document = jsontext.parse("f", FILE)
    inline = jsontext.appended(document, ("inline",), "c")
    assert inline.text.encode() == FILE.replace(b'"b"]', b'"b", "c"]')
    assert jsontext.removed(inline, ("inline",), 2) == document
    first = jsontext.removed(document, ("inline",), 0)
    assert first.text.encode() == FILE.replace(b'"\\u00e9", ', b"")
    below = jsontext.appended(document, ("last",), "c")
    assert below.text.encode() == FILE.replace(b"[]", b'[\r\n\t\t"c"\r\n\t]')
    assert jsontext.removed(below, ("last",), 0) == document


def test_a_file_of_one_line_stays_one() -> None:
    assert put(b'{"a":1}', "b", ["x", "y"]) == b'{"a":1,"b":["x","y"]}'
    assert put(b'{"a": 1}', "b", ["x"]) == b'{"a": 1, "b": ["x"]}'
    assert put(b"{}", "b", 1) == b'{"b": 1}'


def test_of_a_key_that_is_there_twice_the_last_one_counts() -> None:
    assert put(b'{"a": 1, "a": 2}', "a", 3) == b'{"a": 1, "a": 3}'


@pytest.mark.parametrize("data", [b"", b"{", b"\xff", b"[" * 100_000, b'{"a": 1,}'])
def test_what_is_no_json_is_refused(data: bytes) -> None:
    with pytest.raises(HandoffError, match="`f` is not valid JSON"):
        jsontext.parse("f", data)


@given(objects, st.sampled_from([None, 1, 2, "\t"]), st.text("ab", max_size=2), values)
def test_the_result_means_what_was_asked_for(
    before: dict[str, Any], indent: int | str | None, key: str, value: Any
) -> None:
    data = json.dumps(before, indent=indent).encode()
    document = jsontext.replaced(jsontext.parse("f", data), (key,), value)
    assert document.value == {**before, key: value}
    assert list(document.value) == list({**before, key: value})
    again = jsontext.replaced(document, (key,), value)
    assert again.value == document.value


@given(st.lists(values, min_size=1), st.sampled_from([None, 2]), values, st.data())
def test_lists_grow_and_shrink(
    before: list[Any], indent: int | None, new: Any, data: st.DataObject
) -> None:
    document = jsontext.parse("f", json.dumps({"x": before}, indent=indent).encode())
    grown = jsontext.appended(document, ("x",), new)
    assert grown.value == {"x": [*before, new]}
    place = data.draw(st.integers(0, len(before)))
    left = [*before, new]
    del left[place]
    assert jsontext.removed(grown, ("x",), place).value == {"x": left}
