"""What a session should not leave behind: temporary files, debug prints, commented-out code.

The defaults name only what is hardly ever meant to stay: a program that prints is no debug print.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from fnmatch import fnmatch
from typing import NamedTuple

BLOCK_LINES = 3  # commented-out code is reported from so many lines in a row

FILES = (
    *("*.tmp", "*.temp", "*.orig", "*.rej", "*.swp", "*~", "*.bak", "nohup.out"),
    *("scratch/*", "*/scratch/*", "tmp/*", ".DS_Store", "*/.DS_Store"),
)
_MARKED = r"""['"`](?:DEBUG|debug:|XXX|>>>|###|!!!|here\b)"""
DEBUG = {
    "py": r"^\s*(?:breakpoint\(\)|(?:import|from) i?pdb\b|i?pdb\.set_trace\(|p?print\(f?"
    rf"{_MARKED})",
    "js ts jsx tsx mjs cjs vue svelte": rf"^\s*(?:debugger\b|console\.(?:log|debug)\({_MARKED})",
    "go": rf"^\s*(?:spew\.Dump\(|(?:fmt|log)\.Print(?:ln|f)?\({_MARKED})",
    "rs": rf"\bdbg!\(|^\s*e?println!\({_MARKED}",
    "rb": r"^\s*(?:binding\.(?:pry|irb)|byebug)\b",
    "php": r"^\s*(?:var_dump|dd|ray)\(",
    "java kt scala": rf"^\s*(?:System\.(?:out|err)\.)?println\({_MARKED}",
    "c h cc cpp hpp": rf"^\s*f?printf\((?:stderr,\s*)?{_MARKED}",
    "cs": rf"^\s*Console\.WriteLine\({_MARKED}|^\s*Debugger\.Break\(",
}
COMMENT = {
    "py rb sh": r"^\s*#\s?(?P<code>.*)$",
    "js ts jsx tsx mjs cjs go rs java kt scala c h cc cpp hpp cs php": (
        r"^\s*//(?![/!])\s?(?P<code>.*)$"
    ),
}
_CODE = re.compile(
    r"^(?:"
    r"\s*(?:def|class|if|elif|for|while|with|try|except|return|raise|import|from \S+ import)\b"
    r"[^.]*[:(=]\S*.*"
    r"|\s*return(?: [\w.]+)?$"
    r"|.*[;{}]\s*$"
    r"|\s*[\w.\[\]\"']+\s*[-+*/|&]?=\s*[^=\s].*[)\]}\"'\w]$"
    r"|\s*[\w.]+\(.*\)\s*,?$)"
)
_TESTS = re.compile(
    r"(?:^|/)(?:tests?|spec|__tests__|fixtures|examples?)/|(?:^|[/_.])(?:test|spec)[_.]"
)


class AddedLine(NamedTuple):
    path: str
    number: int
    text: str


class Leftover(NamedTuple):
    code: str  # artifact.temporary, artifact.debug or artifact.commented
    path: str
    line: int | None
    text: str


def temporary(paths: Iterable[str], patterns: Iterable[str] = FILES) -> Iterator[Leftover]:
    """The paths that only a temporary file has."""
    wanted = tuple(patterns)
    for path in paths:
        name = path.rpartition("/")[2]
        if any(fnmatch(path, one) or ("/" not in one and fnmatch(name, one)) for one in wanted):
            yield Leftover("artifact.temporary", path, None, path)


def in_lines(lines: Iterable[AddedLine], more: dict[str, str]) -> Iterator[Leftover]:
    """Debug prints and commented-out blocks among added lines; `more` maps endings to patterns."""
    debug = {**_by_ending(DEBUG), **_by_ending(more)}
    comment = _by_ending(COMMENT)
    block: list[AddedLine] = []
    for line in lines:
        ending = line.path.rpartition(".")[2].lower()
        if ending in debug and not _TESTS.search(line.path) and debug[ending].search(line.text):
            yield Leftover("artifact.debug", line.path, line.number, line.text.strip())
        if block and (line.path, line.number) != (block[-1].path, block[-1].number + 1):
            yield from _commented(block)
            block = []
        found = comment[ending].match(line.text) if ending in comment else None
        if found and _CODE.match(found["code"]):
            block.append(line)
        elif block:
            yield from _commented(block)
            block = []
    yield from _commented(block)


def _commented(block: list[AddedLine]) -> Iterator[Leftover]:
    if len(block) >= BLOCK_LINES:
        first = block[0]
        yield Leftover("artifact.commented", first.path, first.number, first.text.strip())


def _by_ending(patterns: dict[str, str]) -> dict[str, re.Pattern[str]]:
    return {
        ending: re.compile(pattern)
        for endings, pattern in patterns.items()
        for ending in endings.split()
    }
