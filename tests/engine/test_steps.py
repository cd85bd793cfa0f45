from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

from engine import steps
from engine.model import AgentState, Feature, Snapshot, Workbench
from engine.records import Step
from engine.runs import Run
from tests.engine.builders import changed, commit, config, git, run, session, snapshot


def state(next_action: str, current: bool) -> AgentState:
    return AgentState(None, next_action, current, (), (), ())


def bench(given: Snapshot, **changes: Any) -> Snapshot:
    return given._replace(workbench=given.workbench._replace(**changes))


def with_state(given: Snapshot) -> Snapshot:
    return bench(given, state=state("rename `parse`", current=True))


def with_plan(given: Snapshot) -> Snapshot:
    plan = (Step("1", "parser", "done"), Step("2", "lint.py", "open"), Step("3", "docs", "open"))
    return given._replace(session=given.session._replace(plan=plan))


def with_feature(given: Snapshot) -> Snapshot:
    features = (Feature("F0", "todo", "x", ""), Feature("F1", "in_progress", "lint", "make lint"))
    return bench(given, features=features)


def with_acceptance(given: Snapshot) -> Snapshot:
    return given._replace(
        config=given.config._replace(acceptance_commands=("pytest -q",)),
        feedback=(run("pytest -q", 2),),
    )


def with_statement(given: Snapshot) -> Snapshot:
    return given._replace(session=given.session._replace(statement="Done.\nNext: write the docs"))


def with_older_state(given: Snapshot) -> Snapshot:
    return given if given.workbench.state else bench(given, state=state("old step", current=False))


def with_dirty_files(given: Snapshot) -> Snapshot:
    return given._replace(git=given.git._replace(dirty=("a.py",)))


SOURCES: list[tuple[Callable[[Snapshot], Snapshot], str, str]] = [
    (with_state, "state", "rename `parse`"),
    (with_plan, "plan", "lint.py"),
    (with_feature, "board", "continue feature F1: lint (done when `make lint` holds)"),
    (with_acceptance, "acceptance", "make `pytest -q` pass: it failed with exit code 2"),
    (with_statement, "statement", "write the docs"),
    (with_older_state, "state", "old step (set before this session: check that it still holds)"),
    (with_dirty_files, "repository", "review and commit, or stash, `a.py`"),
]


@pytest.mark.parametrize(("give", "source", "text"), SOURCES)
def test_each_source_alone_gives_the_step(
    give: Callable[[Snapshot], Snapshot], source: str, text: str
) -> None:
    assert steps.next_action(give(snapshot())) == (text, source)


@pytest.mark.parametrize(("first", "second"), list(pairwise(SOURCES)))
def test_the_earlier_source_wins(
    first: tuple[Callable[[Snapshot], Snapshot], str, str],
    second: tuple[Callable[[Snapshot], Snapshot], str, str],
) -> None:
    for order in ((first, second), (second, first)):
        given = snapshot()
        for give, _, _ in order:
            given = give(given)
        assert steps.next_action(given) == (first[2], first[1])


def test_nothing_to_do_is_none() -> None:
    assert steps.next_action(snapshot()) is None
    assert steps.next_action(snapshot(workbench=Workbench(state=state("  ", True)))) is None


def test_a_step_in_progress_comes_before_an_open_one() -> None:
    plan = (Step("1", "first", "open"), Step("2", "second", "in_progress"))
    assert steps.next_action(snapshot(session=session(plan=plan))) == ("second", "plan")


def test_a_finished_plan_tells_nothing() -> None:
    plan = (Step("1", "first", "done"), Step("2", "second", "done"))
    assert steps.next_action(snapshot(session=session(plan=plan))) is None


@pytest.mark.parametrize(
    ("feedback", "text"),
    [
        ((), "run `pytest -q`: it must pass and has not run in this session"),
        ((run("pytest -q", None),), "run `pytest -q` again: how its last run ended is unknown"),
        ((run("pytest -q", 0),), "run `make lint`: it must pass and has not run in this session"),
        (
            (run("make lint", 2), run("pytest -q", 0)),
            "make `make lint` pass: it failed with exit code 2",
        ),
    ],
)
def test_an_acceptance_command_that_did_not_pass_is_next(
    feedback: tuple[Run, ...], text: str
) -> None:
    given = config(acceptance_commands=("pytest -q", "make lint"))
    found = steps.next_action(snapshot(config=given, feedback=feedback))
    assert found == (text, "acceptance")


