from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import feedback, runs
from tests.engine.builders import odd_text


@given(
    command=odd_text,
    stdout=odd_text,
    stderr=odd_text,
    exit_code=st.none() | st.integers(-255, 255),
    error=st.none() | odd_text,
)
def test_an_entry_reads_back_as_the_run_it_tells_of(
    command: str, stdout: str, stderr: str, exit_code: int | None, error: str | None
) -> None:
    entry = feedback.entry(
        "call-1",
        command,
        stdout,
        stderr,
        exit_code,
        session_id="s-1",
        started_at=12.5,
        duration_ms=70,
        error=error,
    )
    line = feedback.line(entry)
    assert line.count(b"\n") == 1
    run = runs.parse(json.loads(line))
    assert run is not None
    assert (run.id, run.session_id, run.command) == ("call-1", "s-1", entry["command"])
    assert run.exit_code == exit_code
    assert (run.started_at, run.duration_ms, run.source) == (12.5, 70, "hook")
    assert (run.stdout_tail, run.stderr_tail) == (entry["stdout_tail"], entry["stderr_tail"])
    assert run.note == (error or None)


def test_an_unknown_exit_code_is_null() -> None:
    assert feedback.entry("1", "make")["exit_code"] is None


def test_an_entry_has_the_keys_of_the_workbench() -> None:
    assert set(feedback.entry("1", "make")) == {
        "command_id",
        "parent_command_id",
        "session_id",
        "source",
        "command",
        "exit_code",
        "started_at",
        "duration_ms",
        "stdout_tail",
        "stderr_tail",
        "agent_note",
        "error",
        "truncations",
        "redactions",
    }


def test_the_last_lines_are_kept_and_the_others_counted() -> None:
    entry = feedback.entry("1", "make", "".join(f"line {n}\n" for n in range(100)), "one\n")
    kept = str(entry["stdout_tail"]).split("\n")
    assert (kept[0], kept[-1], len(kept)) == ("line 70", "line 99", 30)
    assert entry["stderr_tail"] == "one"
    assert entry["truncations"] == {"stdout": 70, "stderr": 0}


def test_lines_are_counted_however_long_the_output_is() -> None:
    entry = feedback.entry("1", "make", "0123456789\n" * 60_000)
    assert entry["truncations"] == {"stdout": 60_000 - 30, "stderr": 0}


def test_wide_lines_are_dropped_whole_until_the_rest_fits() -> None:
    entry = feedback.entry("1", "make", "\n".join("x" * 700 for _ in range(10)))
    assert entry["stdout_tail"] == "\n".join(["x" * 700] * 2)
    assert entry["truncations"] == {"stdout": 8, "stderr": 0}


def test_the_end_of_one_endless_line_is_kept_and_marked() -> None:
    tail = str(feedback.entry("1", "make", "a" * 5_000 + "the end")["stdout_tail"])
    assert tail.startswith("…aaa")
    assert tail.endswith("the end")
    assert len(tail) == feedback.MAX_TAIL_CHARS


@given(st.text(max_size=200) | st.text(st.sampled_from("ab\n\r\x0b\u2028"), max_size=5_000))
def test_a_tail_is_never_longer_than_it_may_be(output: str) -> None:
    tail = str(feedback.entry("1", "make", output)["stdout_tail"])
    assert len(tail) <= feedback.MAX_TAIL_CHARS
    assert tail.count("\n") < feedback.MAX_TAIL_LINES


def test_a_long_command_says_how_much_of_it_is_missing() -> None:
    command = str(feedback.entry("1", "x" * 2_100)["command"])
    assert command == "x" * 2_000 + " […100 characters cut]"


def test_secrets_are_out_of_all_three_texts_and_counted() -> None:
    secret = "ghp_" + "a1B2" * 9
    entry = feedback.entry("1", f"curl -H {secret}", f"{secret}\n{secret}", f"bad {secret}")
    assert secret not in json.dumps(entry)
    assert entry["redactions"] == {"command": 1, "stdout": 2, "stderr": 1}


def test_what_a_program_says_went_wrong_is_redacted_and_cut() -> None:
    secret = "ghp_" + "a1B2" * 9
    told = str(feedback.entry("1", "x", error=f"spawn {secret} failed" + "!" * 3_000)["error"])
    assert told.startswith("spawn [redacted:github-token] failed!")
    assert len(told) < 2_100


@pytest.mark.parametrize("before", ["", "x" * 30_000, "short lines\n" * 3_000])
@pytest.mark.parametrize("after", ["", "\n", " and so on\nthe end"])
def test_a_secret_in_the_last_lines_is_gone_however_long_its_line_is(
    before: str, after: str
) -> None:
    secret = "eyJhbGciOiJIUzI1NiJ9.eyJ" + "a1B2" * 3_000 + ".c2lnbmF0dXJl"
    entry = feedback.entry("1", "cat token", f"{before} {secret}{after}")
    assert "a1B2" not in str(entry["stdout_tail"])


@pytest.mark.parametrize("lines_after", [0, 29, 30, 500])
@pytest.mark.parametrize("key_lines", [40, 400])
def test_a_secret_is_gone_before_its_text_is_cut(lines_after: int, key_lines: int) -> None:
    key = "-----BEGIN PRIVATE KEY-----\n" + "MIIEvQIBADANBgkqhkiG9w0BAQ\n" * key_lines
    entry = feedback.entry(
        "1", "cat key", key + "-----END PRIVATE KEY-----\n" + "x\n" * lines_after
    )
    assert "MIIE" not in str(entry["stdout_tail"])
