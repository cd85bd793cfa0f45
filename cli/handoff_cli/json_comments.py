"""What JSON with comments has and JSON has not, blanked so that every byte keeps its position."""

from __future__ import annotations

import re

BLANKS = b" \t\r\n"

_STRING = rb'"(?:[^"\\]|\\.)*"'
_COMMENT = rb"//[^\r\n]*|/\*.*?\*/"
_STRINGS_AND_COMMENTS = re.compile(_STRING + rb"|(?P<comment>" + _COMMENT + rb")", re.DOTALL)
_COMMENTS_ON_LINE = re.compile(rb"(?:[ \t]*(?:" + _COMMENT + rb"))*", re.DOTALL)
_TRAILING_COMMAS = re.compile(  # one right after an opening bracket, `:` or `,` stays an error
    _STRING + rb"|[\[{:,][ \t\r\n]*,|(?P<trailing>,)(?=[ \t\r\n]*[\]}])", re.DOTALL
)


def blanked(text: bytes) -> bytes:
    """`text` with spaces in place of comments; line breaks stay."""

    def blank(match: re.Match[bytes]) -> bytes:
        return re.sub(rb"[^\r\n]", b" ", match[0]) if match["comment"] else match[0]

    return _STRINGS_AND_COMMENTS.sub(blank, text)


def trailing_commas_blanked(bare: bytes) -> bytes:
    """A text without comments, with a space in place of each comma before a closing bracket."""
    return _TRAILING_COMMAS.sub(lambda match: b" " if match["trailing"] else match[0], bare)


def end_on_line(text: bytes, at: int) -> int:
    """Where the comments that begin on the line of `at`, with blanks alone between, end."""
    match = _COMMENTS_ON_LINE.match(text, at)
    return at + len(match[0].rstrip(BLANKS)) if match else at


def in_line_comment(text: bytes, at: int) -> bool:
    """Whether what is put in at `at` would belong to a `//` comment."""
    return any(
        match.start() < at <= match.end()
        for match in _STRINGS_AND_COMMENTS.finditer(text)
        if match[0].startswith(b"//")
    )
