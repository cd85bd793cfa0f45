from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import times


def test_a_time_is_written_in_utc() -> None:
    assert times.iso(1_795_968_264.9) == "2026-11-29T16:04:24Z"


@pytest.mark.parametrize("seconds", [None, -1, 4e9, float("nan"), float("inf")])
def test_what_is_no_time_is_none(seconds: float | None) -> None:
    assert times.iso(seconds) is None


@given(st.integers(0, int(4e9) - 1))
def test_a_written_time_reads_back(seconds: int) -> None:
    assert times.epoch(str(times.iso(seconds))) == seconds


@pytest.mark.parametrize("text", ["", "yesterday", "2026-11-29", "2026-13-01T00:00:00Z"])
def test_other_text_is_no_time(text: str) -> None:
    assert times.epoch(text) is None
