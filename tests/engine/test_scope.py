from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import scope
from engine.model import ChangedFile, Finding
from engine.workbench import Reader

globs = st.text(st.sampled_from("ab*?[!]-/.\\"), max_size=12)
paths = st.text(st.sampled_from("ab./-"), min_size=1, max_size=12)


def contract(**keys: Any) -> scope.Contract:
    return scope.contract(Reader("scope.json"), keys)


def codes(limits: scope.Contract, *changed: str) -> list[str]:
    return [finding.code for finding in scope.findings(limits, changed)]


@pytest.mark.parametrize(
    ("glob", "path"),
    [
        ("app.py", "app.py"),
        ("*.py", "app.py"),
        ("*.py", "deep/er/app.py"),
        ("src", "src/a/b.py"),
        ("src/", "src/a/b.py"),
        ("/src/a.py", "src/a.py"),
        ("./src/a.py", "src/a.py"),
        ("src/*.py", "src/a.py"),
        ("src/**", "src/a"),
        ("src/**", "src/a/b/c.py"),
        ("**/*.lock", "poetry.lock"),
        ("**/*.lock", "a/b/poetry.lock"),
        ("src/**/test_*.py", "src/test_a.py"),
        ("src/**/test_*.py", "src/a/b/test_a.py"),
        ("**", "any/thing"),
        ("v?.txt", "v1.txt"),
        ("[a-c].txt", "b.txt"),
        ("[!a-c].txt", "d.txt"),
        ("[", "["),
        ("a+b(c).txt", "a+b(c).txt"),
        (".github/workflows/*.yml", ".github/workflows/ci.yml"),
    ],
)
def test_a_glob_finds(glob: str, path: str) -> None:
    assert codes(contract(forbidden_files=[glob]), path) == ["scope.forbidden"]
    assert codes(contract(allowed_files=[glob]), path) == []


@pytest.mark.parametrize(
    ("glob", "path"),
    [
        ("app.py", "app.pyc"),
        ("app.py", "myapp.py"),
        ("src/*.py", "src/a/b.py"),
        ("src/*.py", "x/src/a.py"),
        ("src/**", "source/a.py"),
        ("src/a.py", "x/src/a.py"),
        ("src/**/test_*.py", "tests/test_a.py"),
        ("v?.txt", "v10.txt"),
        ("[!a-c].txt", "b.txt"),
        ("*.py", "app.pyi"),
        ("a.b", "aXb"),
    ],
)
def test_a_glob_does_not_find(glob: str, path: str) -> None:
    assert codes(contract(forbidden_files=[glob]), path) == []
    assert codes(contract(allowed_files=[glob]), path) == ["scope.off_scope"]


def test_what_is_forbidden_blocks_also_where_it_is_allowed() -> None:
    limits = contract(allowed_files=["src/**"], forbidden_files=["src/secret/**"])
    assert scope.findings(limits, ["src/secret/k", "src/a", "b"]) == (
        Finding(
            "scope.forbidden", "block", "the scope contract forbids: `src/secret/k`", "src/secret/k"
        ),
        Finding("scope.off_scope", "warn", "outside of the scope contract: `b`", "b"),
    )


def test_many_paths_are_named_and_counted() -> None:
    (finding,) = scope.findings(contract(allowed_files=[]), [f"{n:02}" for n in range(30)])
    assert finding.detail.endswith("`09` and 20 more")


def test_no_list_of_allowed_files_is_no_limit_and_an_empty_one_allows_none() -> None:
    assert codes(contract(), "a") == []
    assert codes(contract(allowed_files=[]), "a") == ["scope.off_scope"]


def test_two_contracts_give_the_least_of_both() -> None:
    left = contract(
        task_id="T", allowed_files=["src/**", "docs/**"], forbidden_files=["*.lock"],
        violation_budget=3,
    )  # fmt: skip
    right = contract(
        allowed_files=["src/a/**", "b"], forbidden_files=["*.key"], time_budget_minutes=20,
        violation_budget=1,
    )  # fmt: skip
    for both in (scope.merged(left, right), scope.merged(right, left)):
        assert codes(both, "src/a/x") == []
        assert (
            codes(both, "src/x") == codes(both, "docs/x") == codes(both, "b") == ["scope.off_scope"]
        )
        assert codes(both, "src/a/x.lock") == codes(both, "src/a/x.key") == ["scope.forbidden"]
        assert (both.task, both.violation_budget, both.minutes) == ("T", 1, 20)


@given(
    st.none() | st.lists(globs, max_size=3), st.lists(globs, max_size=3),
    st.none() | st.lists(globs, max_size=3), st.lists(globs, max_size=3), paths,
)  # fmt: skip
def test_a_merged_contract_never_permits_what_one_of_them_does_not(
    allowed: list[str] | None, forbidden: list[str],
    allowed_too: list[str] | None, forbidden_too: list[str], path: str,
) -> None:  # fmt: skip
    left = contract(
        forbidden_files=forbidden, **({} if allowed is None else {"allowed_files": allowed})
    )
    right = contract(
        forbidden_files=forbidden_too,
        **({} if allowed_too is None else {"allowed_files": allowed_too}),
    )
    fine = not codes(left, path) and not codes(right, path)
    assert (not codes(scope.merged(left, right), path)) == fine


@pytest.mark.parametrize("glob", ["**/" * 40 + "x", "*a" * 12, "[" * 2_000, "**" * 20])
def test_no_glob_makes_it_slow(glob: str) -> None:
    before = time.process_time()
    codes(contract(forbidden_files=[glob]), "a/" * 30 + "b")
    assert time.process_time() - before < 2  # seconds


def test_the_old_name_of_a_moved_file_was_written_to() -> None:
    moved = ChangedFile("pkg/new.py", "renamed", "pkg/old.py", 0, 0, True)
    assert scope.touched([moved], "") == ("pkg/new.py", "pkg/old.py")
    assert scope.touched([moved, moved._replace(path="x")], "pkg/") == (
        "new.py", "old.py", "x", "old.py",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("value", "wrong"),
    [
        ([], "(top level)"),
        ({"allowed_files": "src"}, "allowed_files"),
        ({"forbidden_files": [1]}, "forbidden_files"),
        ({"violation_budget": "none"}, "violation_budget"),
    ],
)
def test_a_contract_of_another_shape_is_reported_and_limits_nothing(value: Any, wrong: str) -> None:
    reader = Reader("scope.json")
    limits = scope.contract(reader, value)
    assert [problem.detail.split("`")[3] for problem in reader.problems] == [wrong]
    assert codes(limits, "a") == []


def test_broken_rules_are_findings_and_odd_ones_are_reported() -> None:
    reader = Reader("rules.json")
    rules = [
        {"slug": "no-todo", "passed": False, "detail": "3 found"},
        {"slug": "style", "passed": False, "severity": "warn"},
        {"slug": "fine", "passed": True},
        {"slug": "odd", "passed": "no"},
        "odd",
    ]
    assert scope.rules(reader, rules) == (
        Finding("rule.failed", "block", "rule `no-todo` failed: 3 found", "rules.json"),
        Finding("rule.failed", "warn", "rule `style` failed", "rules.json"),
    )
    assert len(reader.problems) == 3
    assert scope.rules(Reader("r"), {"rules": []}) == ()
