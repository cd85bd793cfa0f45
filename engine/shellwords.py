"""Words and operators of shell text; what is quoted stays quoted, redirections are left out."""

from __future__ import annotations

import re
from collections.abc import Iterator

# A quote or here-document without its end was cut off: all the rest belongs to it. Every
# repetition can only go on or stop, so that no text makes it try again.
_NESTED = r"\((?:[^()]|\([^()]*\)){0,2000}\)"
_TOKEN = re.compile(
    rf"""(?P<blank>(?:[ \t\r]|\\\n)+|\#[^\n]*)
    |(?P<here>\d*<<-?(?!<)[ \t]*(?:'(?P<single>[^'\n]*)'|"(?P<double>[^"\n]*)"|\\?(?P<bare>\w+)))
    |(?P<redirection>\d*(?:<<<|>>|>\||<>|[<>]&|[<>])(?!\()|&>>?)
    |(?P<operator>\n|;;|\|\||&&|\|&|[;&|()])
    |(?P<word>(?:[^\s;&|()<>'"\\`$]|\\.|'[^']*(?:'|\Z)|`[^`]*(?:`|\Z)
        |"(?:\\.|\${_NESTED}|[^"\\])*(?:"|\\?\Z)|[$<>]{_NESTED}|\$)+)
    |(?P<odd>.)""",
    re.DOTALL | re.VERBOSE,
)
_QUOTED = re.compile(
    r"""'[^']*(?:'|\Z)|"(?:\\.|[^"\\])*(?:"|\\?\Z)|`[^`]*(?:`|\Z)|\\.""", re.DOTALL
)


def shape(text: str) -> str:
    """The text with `_` for what is quoted in it."""
    return _QUOTED.sub("_", text)


def tokens(command: str) -> Iterator[tuple[str, bool]]:
    """Each word or operator, and whether it is an operator."""
    place, is_target, bodies = 0, False, []
    while place < len(command):
        found = _TOKEN.match(command, place)
        if found is None:
            return
        place = found.end()
        if found["here"] is not None:
            bodies.append(found["single"] or found["double"] or found["bare"] or "")
        elif found["redirection"]:
            is_target = True
        elif found["word"]:
            if not is_target:
                yield found["word"].replace("\\\n", ""), False
            is_target = False
        elif found["operator"]:
            is_target = False
            yield found["operator"], True
            if found["operator"] == "\n":
                for end in bodies:
                    place = _after(command, place, end)
                bodies = []


def _after(command: str, place: int, end: str) -> int:
    """Where the here-document that starts at `place` has ended."""
    found = re.compile(rf"^[ \t]*{re.escape(end)}[ \t]*$", re.MULTILINE).search(command, place)
    return found.end() if found else len(command)