def test_acceptance_commands_that_passed_leave_the_floor_to_the_repository() -> None:
    given = snapshot(config=config(acceptance_commands=("pytest -q",)), feedback=(run(),))
    assert steps.next_action(given) is None


def test_without_acceptance_commands_a_red_check_is_next_before_other_red_commands() -> None:
    feedback = (run("python3 build.py", 1), run("pytest", 1))
    assert steps.must_pass(snapshot(feedback=feedback)) == (feedback[1], feedback[0])


@pytest.mark.parametrize(
    "feedback",
    [
        (run("pytest", 1), run("pytest", 0)),
        (run("pytest", 1), run("cd /app && pytest", 0)),
        (run("grep x y", 1),),
        (run("cd app && grep x y", 1),),
        (run("npm test | grep fail", 1),),
        (run("[ -f x ]", 1),),
        (run("git diff --exit-code", 1),),
        (run("pyhton x.py", 127),),
        (run("pytest", 127),),
        (run("npm run dev", 143),),
        (run("sleep 100", 137),),
        (run("python3 build.py", None),),
    ],
)
def test_what_is_no_trouble_need_not_pass(feedback: tuple[Run, ...]) -> None:
    assert steps.must_pass(snapshot(feedback=feedback)) == ()


def test_a_check_that_was_killed_has_to_pass() -> None:
    hung = run("pytest", 143)
    assert steps.must_pass(snapshot(feedback=(hung,))) == (hung,)


@pytest.mark.parametrize(
    ("said", "step"),
    [
        ("All good.\n\nNext: run lint.py", "run lint.py"),
        ("**Next step:** run lint.py", "run lint.py"),
        ("## Next steps:\n1. run lint.py\n2. docs", "run lint.py"),
        ("Remaining: run lint.py", "run lint.py"),
        ("TODO: run lint.py", "run lint.py"),
        ("Next：run lint.py", "run lint.py"),
        ("- Next action: *run lint.py*", "run lint.py"),
    ],
)
def test_a_statement_that_announces_a_step_gives_it(said: str, step: str) -> None:
    assert steps.next_action(snapshot(session=session(statement=said))) == (step, "statement")


@pytest.mark.parametrize(
    "said",
    [
        "Done.",
        "The next step is yours",
        "Next",
        "Next:",
        "nextstep: x",
        "Remaining: none.",
        "TODO: -",
    ],
)
def test_other_statements_announce_nothing(said: str) -> None:
    assert steps.next_action(snapshot(session=session(statement=said))) is None


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (
            git(dirty=tuple("abcde"), changed=(changed("a", committed=False),), ahead=2),
            "review and commit, or stash, `a`, `b`, `c` and 2 more",
        ),
        (git(ahead=2, upstream="o/main"), "push 2 commits of `main` and open a pull request"),
        (
            git(remotes=True, commits=(commit(),)),
            "push `main` (1 commit in this session) and open a pull request",
        ),
    ],
)
def test_the_repository_tells_the_step_that_is_left(given: Snapshot, text: str) -> None:
    assert steps.next_action(snapshot(git=given)) == (text, "repository")


def test_commits_without_a_remote_need_no_push() -> None:
    assert steps.next_action(snapshot(git=git(commits=(commit(),)))) is None


def test_at_the_very_end_the_next_feature_is_next() -> None:
    features = (Feature("F1", "done", "x", ""), Feature("F2", "todo", "docs", ""))
    found = steps.next_action(snapshot(workbench=Workbench(features=features)))
    assert found == ("take the next feature, F2: docs", "repository")


def test_a_step_is_one_line_and_cut_with_a_mark() -> None:
    long = state("a\n\tb " + "c" * 900, current=True)
    found = steps.next_action(snapshot(workbench=Workbench(state=long)))
    assert found is not None
    assert found.text.startswith("a b ccc")
    assert (len(found.text), found.text[-1]) == (steps.MAX_CHARS, "…")


def test_a_step_fits_the_schema_also_when_its_bytes_are_written_out() -> None:
    paths = tuple(f"{n}{chr(0xDCE9) * 200}" for n in range(3))
    found = steps.next_action(snapshot(git=git(dirty=paths)))
    assert found is not None
    shown = found.text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    assert len(shown) <= steps.MAX_CHARS
