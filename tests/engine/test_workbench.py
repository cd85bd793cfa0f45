from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import workbench
from engine.model import AgentState, Feature, Finding, Report, Review
from engine.workbench import Reader

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)


def wrong(path: str, key: str, expected: str) -> Finding:
    return Finding("artifact.malformed", "warn", f"`{path}`: `{key}` must be {expected}")


def test_a_state_is_read() -> None:
    reader = Reader("agent_state.json")
    value = {
        "schema_version": 1,
        "active_task_id": "T-1",
        "touched_files": ["a.py"],
        "assumptions": ["lines end in \\n", " "],
        "blockers": ["no network"],
        "questions": ["keep empty lines?"],
        "next_action": " run lint.py ",
    }
    assert workbench.agent_state(reader, value, current=True) == AgentState(
        active_task="T-1",
        next_action="run lint.py",
        current=True,
        assumptions=("lines end in \\n",),
        blockers=("no network",),
        questions=("keep empty lines?",),
    )
    assert reader.problems == []


def test_missing_keys_of_a_state_are_fine() -> None:
    reader = Reader("agent_state.json")
    state = workbench.agent_state(reader, {"active_task_id": None}, current=False)
    assert state == AgentState(None, "", False, (), (), ())
    assert reader.problems == []


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ([], ("(top level)", "an object")),
        ({"next_action": ["a"]}, ("next_action", "a string")),
        ({"active_task_id": 3}, ("active_task_id", "a string")),
        ({"assumptions": "one"}, ("assumptions", "a list of strings")),
        ({"blockers": [1]}, ("blockers", "a list of strings")),
        ({"questions": [None]}, ("questions", "a list of strings")),
    ],
)
def test_a_wrong_key_of_a_state_is_named_and_the_rest_is_used(
    value: Any, problem: tuple[str, str]
) -> None:
    reader = Reader("work/state.json")
    given = {"next_action": "go on", **value} if isinstance(value, dict) else value
    state = workbench.agent_state(reader, given, current=True)
    assert reader.problems == [wrong("work/state.json", *problem)]
    if isinstance(value, dict) and "next_action" not in value:
        assert state.next_action == "go on"


def test_a_board_is_read() -> None:
    reader = Reader("feature_list.json")
    board = {
        "project": "p",
        "active": "F1",
        "features": [
            {"id": "F1", "status": "in_progress", "goal": "lint", "done_when": "make lint"},
            {"id": "F2", "status": "todo", "goal": "docs"},
        ],
    }
    assert workbench.features(reader, board) == (
        Feature("F1", "in_progress", "lint", "make lint"),
        Feature("F2", "todo", "docs", ""),
    )
    assert reader.problems == []


def test_the_older_board_is_read() -> None:
    reader = Reader("task_board.json")
    task = {"id": "T-001", "goal": "g", "owner": "builder", "status": "todo"}
    board = [{**task, "acceptance": ["make lint", "make test"]}, task]
    assert workbench.features(reader, board) == (
        Feature("T-001", "todo", "g", "make lint && make test"),
        Feature("T-001", "todo", "g", ""),
    )
    assert reader.problems == []


@pytest.mark.parametrize(
    ("board", "key", "expected"),
    [
        ({"features": {}}, "features", "a list"),
        ("x", "(top level)", "an object"),
        ({"features": [{"status": "todo", "done_when": ["a"]}]}, "done_when", "a string"),
        ({"features": [{"status": "todo", "id": 7}]}, "id", "a string"),
        ([{"status": "todo", "acceptance": [1]}], "acceptance", "a list of strings"),
        (
            {"features": [{"status": "doing"}]},
            "features[0].status",
            "one of todo, in_progress, done, blocked",
        ),
    ],
)
def test_what_is_wrong_with_a_board_is_named(board: Any, key: str, expected: str) -> None:
    reader = Reader("b.json")
    workbench.features(reader, board)
    assert reader.problems == [wrong("b.json", key, expected)]


def test_a_verification_report_is_read() -> None:
    reader = Reader("v.json")
    findings = [
        {"code": "scope.off_scope", "severity": "warn", "detail": "touched x"},
        {"code": "odd", "severity": "fatal", "detail": "d"},
    ]
    report = workbench.verification(reader, {"passed": False, "findings": findings}, older=False)
    assert report == Report(
        "v.json",
        False,
        (Finding("scope.off_scope", "warn", "touched x"), Finding("odd", "warn", "d")),
    )
    assert reader.problems == [wrong("v.json", "findings[1].severity", "one of info, warn, block")]


@pytest.mark.parametrize("value", [{}, {"passed": "yes"}, {"passed": 1}])
def test_a_report_without_a_verdict_is_none(value: Any) -> None:
    reader = Reader("v.json")
    assert workbench.verification(reader, value, older=False) is None
    assert reader.problems == [wrong("v.json", "passed", "true or false")]


def test_a_review_is_read_with_its_score_of_the_assumptions() -> None:
    reader = Reader("r.json")
    dimensions = [{"name": "problem_fit", "score": 2}, {"name": "assumptions", "score": 1}]
    value = {"total": 6, "verdict": "soft_fail", "dimensions": dimensions}
    assert workbench.review(reader, value) == Review("r.json", 6, "soft_fail", 1)
    assert reader.problems == []


@pytest.mark.parametrize("total", [None, "7", True, 7.5])
def test_a_review_without_a_total_is_none(total: Any) -> None:
    reader = Reader("r.json")
    assert workbench.review(reader, {"total": total}) is None
    assert reader.problems == [wrong("r.json", "total", "a whole number")]


@given(
    st.dictionaries(
        st.sampled_from(
            ["next_action", "assumptions", "features", "passed", "findings", "total", "dimensions"]
        ),
        json_values,
    )
    | json_values
)
def test_no_artifact_can_break_its_reader(value: Any) -> None:
    reader = Reader("x.json")
    workbench.agent_state(reader, value, current=True)
    workbench.features(reader, value)
    workbench.verification(reader, value, older=False)
    workbench.review(reader, value)
    assert all(problem.severity == "warn" for problem in reader.problems)
