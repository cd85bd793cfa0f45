from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import verdict
from engine.model import Finding
from engine.runs import Run
from tests.engine.builders import run


@pytest.mark.parametrize(
    "command",
    [
        "pytest",
        "pytest -q tests/test_parser.py::test_empty",
        "pytest && echo ok",
        "cd app && pytest -q",
        "cd app; pytest -q",
        "cd 'my app' && CI=1 pytest",
        "export CI=1\npytest -q",
        "CI=1 LEVEL='a b' pytest -q",
        "env CI=1 pytest",
        "time pytest",
        "timeout 60 pytest -q",
        "(cd app && pytest -q)",
        ".venv/bin/pytest -q",
        "/usr/bin/python3.11 -m pytest",
        "python -m unittest -q",
        "python3 -B -m unittest",
        "coverage run -m pytest",
        "uv run pytest",
        "uv run python -m pytest",
        "npx jest",
        "./node_modules/.bin/eslint src",
        "npm test",
        "npm run test:unit",
        "pnpm lint",
        "make test",
        "just check",
        "cargo clippy -- -D warnings",
        "go vet ./...",
        "./gradlew build test",
        "mvn -q verify",
        "pytest 2>&1",
        "pytest > log.txt 2>&1",
        "pytest &> log.txt",
        "pytest >| log.txt",
        "pytest -k 'a | b; c || d & e'",
        'pytest -k "a | b" -m "x; y"',
        "pytest # then | tail; echo",
        "pytest \\\n  -q",
        "git add . && \\\n  pytest",
        "mkdir -p out || true; pytest",
        "set -o pipefail; pytest | tee log.txt",
        "set -euo pipefail\npytest -q | tail -5\necho done",
        "set -e; pytest; echo done",
        "trap 'rm -rf out' EXIT; pytest",
        "pytest || exit 1",
        "pytest || { echo bad; exit 1; }",
        "pytest; exit $?",
        "set -o pipefail; mkdir -p out; pytest | tee log.txt",
        "cat > a.py <<'EOF'\nx = 'it is'\nEOF\npytest -q",
    ],
)
def test_the_exit_code_of_a_check_counts(command: str) -> None:
    assert verdict.counts_as_verification(command, ())


@pytest.mark.parametrize(
    "command",
    [
        "pytest | tail",
        "pytest 2>&1 | tail -20",
        "pytest |& tee log.txt",
        "pytest -q | grep -c passed",
        "pytest || true",
        "pytest || echo failed",
        "pytest; echo done",
        "pytest\necho done",
        "pytest &",
        "pytest & sleep 1",
        "pytest > log.txt 2>&1 &",
        "set -o pipefail; pytest | tail; echo done",
        "pytest | tail # pipefail would help",
        "! pytest",
        "for t in a b; do pytest $t; done; ls",
        "trap 'exit 0' EXIT; pytest",
        "trap 'rm -rf out; exit 0' 0\npytest -q",
        "pytest || :",
        "pytest || exit 0",
        "pytest && echo ok || echo bad",
        "{ pytest; true; }",
        "(pytest; exit 0)",
        "if pytest; then echo ok; fi",
        "while ! pytest; do sleep 1; done",
        "set -o pipefail; set +o pipefail; pytest | tail",
        "set +e; pytest; echo $?",
        "timeout 60 pytest -q | tee log.txt",
        "bash -c 'pytest -q | tail'",
        'sh -c "pytest -q || true"',
        "eval 'pytest | tail'",
        "echo $(pytest)",
        "coproc pytest",
        "pytest & wait",
    ],
)
def test_an_exit_code_that_something_else_decides_does_not_count(command: str) -> None:
    assert not verdict.counts_as_verification(command, ())


@pytest.mark.parametrize(
    "command",
    [
        "ls",
        "cat pytest.ini",
        "grep pytest setup.cfg",
        "pip install pytest",
        "./pytest-helper.sh",
        "pytest-watch",
        "pytest --version",
        "ruff --help",
        "npm run build",
        "npm run testify",
        "make",
        "echo 'x && pytest'",
        "git commit -m 'run it with\npytest -q'",
        'git commit -m "fix && pytest passes"',
        "cat > ci.sh <<'EOF'\npytest -q\nEOF",
        "cat > ci.sh <<EOF && chmod +x ci.sh\nset -e\npytest\nEOF",
        "cat <<'EOF' > cut.sh\nls &&\npytest -q […900 characters cut]",
        "git commit -m 'a message that was cut &&\npytest […900 characters cut]",
        "",
    ],
)
def test_other_commands_verify_nothing(command: str) -> None:
    assert not verdict.counts_as_verification(command, ())


