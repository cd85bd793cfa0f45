"""What the recorded commands prove."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from . import shell
from .model import Finding
from .runs import Run

# What stands in front of a program without being it; quoted values are gone already.
_BEFORE = re.compile(
    r"\s*(?:(?:[A-Za-z_]\w*=\S*|time|command|exec|env|timeout(?: -\S+)* \S+|uv run|poetry run"
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
# Programs that answer a question with their exit code: 1 is "no", and no failure.
_QUESTIONS = re.compile(
    r"(?:(?:\[|\[\[|test|grep|[efz]grep|rg|ag|diff|cmp|comm|which|type|command|hash|pgrep|pidof|expr"
    r"|git(?: -\S+)* (?:diff|grep|check-ignore|merge-base|show-ref|rev-parse|config|ls-files))"
    r"(?=\s|$))"
)
# Programs whose failure says nothing about the project, whatever the code.
_LOOKS = re.compile(r"(?:ls|cat|find|git|kill)\b")
# Programs that end with the exit code of the one they run; the runner is our own.
_RUNNER = r"(?:\S*handoff|\S*python[\d.]* \S*\.handoff/engine) run (?:(?!-- ).){0,500}?-- "
_OUR_RUNNER = re.compile(f"^{_RUNNER}")
_PASSES_ON = re.compile(rf"(?:{_RUNNER}|(?:time|command|timeout(?: -[ks] [^\s-]\S*| -\S+)* \S+) )*")
MAX_COMPARED_CHARS = 5_000  # a longer text is no command that somebody runs again
_DID_NOT_RUN = (126, 127)
_ENDED_FROM_OUTSIDE = (130, 137, 143)  # SIGINT, SIGKILL, SIGTERM


def counts_as_verification(command: str, acceptance: Iterable[str]) -> bool:
    """Whether the command's exit code says that a check of the project passed or failed."""
    if any(_is_check(one) for one in shell.script(command).deciding):
        return True
    return any(is_run_of(command, wanted) for wanted in acceptance)


def findings(acceptance: Iterable[str], runs: tuple[Run, ...]) -> Iterator[Finding]:
    """What the recorded runs say against the commands that must pass; nothing is run."""
    for command in acceptance:
        last = last_run(command, runs)
        hidden = masked_run(command, runs) if last is None else None
        if hidden is not None:
            detail = f"`{hidden.command}` hides the exit code of `{command}`"
            if _same(hidden.command, command):
                detail = f"`{command}` hides the exit code of the check in it: configure it bare"
            yield Finding("acceptance.masked", "block", detail, hidden.id or None)
        elif last is None:
            detail = f"`{command}` did not run in this session"
            yield Finding("acceptance.missing", "block", detail)
        elif last.exit_code is None:
            why = f": {last.note}" if last.note else ""
            detail = f"how the last run of `{command}` ended is unknown{why}"
            yield Finding("feedback.null_exit", "block", detail, last.id or None)
        elif last.exit_code != 0:
            whole = "" if _same(last.command, command) else f", as a part of `{last.command}`"
            detail = f"`{command}` failed with exit code {last.exit_code}{whole}"
            yield Finding("acceptance.failed", "block", detail, last.id or None)


def last_program(command: str) -> str:
    """The simple command whose exit code the whole has, as far as a glance tells."""
    simple = shell.script(command).simple
    return _bare(simple[-1].shape) if simple else ""


def failed(record: Run) -> bool:
    """Whether it ended with a non-zero code that is no ordinary answer."""
    return record.exit_code not in (None, 0) and not is_answer(record)


def is_answer(record: Run) -> bool:
    """Whether a question was answered with no, as `grep` does that finds nothing."""
    return record.exit_code == 1 and bool(_QUESTIONS.match(last_program(record.command)))


def tells_of_trouble(record: Run) -> bool:
    """Whether its failure says something about the project: it was no question, no look around,
    and nobody ended it from outside, as a server is."""
    program = last_program(record.command)
    ordinary = _QUESTIONS.match(program) or _LOOKS.match(program)
    return failed(record) and not ordinary and not was_stopped(record)


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


def last_same(command: str, records: tuple[Run, ...]) -> Run | None:
    """The newest run of the very same command."""
    return next((one for one in reversed(records) if _same(one.command, command)), None)


def last_run(command: str, records: Iterable[Run]) -> Run | None:
    """The newest run of `command`, alone or as a part, whose exit code tells how it ended."""
    runs = [record for record in records if is_run_of(record.command, command)]
    return runs[-1] if runs else None


def masked_run(command: str, records: Iterable[Run]) -> Run | None:
    """The newest run of `command` whose exit code something else decided."""
    for record in reversed(tuple(records)):
        if not is_run_of(record.command, command) and _contains(record.command, command):
            return record
    return None


def unrepeated(records: Iterable[Run]) -> tuple[Run, ...]:
    """The runs whose command did not run again later, by itself or as a part."""
    seen: set[str] = set()
    found = []
    for record in reversed(tuple(records)):
        own = _normal(record.command)
        if own not in seen:
            found.append(record)
        seen.add(own)
        seen.update(_texts(shell.script(record.command).deciding))
    return tuple(reversed(found))


def is_run_of(command: str, wanted: str) -> bool:
    """Whether `command` ends with 0 only if `wanted` ran and passed."""
    if _same(command, wanted):
        script = shell.script(wanted)
        checks = [one for one in script.simple if _is_check(one)]
        if not script.deciding and not script.refuses:
            return False
        return not checks or any(map(_is_check, script.deciding))
    needed = _texts(shell.script(wanted).deciding)
    if not needed or not _contains(command, wanted):
        return False
    return needed <= _texts(shell.script(command).deciding)


def _contains(command: str, wanted: str) -> bool:
    """Whether all of `wanted` is in `command`, whatever becomes of its exit code."""
    if _same(command, wanted):
        return True
    parts = _texts(shell.script(wanted).simple)
    if not parts or not all(part.split(" ", 1)[0] in command for part in parts):
        return False  # a cheap no, before the command is taken apart
    return parts <= _texts(shell.script(command).simple)


def _texts(simple: tuple[shell.Simple, ...]) -> frozenset[str]:
    """The simple commands as text; a change of folder is none."""
    return frozenset(
        _PASSES_ON.sub("", one.text, count=1) for one in simple if one.words[0] != "cd"
    )


def _is_check(simple: shell.Simple) -> bool:
    return bool(_RUNNERS.match(_bare(simple.shape)))


def _same(left: str, right: str) -> bool:
    return left == right or _normal(left) == _normal(right)


@lru_cache(maxsize=4096)
def _normal(command: str) -> str:
    """The command without the `cd` into the project and the `2>&1` that agents put round it."""
    if len(command) > MAX_COMPARED_CHARS:
        return command
    bare = re.sub(r"^cd (?:'[^']*'|\"[^\"]*\"|\S+) && ", "", " ".join(command.split()))
    return re.sub(r" ?2>&1$", "", _OUR_RUNNER.sub("", bare))


def _bare(part: str) -> str:
    """A simple command from its program on."""
    return _BEFORE.sub("", " ".join(part.split()), count=1)
