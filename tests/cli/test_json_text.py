from __future__ import annotations

import json

import pytest

from handoff_cli import json_text
from handoff_cli.errors import HandoffError
from handoff_cli.json_text import Document


def parse(text: str | bytes, jsonc: bool = True) -> Document:
    data = text.encode() if isinstance(text, str) else text
    return json_text.parse(data, jsonc=jsonc, name="s.json")


def with_nine(text: str) -> Document:
    document = parse(text)
    assert document.root is not None
    return json_text.appended(document, document.root, 9)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("[]", "[9]"),
        ("[ // none\n]", "[ // none\n9]"),
        ("[1]", "[1, 9]"),
        ("[1, ]", "[1, 9, ]"),
        ("[1, /* one */ ]", "[1, /* one */ 9, ]"),
        ("[1 /* one */ ]", "[1, /* one */ 9 ]"),
        ("[1 // one\n]", "[1, // one\n9\n]"),
        ("[\n  1, // one \n  // end\n]", "[\n  1, // one\n  9, \n  // end\n]"),
        ("[\r\n\t1\r\n]", "[\r\n\t1,\r\n\t9\r\n]"),
        ("[\n  1\n  , // c\n]", "[\n  1\n  , // c\n  9,\n]"),
        ("[[\n  1\n], [\n  2\n]]", "[[\n  1\n], [\n  2\n], 9]"),
    ],
)
def test_an_element_goes_last_and_comes_out_again(before: str, after: str) -> None:
    document = with_nine(before)
    assert document.text.decode() == after
    assert document.root is not None
    back = json_text.without(document, document.root.named_children[-1])
    assert back is not None
    assert back.text.decode() == before


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("[9, 1]", "[1]"),
        ("[\n  1,\n  9,\n  2\n]", "[\n  1,\n  2\n]"),
        ("[1, // one\n 9, 2]", "[1, // one\n 2]"),
        ("[1, // one\n 9]", "[1 // one\n ]"),
        ("[1, // one\n 9, ]", "[1, // one\n  ]"),
        ("[1, // one\n 9 /* ours */\n, ]", "[1, // one\n  /* ours */\n ]"),
        ("[1, 9 // ours\n, 2]", "[1,  // ours\n 2]"),
        ("[ /* kept */ 9 ]", "[ /* kept */  ]"),
        ("[9, // kept\n]", "[ // kept\n]"),
    ],
)
def test_taking_an_element_out_spares_comments_and_neighbours(text: str, left: str) -> None:
    document = parse(text)
    assert document.root is not None
    nine = next(node for node in document.root.named_children if node.text == b"9")
    back = json_text.without(document, nine)
    assert back is not None
    assert back.text.decode() == left


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ('{"a": {\n  "b": [\n    9\n  ]\n}}', "{}"),
        ('{"a": {"b": [ 9 ] }, "c": 1}', '{"c": 1}'),
        ('{"a": {"b": [9]}}', '{"a": {"b": []}}'),
        ('{ "a": { "b": [ 9 ] } }', None),
    ],
)
def test_a_container_goes_with_its_last_element_if_space_follows_it(
    text: str, left: str | None
) -> None:
    document = parse(text)
    assert document.root is not None
    (a,) = json_text.values(document, document.root, "a")
    (b,) = json_text.values(document, a, "b")
    back = json_text.without(document, b.named_children[0])
    assert (back and back.text.decode()) == left


@pytest.mark.parametrize(
    ("text", "jsonc", "words"),
    [
        (b"[1", True, "line 1"),
        (b"[1]\n[2]", True, "extra data on line 2"),
        (b'{"a": NaN}', True, "`NaN` is not a value on line 1"),
        (b"[1,\n,]", True, "line 2"),
        (b"[\n1 // c\n]", False, "comment or trailing comma on line 2"),
        (b'{\n"a": 1,\n}', False, "comment or trailing comma on line 2"),
        (b'["\xff"]', True, "not UTF-8"),
        ('{"a": 1}'.encode("utf-16"), True, "not UTF-8"),
        (b"[" * 100_000 + b"]" * 100_000, True, "nested too deeply"),
        (b"// only words", True, "line 1"),
        (b'["a\nb"]', True, "line 1"),
    ],
)
def test_text_that_its_reader_would_not_take_is_refused(
    text: bytes, jsonc: bool, words: str
) -> None:
    with pytest.raises(HandoffError, match=r"`s\.json`") as caught:
        parse(text, jsonc)
    assert words in str(caught.value)
    assert "left untouched" in caught.value.hint


@pytest.mark.parametrize(
    "text", ["-0", "1e400", "12" * 5000, '"\\ud800\\u0041"', '"é\u2028"', "null", "[1.5E-3]"]
)
def test_any_strict_json_is_taken(text: str) -> None:
    assert parse(text, jsonc=False).root is not None


def test_keys_are_compared_as_they_read_not_as_they_are_spelled() -> None:
    document = parse('{"\\u0061": 1, "a": 2}')
    assert document.root is not None
    found = [document.value(node) for node in json_text.values(document, document.root, "a")]
    assert found == [1, 2]


def test_a_replaced_value_keeps_the_margin_and_the_indent_of_the_file() -> None:
    document = parse('{\n\t"a": [\n\t\t1\n\t]\n}')
    assert document.root is not None
    (node,) = json_text.values(document, document.root, "a")
    text = json_text.replaced(document, node, [{"b": 2}]).text.decode()
    assert text == json.dumps({"a": [{"b": 2}]}, indent="\t")
