from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import session, sweep
from engine.records import (
    Call,
    Plan,
    PlanChange,
    Prompt,
    Record,
    Reply,
    Result,
    Skipped,
    Step,
    Usage,
    Use,
)
from engine.runtimes.base import (
    COMMAND,
    PRE_COMPACT,
    PROMPT,
    SESSION_END,
    SESSION_START,
    TURN_END,
    HookEvent,
)
from engine.session import Heard, Session
from tests.engine.builders import odd_text

NOW = 1_796_008_115.5
SECRET = "ghp_" + "a1B2" * 9

steps = st.builds(Step, odd_text, odd_text, st.sampled_from(["open", "in_progress", "done"]))
calls = st.builds(Call, odd_text, odd_text, st.none() | st.floats(0, 2e9), st.none() | odd_text)


def event(kind: str, **fields: Any) -> HookEvent:
    return HookEvent(
        kind=kind, native_id="S-1", transcript=fields.pop("transcript", None), **fields
    )


def fresh() -> Session:
    return session.new("claude-code", "S-1")


def test_a_new_session_has_a_safe_id_and_keeps_the_native_one() -> None:
    one = session.new("codex", "../Evil")
    assert (one.runtime, one.native_id) == ("codex", "../Evil")
    assert "/" not in one.id
    assert (one.topic, one.turns, one.busy, one.goal) == ("default", 0, False, None)


times = st.none() | st.floats(0, 2e9)
uses = st.builds(Use, odd_text, odd_text, odd_text, times, st.none() | odd_text)


@given(
    st.builds(
        Session,
        id=odd_text,
        runtime=odd_text,
        native_id=odd_text,
        goal=st.none() | odd_text,
        started_at=times,
        last_event_at=times,
        ended_at=times,
        told_at=times,
        heard=st.lists(st.builds(Heard, odd_text, odd_text, st.integers(0)), max_size=3).map(tuple),
        recovered=st.booleans(),
        offset=st.integers(0),
        plan=st.lists(steps, max_size=3).map(tuple),
        pending=st.lists(calls, max_size=3).map(tuple),
        uses=st.lists(uses, max_size=3).map(tuple),
    )
)
def test_a_session_written_as_json_reads_back(one: Session) -> None:
    assert session.parse(json.loads(json.dumps(session.value(one)))) == one


@pytest.mark.parametrize(
    "value",
    [
        None,
        [],
        {},
        {"schema_version": 2, "id": "a", "runtime": "b", "native_id": "c"},
        {"schema_version": 1, "id": "a"},
        {"schema_version": 1, "id": "a", "runtime": "b", "native_id": "c", "plan": 3},
        {"schema_version": 1, "id": "a", "runtime": "b", "native_id": "c", "pending": [["x"]]},
    ],
)
def test_another_shape_is_no_session(value: Any) -> None:
    assert session.parse(value) is None


def test_keys_of_a_newer_record_are_left_out() -> None:
    assert session.parse({**session.value(fresh()), "colour": "red"}) == fresh()


def test_a_start_is_remembered_and_a_later_one_keeps_the_first_time() -> None:
    one = session.after_event(fresh(), event(SESSION_START, transcript="/t.jsonl"), NOW)
    two = session.after_event(one, event(SESSION_START), NOW + 60)
    assert (one.started_at, one.last_event_at, one.transcript) == (NOW, NOW, "/t.jsonl")
    assert (two.started_at, two.last_event_at, two.transcript) == (NOW, NOW + 60, "/t.jsonl")


def test_the_first_human_words_are_the_goal() -> None:
    one = session.after_event(fresh(), event(PROMPT, prompt=""), NOW)
    assert (one.goal, one.busy) == (None, True)
    two = session.after_event(one, event(PROMPT, prompt=" fix it\n"), NOW)
    three = session.after_event(two, event(PROMPT, prompt="and then this"), NOW)
    assert (two.goal, three.goal) == ("fix it", "fix it")


def test_a_turn_ends_with_the_agent_s_last_words() -> None:
    one = session.after_event(fresh()._replace(busy=True), event(TURN_END, statement="Done."), NOW)
    assert (one.busy, one.statement) == (False, "Done.")
    assert session.after_event(one, event(TURN_END, statement=" "), NOW).statement == "Done."
    assert session.after_event(one, event(TURN_END), NOW).statement == "Done."


def test_the_same_end_twice_changes_nothing() -> None:
    end = event(SESSION_END, reason="other")
    one = session.after_event(fresh(), end, NOW)
    assert (one.ended_at, one.end_reason) == (NOW, "other")
    assert session.after_event(one, event(SESSION_END, reason="clear"), NOW + 9) == one


@pytest.mark.parametrize("kind", [TURN_END, PRE_COMPACT])
def test_a_checkpoint_moves_no_time(kind: str) -> None:
    """The same inputs give the same bytes: only what happened has a time."""
    one = session.after_event(fresh(), event(SESSION_START), NOW)
    assert session.after_event(one, event(kind), NOW + 60) == one


@pytest.mark.parametrize("kind", [SESSION_START, PROMPT])
def test_a_session_that_goes_on_is_open_again(kind: str) -> None:
    ended = fresh()._replace(ended_at=NOW, end_reason="other", recovered=True)
    one = session.after_event(ended, event(kind), NOW + 60)
    assert (one.ended_at, one.end_reason, one.recovered) == (None, None, False)


