"""Damaged sessions and payloads, and the inputs that once broke a reader or took too long."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import context, registry
from engine.runtimes import base
from engine.runtimes.claude_code.hooks import outcome as claude_code_outcome
from engine.runtimes.pi.outcome import outcome as pi_outcome
from tests.engine import builders, damaged

READERS = ("claude-code", "codex", "copilot", "gemini", "opencode", "qwen", "pi")
HUGE = 10**400
MAX_SECONDS = 1


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("fuzz")
    (made / ".handoff").mkdir()
    (made / ".handoff/config.json").write_text(json.dumps(builders.config_value()))
    return made


@pytest.mark.parametrize("runtime", READERS)
@settings(max_examples=150)
@given(random=st.randoms(use_true_random=False))
def test_of_a_damaged_session_all_that_is_written_can_be_read(
    folder: Path, runtime: str, random: Random
) -> None:
    seeds = damaged.transcripts(runtime)
    data = damaged.damaged(random.choice(seeds), random, seeds)
    damaged.read(runtime, damaged.written(folder, data))


@settings(max_examples=600)
@given(random=st.randoms(use_true_random=False))
def test_a_damaged_payload_is_an_event_or_none(folder: Path, random: Random) -> None:
    seed = random.choice(damaged.payloads())
    damaged.answer(folder, seed[:1] + damaged.damaged(seed[1:], random, [seed[1:]]))


@pytest.mark.parametrize("path", ["/tmp/a\0b", "/tmp/\ud800"])
def test_what_no_system_takes_for_a_path_is_none(path: str) -> None:
    payload = {"hook_event_name": "Stop", "session_id": "s", "transcript_path": path, "cwd": path}
    event = registry.hooks("codex").event(payload)
    assert event is not None
    assert (event.transcript, event.folder) == (None, None)


@pytest.mark.parametrize("given", [HUGE, -HUGE, 2**53 + 1, True, 1.0, "1", None])
def test_a_number_that_no_float_holds_is_none(given: Any) -> None:
    assert base.number({"n": given}, "n") is None


def test_times_and_counts_beyond_all_measure_break_no_reader(folder: Path) -> None:
    item = {
        "type": "CommandExecution",
        "id": "c",
        "command": "make",
        "exit_code": 2,
        "duration": {"secs": HUGE, "nanos": HUGE},
    }
    row = {
        "payload": {"type": "item_completed", "item": item, "completed_at_ms": HUGE},
        "ordinal": 1,
    }
    path = folder / "huge.jsonl"
    path.write_text(json.dumps(row) + "\n")
    assert damaged.read("codex", path).records == 2


def test_a_model_s_name_without_end_is_cut(folder: Path) -> None:
    context = {"type": "turn_context", "payload": {"model": "<" + " " * 40_000}, "ordinal": 1}
    used = {"type": "token_count", "info": {"last_token_usage": {"total_tokens": 9}}}
    path = folder / "model.jsonl"
    rows = (context, {"type": "event_msg", "payload": used, "ordinal": 2})
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert len(damaged.read("codex", path).model or "") <= 100


def test_an_exit_code_of_5000_digits_is_none() -> None:
    assert claude_code_outcome(None, f"Exit code {'9' * 5_000}\n")[0] is None


@pytest.mark.parametrize(
    "read",
    [
        lambda: pi_outcome(True, "\n" * 400_000 + "x"),
        lambda: pi_outcome(True, "Command aborted" + " " * 400_000 + "\nx"),
        lambda: pi_outcome(True, "Command timed out " * 40_000 + "\n x"),
        lambda: context.clean("<" + " " * 400_000),
        lambda: context.clean("< / " * 100_000 + "x"),
    ],
    ids=["empty lines", "spaces", "again and again", "a tag of spaces", "many tags"],
)
def test_no_output_takes_long_to_read(read: Callable[[], Any]) -> None:
    begun = time.process_time()
    read()
    assert time.process_time() - begun < MAX_SECONDS
