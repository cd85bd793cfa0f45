"""What the recorded commands prove."""

from __future__ import annotations

import re
from collections.abc import Iterable

from .runs import Run

# What stands in front of a program without being it; quoted values are gone already.
_BEFORE = re.compile(
    r"[\s({]*(?:(?:[A-Za-z_]\w*=\S*|time|command|exec|env|timeout(?: -\S+)* \S+|uv run|poetry run"
    r"|pdm run|hatch run|npx|bunx|bundle exec)\s+)*"
)
# Programs whose exit code is a verdict on the project.
_RUNNERS = re.compile(
    r"(?:\S*/)?(?:pytest|py\.test|tox|nox|ruff|mypy|pyright|flake8|pylint|jest|vitest|mocha|eslint"
    r"|tsc|rspec|phpunit|ctest|prove|golangci-lint|pre-commit|shellcheck"
    r"|(?:python3?(?:\.\d+)?(?: -[A-Za-z]+)*?|coverage run) -m"
    r" (?:pytest|unittest|doctest|mypy|ruff|tox|nox)"
    r"|(?:npm|pnpm|yarn|bun)(?: run)? (?:t|test|lint|typecheck|check)\b"
    r"|cargo (?:test|check|clippy|nextest)|go (?:test|vet)|(?:make|just) (?:test|check|lint)"
    r"|mvn .*\b(?:test|verify)|gradlew? .*\b(?:test|check)|dotnet test|swift test|mix test"
    r"|deno (?:test|lint|check)|rake (?:test|spec))(?![\w./-])(?!.* --(?:version|help)\b)"
)
# What only looks like shell. A quote or here-document without its end was cut off: all of it.
_NOT_SHELL = re.compile(
    r"""'[^']*(?:'|\Z)|"(?:\\.|[^"\\])*(?:"|\Z)|\\.|(?:^|(?<=[\s;]))\#[^\n]*
    |(?<!<)<<-?[ \t]*(['"]?)(\w+)\1(?P<rest>[^\n]*)\n
        (?:(?:[^\n]*\n)*?[ \t]*\2[ \t]*(?=\n|\Z)|.*\Z)""",
    re.DOTALL | re.VERBOSE | re.MULTILINE,
)
_REDIRECTIONS = re.compile(r"\d?[<>]&\d?-?|&>>?|>\|")
_STOPS_AT_FAILURE = re.compile(r"\bset -(?:\w*e|o errexit)")
_IN_BACKGROUND = re.compile(r"(?<!&)&(?!&)")
_DID_NOT_RUN = (126, 127)
_ENDED_FROM_OUTSIDE = (130, 137, 143)  # SIGINT, SIGKILL, SIGTERM


def counts_as_verification(command: str, acceptance: Iterable[str]) -> bool:
    """Whether the command's exit code says that a check of the project passed or failed."""
    parts = _deciding(command)
    if any(_RUNNERS.match(_bare(part)) for part in parts):
        return True
    return bool(parts) and any(_same(command, wanted) for wanted in acceptance)


def last_program(command: str) -> str:
    """The simple command whose exit code the whole has, as far as a glance tells."""
    return _bare(re.split(r"[;\n|]|&&", _shell(command).strip(" ;&\n"))[-1])


def _deciding(command: str) -> list[str]:
    """The simple commands whose failure is the command's own: nothing before a `;`, in front of a
    pipe or `||`, or in the background."""
    shell = _shell(command)
    lists = [one for one in re.split(r"[;\n]", shell) if one.strip()]
    found: list[str] = []
    for one in lists if _STOPS_AT_FAILURE.search(shell) else lists[-1:]:
        piped = "|" in one and "pipefail" not in shell
        if not piped and "||" not in one and not _IN_BACKGROUND.search(one):
            found += one.split("&&")
    return found


def _shell(command: str) -> str:
    """The command without quoted text, here-documents, comments and redirections."""

    def instead(found: re.Match[str]) -> str:
        if found["rest"] is not None:
            return " " + _shell(found["rest"])
        return " " if found[0][0] == "#" or found[0] == "\\\n" else "_"

    return _REDIRECTIONS.sub(" ", _NOT_SHELL.sub(instead, command))


def failed(record: Run) -> bool:
    return record.exit_code is not None and record.exit_code != 0


def did_not_run(record: Run) -> bool:
    return record.exit_code in _DID_NOT_RUN


def was_stopped(record: Run) -> bool:
    """Whether a signal from outside ended it: a time-out, an interrupt, the session's end."""
    return record.exit_code in _ENDED_FROM_OUTSIDE


def resolving(record: Run, later: Iterable[Run]) -> Run | None:
    """The first later run of the same command that passed."""
    for other in later:
        if other.exit_code == 0 and _same(other.command, record.command):
            return other
    return None


def last_run(command: str, records: Iterable[Run]) -> Run | None:
    """The newest run of `command` whose exit code is its own."""
    runs = [record for record in records if _same(record.command, command)]
    return runs[-1] if runs else None


def _same(left: str, right: str) -> bool:
    return _normal(left) == _normal(right)


def _normal(command: str) -> str:
    """The command without the `cd` into the project and the `2>&1` that agents put round it."""
    bare = re.sub(r"^cd (?:'[^']*'|\"[^\"]*\"|\S+) && ", "", " ".join(command.split()))
    return re.sub(r" ?2>&1$", "", bare)


def _bare(part: str) -> str:
    """A simple command from its program on."""
    return _BEFORE.sub("", " ".join(part.split()), count=1)
