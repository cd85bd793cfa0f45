from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import budget
from engine.session import Session
from tests.engine import builders


def session(used: int | None, window: int | None = 1_000, **changes: object) -> Session:
    return builders.session(used_tokens=used, window_tokens=window)._replace(**changes)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("used", "told", "said", "firmly"),
    [
        (499, 0, False, False),
        (500, 0, True, False),
        (740, 50, False, False),
        (750, 50, True, True),
        (900, 0, True, True),  # both limits at once: the firm one
        (990, 75, False, False),
        (2_000, 75, False, False),
    ],
)
def test_each_limit_is_told_once(used: int, told: int, said: bool, firmly: bool) -> None:
    _, words = budget.looked_at(session(used, told_percent=told), builders.config(), 0)
    assert (bool(words), "Wrap up now" in words) == (said, firmly)
    if said:
        assert f"{used // 10} %" in words
        assert ("engine close" in words) is firmly


def test_nothing_is_told_where_the_window_is_unknown() -> None:
    for used, window in ((None, 1_000), (500, None)):
        after, words = budget.looked_at(session(used, window), builders.config(), 300)
        assert words == ""
        assert after.look_at_bytes > 300


def test_the_project_s_window_wins() -> None:
    config = builders.config(context_windows={"gpt-*": 500, "*": 2_000})
    assert budget.percent(session(100, model="gpt-6"), config) == 20
    assert budget.percent(session(100, model="other"), config) == 5
    assert budget.percent(session(100), builders.config()) == 10


@given(st.integers(0, 3_000), st.integers(0, 10**9), st.sampled_from([0, 50, 75]))
def test_no_limit_is_reached_before_the_next_look(used: int, size: int, told: int) -> None:
    config = builders.config()
    after, _ = budget.looked_at(session(used, told_percent=told), config, size)
    grown = after.look_at_bytes - size
    assert grown >= 0
    almost = after._replace(used_tokens=used + max(grown - 1, 0))
    assert budget.looked_at(almost, config, size)[1] == ""


def test_a_turn_is_held_up_only_where_the_project_wants_it_and_nobody_closed() -> None:
    wanted, full = builders.config(stop_gate="block"), session(750)
    assert "75 %" in budget.reason_to_hold(full, wanted)
    assert budget.reason_to_hold(full, builders.config()) == ""
    for other in (
        session(749),
        session(None),
        full._replace(closed=True),
        full._replace(held=True),
    ):
        assert budget.reason_to_hold(other, wanted) == ""
