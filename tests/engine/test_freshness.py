from __future__ import annotations

from typing import Any

import pytest

from engine import freshness
from engine.freshness import Drift

HEAD = "a" * 40


def notice(packet: dict[str, Any] | None = None, **changes: Any) -> str:
    drift = Drift(head=HEAD, branch="main", ahead=0, age_seconds=0.0, changed=())
    value = {"head_commit": HEAD, "branch": "main", **(packet or {})}
    return freshness.notice(value, drift._replace(**changes))


def test_a_repository_as_it_was_left_says_so() -> None:
    assert notice() == (
        "Freshness: made less than a minute ago; HEAD and the files to load are as it left them."
    )


@pytest.mark.parametrize(
    ("seconds", "age"),
    [
        (None, "age unknown"),
        (59.9, "made less than a minute ago"),
        (60, "made 1 minute ago"),
        (3_599, "made 59 minutes ago"),
        (7_200, "made 2 hours ago"),
        (86_400, "made 1 day ago"),
        (40 * 86_400, "made 40 days ago"),
    ],
)
def test_the_age_is_told_in_one_unit(seconds: float | None, age: str) -> None:
    assert notice(age_seconds=seconds).startswith(f"Freshness: {age}; ")


@pytest.mark.parametrize(
    ("packet", "changes", "said"),
    [
        ({}, {"head": "b" * 40, "ahead": 1}, "HEAD moved on by 1 commit."),
        ({}, {"head": "b" * 40, "ahead": 12}, "HEAD moved on by 12 commits."),
        (
            {},
            {"head": "b" * 40, "ahead": None},
            "its commit is no ancestor of HEAD (rebased, reset or another branch).",
        ),
        ({"head_commit": None}, {"ahead": None}, "it was made before the first commit."),
        ({"branch": "dev"}, {}, "it was made on branch `dev`, this is branch `main`."),
        ({"branch": None}, {}, "it was made on a detached HEAD, this is branch `main`."),
        ({}, {"changed": ("a.py", "b.py")}, "changed since: a.py, b.py."),
        ({}, {"changed": tuple("abcdefg")}, "changed since: a, b, c, d, e and 2 more."),
    ],
)
def test_each_drift_is_told(packet: dict[str, Any], changes: dict[str, Any], said: str) -> None:
    assert notice(packet, **changes) == f"Freshness: made less than a minute ago; {said}"


def test_several_drifts_are_told_in_one_sentence() -> None:
    said = notice({"branch": "dev"}, head="b" * 40, ahead=2, changed=("a.py",), age_seconds=None)
    assert said == (
        "Freshness: age unknown; HEAD moved on by 2 commits; it was made on branch `dev`, "
        "this is branch `main`; changed since: a.py."
    )