def test_an_acceptance_command_counts_whatever_it_is() -> None:
    assert verdict.counts_as_verification("./verify.sh  --all", ["./verify.sh --all"])
    assert verdict.counts_as_verification("cd app && ./verify.sh 2>&1", ["./verify.sh"])
    assert not verdict.counts_as_verification("./verify.sh | tail", ["./verify.sh"])
    assert not verdict.counts_as_verification("./other.sh", ["./verify.sh"])


@given(st.text(st.sampled_from("ab '\"\\|&;<>#$()\n-=EOF"), max_size=60))
def test_any_text_can_be_asked(command: str) -> None:
    assert verdict.counts_as_verification(command, [command]) in (True, False)
    assert isinstance(verdict.last_program(command), str)


@pytest.mark.parametrize("unit", ["<<E\n", "'", '"\\', "A=b ", "timeout -k ", "a/", "x && ", "#"])
def test_no_command_makes_it_slow(unit: str) -> None:
    before = time.process_time()
    verdict.counts_as_verification(unit * (20_000 // len(unit)), ())
    assert time.process_time() - before < 2  # seconds


@pytest.mark.parametrize(
    ("command", "program"),
    [
        ("grep -q x file", "grep -q x file"),
        ("cd app && CI=1 grep x", "grep x"),
        ("npm test | grep fail", "grep fail"),
        ("ls; [ -f x ];", "[ -f x ]"),
        ("a || b", "b"),
    ],
)
def test_the_last_program_is_the_one_that_decides(command: str, program: str) -> None:
    assert verdict.last_program(command) == program


@pytest.mark.parametrize(
    ("code", "failed", "did_not_run", "was_stopped"),
    [
        (None, False, False, False),
        (0, False, False, False),
        (1, True, False, False),
        (-1, True, False, False),
        (126, True, True, False),
        (127, True, True, False),
        (130, True, False, True),
        (137, True, False, True),
        (143, True, False, True),
        (139, True, False, False),
    ],
)
def test_what_an_exit_code_says(
    code: int | None, failed: bool, did_not_run: bool, was_stopped: bool
) -> None:
    record = run(exit_code=code)
    assert verdict.failed(record) == failed
    assert verdict.did_not_run(record) == did_not_run
    assert verdict.was_stopped(record) == was_stopped


def test_a_failure_is_resolved_by_the_first_later_pass_of_the_same_command() -> None:
    later = [run("ls"), run("cd /app && pytest -q", 1), run("pytest  -q", id="x"), run(id="y")]
    assert verdict.resolving(run(exit_code=1), later) == later[2]
    assert verdict.resolving(run("make", 1), later) is None


@pytest.mark.parametrize(
    "same", ["pytest -q", " pytest   -q ", "cd /app && pytest -q", 'cd "a b" && pytest -q 2>&1']
)
def test_the_last_run_of_a_command_is_found_however_it_was_called(same: str) -> None:
    records = [run(exit_code=1), run(same), run("pytest -q | tail", 0), run("pytest -qq")]
    assert verdict.last_run("pytest -q", records) == records[1]


def test_a_command_that_never_ran_has_no_last_run() -> None:
    assert verdict.last_run("make test", [run()]) is None


@pytest.mark.parametrize(
    "command",
    [
        "set -o pipefail; pytest -q | tee log.txt",
        'echo "a | b" && pytest -q',
        "yes | pytest -q",
        "pytest -q || exit 1",
        "pytest -q || { echo red; exit 1; }",
        "pytest -q; exit $?",
        "pytest -q; exit",
        "pytest -q && (echo green; exit 0)",
        "(set -o pipefail; pytest -q | tail)",
        "{ pytest -q; }",
        "diff <(echo a | sort) b.txt && pytest -q",
        'echo "$(echo "a | b"; date)" && pytest -q',
        "if [ -f setup.sh ]; then . ./setup.sh | cat; fi; pytest -q",
        "[[ -f a || -f b ]] && pytest -q",
        "set -e; pytest -q; exit 0",
        "timeout -k 5 60 pytest -q",
        "command time pytest -q",
        "handoff run --timeout 60 -- pytest -q",
        "python3 .handoff/engine run -- pytest -q",
    ],
)
def test_a_run_of_an_acceptance_command_is_found_wherever_it_decides(command: str) -> None:
    assert verdict.last_run("pytest -q", [run(command)]) == run(command)
    assert list(verdict.findings(["pytest -q"], (run(command),))) == []


@pytest.mark.parametrize(
    "command",
    [
        "pytest -q | tail -3",
        "pytest -q || true",
        "pytest -q; echo done",
        "pytest -q 2>&1 | grep -c passed",
        "(pytest -q; exit 0)",
        "pytest -q &",
        "! pytest -q",
        "if pytest -q; then echo green; fi",
        "while pytest -q; do date; done",
        "test() { pytest -q; }; test",
        "set -o pipefail; set +o pipefail; pytest -q | tee log",
        "(set -o pipefail); pytest -q | tee log",
        "[ -f app ] || exit 0; pytest -q",
        "true || pytest -q",
        "set -e; pytest -q && echo green; echo done",
        "set -e; pytest -q || true",
    ],
)
def test_a_run_whose_exit_code_something_else_decides_is_masked(command: str) -> None:
    hidden = run(command, id="7")
    assert verdict.last_run("pytest -q", [hidden]) is None
    assert list(verdict.findings(["pytest -q"], (hidden,))) == [
        Finding(
            "acceptance.masked", "block", f"`{command}` hides the exit code of `pytest -q`", "7"
        )
    ]
    assert list(verdict.findings(["pytest -q"], (run(), hidden))) == []


@pytest.mark.parametrize(
    ("records", "finding"),
    [
        ((), Finding("acceptance.missing", "block", "`pytest -q` did not run in this session")),
        (
            (run("pytest -q tests/a.py"), run("echo 'pytest -q'")),
            Finding("acceptance.missing", "block", "`pytest -q` did not run in this session"),
        ),
        (
            (run(), run(exit_code=2, id="9")),
            Finding("acceptance.failed", "block", "`pytest -q` failed with exit code 2", "9"),
        ),
        (
            (run("make && pytest -q", 2, id="9"),),
            Finding(
                "acceptance.failed",
                "block",
                "`pytest -q` failed with exit code 2, as a part of `make && pytest -q`",
                "9",
            ),
        ),
        (
            (run(exit_code=None, id="9", note="timed out after 5 s"),),
            Finding(
                "feedback.null_exit",
                "block",
                "how the last run of `pytest -q` ended is unknown: timed out after 5 s",
                "9",
            ),
        ),
    ],
)
def test_what_the_records_say_against_an_acceptance_command(
    records: tuple[Run, ...], finding: Finding
) -> None:
    assert list(verdict.findings(["pytest -q"], records)) == [finding]


def test_an_acceptance_command_of_several_parts_ran_when_all_of_them_did() -> None:
    wanted = "ruff check . && pytest -q"
    assert verdict.last_run(wanted, [run("pytest -q")]) is None
    assert verdict.last_run(wanted, [run("make; ruff check . && pytest -q && date")]) is not None


def test_an_acceptance_command_that_masks_itself_never_passes() -> None:
    (finding,) = verdict.findings(["pytest -q | tail"], (run("pytest -q | tail", 0),))
    assert finding.code == "acceptance.masked"
    assert list(verdict.findings(["./check.sh | grep OK"], (run("./check.sh | grep OK"),))) == []


@pytest.mark.parametrize(
    ("command", "code", "failed"),
    [
        ("grep -c TODO a.py", 1, False),
        ("cd app && diff a b", 1, False),
        ("[ -f x ]", 1, False),
        ("git diff --quiet", 1, False),
        ("which node", 1, False),
        ("grep x nosuchfile", 2, True),
        ("git push", 1, True),
        ("testify", 1, True),
        ("grep x a && pytest", 1, True),
    ],
)
def test_an_ordinary_answer_is_no_failure(command: str, code: int, failed: bool) -> None:
    assert verdict.failed(run(command, code)) == failed


def test_the_newest_run_of_each_command_is_unrepeated() -> None:
    records = (run("a"), run("b", 1), run("a", 1), run("cd x && b && c"), run("c | d"))
    assert verdict.unrepeated(records) == records[2:]


def test_many_commands_are_judged_quickly() -> None:
    records = tuple(
        run(f"cd app && step {n} | tee log{n} && make {n}", n % 2) for n in range(4_000)
    )
    before = time.process_time()
    verdict.unrepeated(records)
    list(verdict.findings(["pytest -q", "make lint"], records))
    assert time.process_time() - before < 3  # seconds


@pytest.mark.parametrize(
    "unit",
    [
        "timeout -k ",
        "timeout -k 5 ",
        "time ",
        "handoff run ",
        "a/",
        "$(",
        '"$(a',
        "(",
        "<<E <",
        "`",
    ],
)
def test_no_command_makes_the_search_for_another_slow(unit: str) -> None:
    command = unit * (20_000 // len(unit))
    before = time.process_time()
    for wanted in (command, "timeout -k 5 9 pytest"):
        verdict.is_run_of(command, wanted)
        verdict.is_run_of(wanted, command)
        verdict.is_run_of(command + " pytest; timeout -k 5 9 pytest", wanted)
    assert time.process_time() - before < 3  # seconds
