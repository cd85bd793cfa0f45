"""What the recorded commands prove."""

from __future__ import annotations

import re
from collections.abc import Iterable

from .runs import Run

_ASSIGNMENTS = re.compile(r"^(?:[A-Za-z_]\w*=\S*\s+)+")
_WRAPPERS = re.compile(
    r"^(?:(?:time|command|env|uv run|poetry run|pdm run|hatch run|npx|bunx|bundle exec)\s+)+"
)
# Programs whose exit code is a verdict on the project.
_RUNNERS = re.compile(
    r"(?:pytest|py\.test|tox|nox|ruff|mypy|pyright|flake8|pylint|jest|vitest|mocha|eslint|tsc|rspec"
    r"|phpunit|ctest|prove|golangci-lint|pre-commit|shellcheck"
    r"|python3?(?:\.\d+)? -m (?:pytest|unittest|doctest|mypy|ruff|tox|nox)"
    r"|(?:npm|pnpm|yarn|bun)(?: run)? (?:t|test|lint|typecheck|check)\b"
    r"|cargo (?:test|check|clippy|nextest)|go (?:test|vet)|(?:make|just) (?:test|check|lint)"
    r"|mvn .*\b(?:test|verify)|(?:\./)?gradlew? .*\b(?:test|check)|dotnet test|swift test|mix test"
    r"|deno (?:test|lint|check)|rake (?:test|spec))(?![\w./-])"
)
_DID_NOT_RUN = (126, 127)


def counts_as_verification(command: str, acceptance: Iterable[str]) -> bool:
    """Whether the command's exit code says that a check of the project passed or failed."""
    if masks_its_exit_code(command):
        return False
    if any(_same(command, wanted) for wanted in acceptance):
        return True
    return any(_RUNNERS.match(_bare(part)) for part in re.split(r"&&|\n", command))


def masks_its_exit_code(command: str) -> bool:
    """Whether something else decides the exit code: `| tail`, `|| true`, `; echo`, `&`."""
    unquoted = re.sub(r"'[^']*'|\"(?:\\.|[^\"\\])*\"|\\.", "_", command)
    unquoted = re.sub(r"\d?[<>]&\d?-?|&>>?", " ", unquoted).strip()
    if "||" in unquoted or unquoted.endswith("&"):
        return True
    return bool(re.search(r"[|;]", unquoted)) and "pipefail" not in unquoted


def failed(record: Run) -> bool:
    return record.exit_code is not None and record.exit_code != 0


def did_not_run(record: Run) -> bool:
    return record.exit_code in _DID_NOT_RUN


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
    """The command without the `cd` into the project that agents put in front."""
    return re.sub(r"^cd \S+ && ", "", " ".join(command.split()))


def _bare(part: str) -> str:
    return _WRAPPERS.sub("", _ASSIGNMENTS.sub("", " ".join(part.split())))
