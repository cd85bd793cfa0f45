from __future__ import annotations

import pytest

from handoff_cli import json_comments


def plain(text: str) -> str:
    bare = json_comments.blanked(text.encode())
    return json_comments.trailing_commas_blanked(bare).decode()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[1, 2] // end", "[1, 2]       "),
        ("[1, /* a\nb */ 2]", "[1,     \n     2]"),
        ('["//", "/* */", "\\"//"] //', '["//", "/* */", "\\"//"]   '),
        ("[1, ]", "[1  ]"),
        ('{"a": [1,],\n}', '{"a": [1 ] \n}'),
        ('[",]", ",}"]', '[",]", ",}"]'),
    ],
)
def test_comments_and_trailing_commas_become_spaces(text: str, expected: str) -> None:
    assert plain(text).split() == expected.split()
    assert [len(line) for line in plain(text).split("\n")] == [len(x) for x in text.split("\n")]


@pytest.mark.parametrize("text", ["[,]", "[1,,]", "{,}", '{"a":,}', "[ , ]", "/*", "[/]"])
def test_what_no_dialect_allows_stays_as_it_is(text: str) -> None:
    assert plain(text) == text


def test_comments_end_on_the_line_they_begin_on() -> None:
    text = b"1, /* a */ // b  \n // c"
    assert text[: json_comments.end_on_line(text, 2)] == b"1, /* a */ // b"


def test_only_a_line_comment_takes_in_what_follows() -> None:
    text = b'"// s" /* // */ // */\n1'
    inside = [at for at in range(len(text) + 1) if json_comments.in_line_comment(text, at)]
    assert inside == list(range(17, 22))
