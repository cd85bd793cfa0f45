"""Shell text, as far as it decides an exit code: simple commands, and the operators between them.

Not a shell: what is not understood (loops, conditions, functions) decides nothing.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from . import shellwords

_OPENING = ("if", "for", "while", "until", "case", "select")
_CLOSING = ("fi", "done", "esac")
_BETWEEN = ("then", "do", "else", "elif", "in", "{", "}", "!")
_ENDS = (";", "\n", "&", ";;")
_SAME_CODE = (("exit",), ("exit", "$?"))


class Simple(NamedTuple):
    """One program with its arguments, redirections left out."""

    words: tuple[str, ...]

    @property
    def text(self) -> str:
        return " ".join(self.words)

    @property
    def shape(self) -> str:
        """The text with `_` for what is quoted."""
        return shellwords.shape(self.text)


class Script(NamedTuple):
    simple: tuple[Simple, ...]  # all in it, in order
    deciding: tuple[Simple, ...]  # those that passed whenever the whole ends with 0
    refuses: bool = False  # never ends with 0


_NOTHING = Script((), ())


@lru_cache(maxsize=4096)
def script(command: str) -> Script:
    reader = _Reader(tuple(shellwords.tokens(command)))
    found = _NOTHING
    while reader.token:  # a `)` too many ends a list early
        part = reader.list(("",))
        found = Script(found.simple + part.simple, part.deciding, part.refuses)
        reader.place += 1
    return found


class _Reader:
    """Reads tokens from left to right; knows the options that are set and whether it may leave."""

    def __init__(self, tokens: tuple[tuple[str, bool], ...]) -> None:
        self.tokens = tokens
        self.place = 0
        self.depth = 0
        self.pipefail = self.errexit = self.may_leave = False

    @property
    def token(self) -> str:
        return self.tokens[self.place][0] if self.place < len(self.tokens) else ""

    @property
    def is_operator(self) -> bool:
        return self.place >= len(self.tokens) or self.tokens[self.place][1]

    def list(self, ends: tuple[str, ...]) -> Script:
        """Chains one after another, up to one of `ends` or a `)`: the last one decides, and under
        `set -e` those before it that can end the whole."""
        simple: tuple[Simple, ...] = ()
        kept: tuple[Simple, ...] = ()
        last, trapped = _NOTHING, False
        while self.token and self.token not in ends and self.token != ")":
            if self.is_operator and self.token in _ENDS:
                self.place += 1
                continue
            left, before = self.may_leave, self.place
            part, is_chain = self.chain()
            if self.place == before:  # an operator where none can be
                self.place += 1
                continue
            simple += part.simple
            if len(part.simple) == 1 and part.simple[0].words in _SAME_CODE:
                continue
            if left or (self.is_operator and self.token == "&"):
                part = Script(part.simple, ())
            kept += last.deciding if trapped else ()
            last, trapped = part, self.errexit and not is_chain
        return Script(simple, kept + last.deciding, last.refuses)

    def chain(self) -> tuple[Script, bool]:
        """Pipes joined by `&&` and `||`, and whether there is more than one."""
        found, is_chain = self.pipe(), False
        while self.is_operator and self.token in ("&&", "||"):
            operator, is_chain = self.token, True
            self.place += 1
            while self.token == "\n":
                self.place += 1
            right = self.pipe()
            simple = found.simple + right.simple
            if operator == "&&":
                deciding, refuses = found.deciding + right.deciding, found.refuses or right.refuses
            else:
                deciding = found.deciding if right.refuses else ()
                refuses = found.refuses and right.refuses
            found = Script(simple, deciding, refuses)
        return found, is_chain

    def pipe(self) -> Script:
        negated = False
        while self.token == "!" and not self.is_operator:
            self.place, negated = self.place + 1, True
        left = self.may_leave
        parts = [self.command()]
        while self.is_operator and self.token in ("|", "|&"):
            self.place += 1
            while self.token == "\n":
                self.place += 1
            parts.append(self.command())
        if len(parts) > 1:
            self.may_leave = left  # each part has a shell of its own
        simple = tuple(one for part in parts for one in part.simple)
        if negated:
            return Script(simple, ())
        counted = parts if self.pipefail else parts[-1:]
        return Script(
            simple, tuple(one for part in counted for one in part.deciding), parts[-1].refuses
        )

    def command(self) -> Script:
        if self.depth > 50:
            self.place = len(self.tokens)  # nobody writes that: it decides nothing
            return _NOTHING
        self.depth += 1
        try:
            if self.is_operator:
                return self.subshell() if self.token == "(" else _NOTHING
            if self.token == "{":
                self.place += 1
                found = self.list(("}",))
                self.place += self.token == "}"
                return found
            return self.compound() if self.token in _OPENING else self.simple()
        finally:
            self.depth -= 1

    def subshell(self) -> Script:
        options = self.pipefail, self.errexit, self.may_leave
        self.place += 1
        found = self.list(())
        self.place += self.token == ")"
        self.pipefail, self.errexit, self.may_leave = options
        return found

    def compound(self) -> Script:
        """A loop or condition: what is in it is there, and decides nothing."""
        simple: tuple[Simple, ...] = ()
        depth = 0
        while self.token:
            if self.is_operator or self.token in _BETWEEN:
                self.place += 1
            elif self.token in _OPENING:
                depth, self.place = depth + 1, self.place + 1
            elif self.token in _CLOSING:
                depth, self.place = depth - 1, self.place + 1
                if depth <= 0:
                    break
            else:
                simple += self.simple().simple
        return Script(simple, ())

    def simple(self) -> Script:
        words = []
        is_test = self.token == "[["
        while self.token and (not self.is_operator or is_test):
            words.append(self.token)
            self.place += 1
            if words[-1] == "]]":
                break
        found = (Simple(tuple(words)),)
        if self.is_operator and self.token == "(":  # a function
            return Script(found + self.subshell().simple + self.command().simple, ())
        if words[0] == "set":
            self.set(tuple(words[1:]))
        if words[0] in ("exit", "return"):
            code = words[1] if len(words) > 1 else ""
            if code.isdigit() and int(code) % 256:
                return Script(found, (), refuses=True)
            self.may_leave = True
        elif words[0] == "trap" and "exit" in " ".join(words):
            self.may_leave = True  # with any code, whatever the code was
        return Script(found, (), refuses=True) if words == ["false"] else Script(found, found)

    def set(self, options: tuple[str, ...]) -> None:
        for word, following in zip(options, (*options[1:], "")):
            if word[:1] not in ("-", "+"):
                continue
            on = word[0] == "-"
            if "e" in word or (word.endswith("o") and following == "errexit"):
                self.errexit = on
            if word.endswith("o") and following == "pipefail":
                self.pipefail = on
