"""Packets in refs: one active a branch and topic, whoever writes at the same time."""

from __future__ import annotations

import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from engine import ledger
from engine.errors import HandoffError

REF = ledger.ref("main", None, "default")


def publish(where: str, session: str, text: str, seconds: int = 100) -> str | None:
    old = ledger.tip(where, REF)
    files = {"handoff.json": text.encode(), "evidence/review.json": b"{}"}
    return ledger.publish(where, REF, files, session, seconds, old)


@pytest.fixture
def where(tmp_path: Path) -> str:
    return ledger.path(str(tmp_path))


def test_nothing_is_active_at_first(where: str) -> None:
    assert ledger.tip(where, REF) is None
    assert ledger.packets(where, REF) == ()


def test_the_same_session_amends_and_another_supersedes(where: str) -> None:
    publish(where, "one", "1")
    publish(where, "one", "2")
    assert ledger.packets(where, REF) == (b"2",)
    publish(where, "two", "3")
    publish(where, "two", "4")
    assert ledger.packets(where, REF) == (b"4", b"2")


def test_the_same_packet_is_the_same_commit(where: str) -> None:
    assert publish(where, "one", "1") == publish(where, "one", "1")


def test_a_tip_that_moved_is_never_overwritten(where: str) -> None:
    publish(where, "one", "1")
    stale = ledger.tip(where, REF)
    publish(where, "two", "2")
    files = {"handoff.json": b"3"}
    assert ledger.publish(where, REF, files, "three", 100, stale) is None
    assert ledger.publish(where, REF, files, "three", 100, None) is None
    assert ledger.packets(where, REF) == (b"2", b"1")


def test_many_writers_leave_one_chain_with_every_packet(where: str) -> None:
    def insist(number: int) -> None:
        while publish(where, f"session-{number}", str(number)) is None:
            pass

    publish(where, "first", "first")
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(insist, range(12)))
    found = ledger.packets(where, REF)
    assert sorted(found) == sorted([b"first", *(str(n).encode() for n in range(12))])


def test_branches_that_nest_or_differ_in_case_do_not_meet() -> None:
    refs = [
        ledger.ref(name, None, "default") for name in ("a", "a/b", "A", "A/B", "a%2Fb", "a.lock")
    ]
    assert len({ref.lower() for ref in refs}) == len(refs)
    for ref in refs:
        subprocess.run(["git", "check-ref-format", ref], check=True)


def test_a_detached_head_has_a_ref_of_its_own_for_each_commit() -> None:
    assert ledger.ref(None, "a" * 40, "default") != ledger.ref(None, "b" * 40, "default")


def test_the_users_configuration_is_not_heard(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "core.hooksPath")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "/nonexistent")
    monkeypatch.setenv("GIT_DIR", "/nonexistent")
    assert publish(where, "one", "1")


def test_a_ledger_that_cannot_be_read_says_so(where: str) -> None:
    Path(where).mkdir(parents=True)
    with pytest.raises(HandoffError, match="the ledger cannot be used"):
        ledger.tip(where, REF)