def test_a_plan_from_a_hook_replaces_the_one_before() -> None:
    one = fresh()._replace(plan=(Step("1", "old", "open"),))
    plan = (Step("1", "lint", "in_progress"), Step("2", f"use {SECRET}", "open"))
    after = session.after_event(one, event(COMMAND, plan=plan), NOW)
    assert after.plan == (plan[0], Step("2", "use [redacted:github-token]", "open"))
    assert session.after_event(after, event(COMMAND, plan=()), NOW).plan == ()


def test_records_are_folded_in_order() -> None:
    found: list[Record] = [
        Prompt("fix it", NOW),
        Call("1", "pytest", NOW),
        Usage(100, None),
        Skipped("not JSON"),
        Result("1", 1, "out", "err", NOW + 1.5),
        Reply("Half done.", NOW),
        Prompt("go on", NOW),
        Usage(200, 1_000),
        Usage(300, None),
        Reply("Done.", NOW),
    ]
    after, commands, _ = sweep.after_records(fresh(), found)
    assert (after.goal, after.turns, after.statement) == ("fix it", 2, "Done.")
    assert (after.used_tokens, after.window_tokens) == (300, 1_000)
    assert (after.records, after.skipped) == (9, 1)
    (entry,) = commands
    assert (entry["command_id"], entry["command"], entry["exit_code"]) == ("1", "pytest", 1)
    assert (entry["started_at"], entry["duration_ms"]) == (NOW, 1_500)
    assert (entry["stdout_tail"], entry["stderr_tail"]) == ("out", "err")
    assert (entry["source"], entry["session_id"]) == ("transcript", after.id)


def test_counts_go_on_where_the_last_sweep_ended() -> None:
    once, _, _ = sweep.after_records(fresh(), [Prompt("a", None), Skipped("x")])
    twice, _, _ = sweep.after_records(once, [Prompt("b", None), Skipped("x")])
    assert (twice.turns, twice.records, twice.skipped, twice.goal) == (2, 2, 2, "a")


def test_a_call_waits_for_its_result_across_sweeps_and_restarts() -> None:
    waiting, commands, _ = sweep.after_records(fresh(), [Call("1", "make", NOW)])
    assert commands == ()
    assert sweep.unfinished(waiting)[0]["exit_code"] is None
    assert sweep.unfinished(waiting)[0]["error"] == "its end was not seen"
    back = session.parse(json.loads(json.dumps(session.value(waiting))))
    assert back is not None
    done, commands, _ = sweep.after_records(back, [Result("1", 0, "", "", NOW)])
    assert [entry["exit_code"] for entry in commands] == [0]
    assert sweep.unfinished(done) == ()


def test_results_in_another_order_find_their_calls() -> None:
    found: list[Record] = [
        Call("1", "a", None),
        Call("2", "b", None),
        Result("2", 2, "", "", None),
        Result("1", 1, "", "", None),
        Result("3", 3, "", "", None),
    ]
    _, commands, _ = sweep.after_records(fresh(), found)
    assert [(entry["command"], entry["exit_code"]) for entry in commands] == [("b", 2), ("a", 1)]


def test_calls_that_never_end_do_not_pile_up() -> None:
    many = [Call(str(n), "x", None) for n in range(80)]
    after, _, _ = sweep.after_records(fresh(), many)
    assert len(after.pending) == sweep.MAX_PENDING
    assert after.pending[-1].id == "79"


def test_a_to_do_list_follows_its_changes() -> None:
    found: list[Record] = [
        PlanChange(Step("1", "parser", "")),
        PlanChange(Step("2", "lint", "open")),
        PlanChange(Step("3", "docs", "open")),
        PlanChange(Step("1", "", "done")),
        PlanChange(Step("2", "lint.py", "in_progress")),
        PlanChange(Step("3", "", "deleted")),
        PlanChange(Step("9", "", "done")),
    ]
    after, _, _ = sweep.after_records(fresh(), found)
    assert after.plan == (Step("1", "parser", "done"), Step("2", "lint.py", "in_progress"))
    replaced, _, _ = sweep.after_records(after, [Plan((Step("1", "new", "open"),))])
    assert replaced.plan == (Step("1", "new", "open"),)


def test_no_secret_gets_into_a_session() -> None:
    found: list[Record] = [
        Prompt(f"use {SECRET}", NOW),
        Reply(f"used {SECRET}", NOW),
        Plan((Step("1", f"drop {SECRET}", "open"),)),
        PlanChange(Step("1", f"drop {SECRET} now", "")),
        Call("1", f"curl {SECRET}", NOW),
    ]
    after, _, _ = sweep.after_records(fresh(), found)
    after = session.after_event(after, event(TURN_END, statement=f"so {SECRET}"), NOW)
    assert SECRET not in json.dumps(session.value(after))
    assert SECRET not in json.dumps(sweep.unfinished(after))


def test_long_words_are_cut_with_a_mark() -> None:
    found: list[Record] = [
        Prompt("g" * 9_000, NOW),
        Reply("r" * 9_000, NOW),
        Plan((Step("1", "s" * 900, "open"),)),
    ]
    after, _, _ = sweep.after_records(fresh(), found)
    for text, most in (
        (after.goal, session.MAX_GOAL_CHARS),
        (after.statement, session.MAX_STATEMENT_CHARS),
        (after.plan[0].text, session.MAX_STEP_CHARS),
    ):
        assert text is not None
        assert (len(text), text[-1]) == (most, "…")
