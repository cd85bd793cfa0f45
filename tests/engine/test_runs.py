from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import runs
from engine.runs import Run
from tests.engine.builders import run

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)


def test_an_entry_of_a_plain_workbench_is_read() -> None:
    """Its runner writes an argv, and neither ids nor a source."""
    given = {"command": ["pytest", "-q"], "exit_code": 1, "stdout_tail": "E", "duration_ms": 12.7}
    assert runs.parse(given) == Run(
        id="",
        session_id="",
        command="pytest -q",
        exit_code=1,
        duration_ms=12,
        stdout_tail="E",
        source="runner",
    )


@pytest.mark.parametrize("value", [None, 3, "make", [], {}, {"command": 7}, {"exit_code": 0}])
def test_what_names_no_command_is_no_run(value: Any) -> None:
    assert runs.parse(value) is None


@pytest.mark.parametrize("code", [True, False, "0", 0.0, None, [0]])
def test_an_exit_code_that_is_no_whole_number_is_unknown(code: Any) -> None:
    parsed = runs.parse({"command": "make", "exit_code": code})
    assert parsed is not None
    assert parsed.exit_code is None


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1" + "0" * 400, "-1"])
def test_a_duration_that_none_can_have_is_unknown(number: str) -> None:
    parsed = runs.parse(json.loads(f'{{"command": "make", "duration_ms": {number}}}'))
    assert parsed is not None
    assert parsed.duration_ms is None


@pytest.mark.parametrize("source", ["hook", "transcript", "runner"])
def test_a_known_source_is_kept(source: str) -> None:
    parsed = runs.parse({"command": "make", "source": source})
    assert parsed is not None
    assert parsed.source == source


def test_a_source_that_the_packet_has_no_word_for_is_a_runner() -> None:
    parsed = runs.parse({"command": "make", "source": "somebody's wrapper"})
    assert parsed is not None
    assert parsed.source == "runner"


def test_the_lines_cut_of_both_outputs_are_added() -> None:
    parsed = runs.parse({"command": "m", "truncations": {"stdout": 3, "stderr": 4, "odd": -9}})
    assert parsed is not None
    assert parsed.lines_cut == 7


@given(st.dictionaries(st.sampled_from([*Run._fields, "truncations", "error"]), json_values))
def test_any_line_with_a_command_gives_a_run_of_the_right_types(value: dict[str, Any]) -> None:
    parsed = runs.parse({**value, "command": "make"})
    assert parsed is not None
    assert parsed.exit_code is None or type(parsed.exit_code) is int
    assert parsed.started_at is None or math.isfinite(parsed.started_at)
    assert parsed.lines_cut >= 0
    assert isinstance(parsed.stdout_tail, str)


def test_runs_of_one_id_are_one_in_the_order_of_their_first_appearance() -> None:
    first, second = run("make a", id="1"), run("make b", id="2")
    assert runs.merged([first, second, first]) == (first, second)


def test_a_known_exit_code_completes_an_unknown_one() -> None:
    hook = run(exit_code=None, id="1", started_at=10.0, stdout_tail="b")
    swept = run(exit_code=5, id="1", started_at=11.0, stdout_tail="a\nb", source="transcript")
    assert runs.merged([hook, swept]) == (swept._replace(started_at=10.0),)


def test_an_unknown_exit_code_takes_nothing_back() -> None:
    known = run(exit_code=0, id="1")
    assert runs.merged([known, run(exit_code=None, id="1"), run(exit_code=3, id="1")]) == (known,)


def test_runs_without_ids_are_all_different() -> None:
    same = run(id="")
    assert runs.merged([same, same]) == (same, same)
