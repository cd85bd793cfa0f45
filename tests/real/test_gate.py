"""The gate on the real programs: wrapping up, and what the agent after a blocked session reads."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.repository import Repository

from .agents import PAIRS, RUN
from .sandbox import strings

pytestmark = pytest.mark.real

WINDOW = 20_000  # small enough for a short talk to fill it
SAY_MUCH = "seq 2000 2999; seq 3000 3999"  # 10,000 bytes


def tokens(percent: int) -> int:
    return WINDOW * percent // 100 + 1


# Copilot tells where its session's file is at the end of its first turn, so after this test.
@pytest.mark.parametrize("runtime", sorted({*RUN} - {"copilot"}))
def test_the_model_reads_that_it_should_wrap_up(
    scratch: Repository, tmp_path: Path, runtime: str
) -> None:
    scratch.configure(context_windows={"*": WINDOW})
    scratch.write("new.py", "x = 1\n")
    steps = [
        {"bash": SAY_MUCH, "in": tokens(10)},
        {"bash": f"{SAY_MUCH}; exit 3", "in": tokens(52)},
        {"bash": SAY_MUCH, "in": tokens(53)},
        {"bash": SAY_MUCH, "in": tokens(77)},
        {"bash": SAY_MUCH, "in": tokens(77)},  # a transcript may be a call behind its hooks
        {"text": "Done.", "in": tokens(78)},
    ]
    done = RUN[runtime](scratch.path, tmp_path / "home", steps, prompt="Work on")
    assert done.returncode == 0, done.stderr
    assert scratch.hook_log() == ""
    said = [text for text in strings(done.requests[-1]) if "of the context window is used" in text]
    assert len(said) == 2
    assert "52 % of the context window is used; keep" in said[0]
    assert "77 % of the context window is used. Wrap up now" in said[1]
    use = scratch.active()["context_usage"]
    assert (use["window_tokens"], use["percent"]) == (WINDOW, 78)


# OpenCode and pi have no way to make a turn go on.
@pytest.mark.parametrize("runtime", sorted({*RUN} - {"opencode", "pi"}))
def test_the_end_of_a_turn_is_held_up_once(
    scratch: Repository, tmp_path: Path, runtime: str
) -> None:
    scratch.configure(stop_gate="block", context_windows={"*": WINDOW})
    scratch.write("new.py", "x = 1\n")
    steps = [
        {"bash": "echo one", "in": tokens(80)},
        {
            "bash": "echo two; sleep 1",
            "in": tokens(80),
        },  # Copilot writes its file half a second late
        {"text": "Done.", "in": tokens(80)},
        {"text": "Really done.", "in": tokens(81)},
    ]
    done = RUN[runtime](scratch.path, tmp_path / "home", steps, prompt="Work on")
    assert done.returncode == 0, done.stderr
    held = [request for request in done.requests if "is not closed" in str(strings(request))]
    assert len(held) == 1  # the model was asked to go on, once
    assert scratch.active()["last_statement"].endswith("Really done.")


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_the_next_agent_can_name_every_reason_and_the_first_thing_to_do(
    scratch: Repository, tmp_path: Path, first: str, second: str
) -> None:
    """A session ends dirty, red and without a next action; the packet before it stays."""
    home = tmp_path / "home"
    scratch.write("check.py", "import sys\nsys.exit('app.py says nothing')\n")
    scratch.commit("a check")
    strict = dict.fromkeys(("working_tree", "temporary_artifacts", "tests", "board"), "refuse")
    scratch.configure(acceptance_commands=["python3 check.py"], gate=strict)
    steps = [
        {"bash": "python3 check.py"},
        {"write": ["debug.tmp", "x\n"]},
        {"edit": ["app.py", "print('hello')\n", "print('hello, world')\n"]},
        {"text": "ok"},
    ]
    one = RUN[first](scratch.path, home, steps, prompt="Greet the world")
    assert one.returncode == 0, one.stderr
    blocked = json.loads(
        (scratch.path / f"outputs/handoff/{one.session_id}/blocked.json").read_text()
    )
    reasons = {reason["code"]: reason for reason in blocked["blocked"]}
    assert {"tree.dirty", "artifact.temporary", "acceptance.failed"} <= set(reasons)

    two = RUN[second](scratch.path, home, [{"text": "I see."}], prompt="Go on")
    assert two.returncode == 0, two.stderr
    (told,) = {text for r in two.requests for text in strings(r) if "<handoff-packet>" in text}
    assert f"FIRST MEND THIS ({blocked['blocked'][0]['code']}" in told
    for reason in reasons.values():
        assert "NEXT ACTION (from acceptance)" in told
        assert f"[{reason['code']}] {reason['detail']}; mend: {reason['mend']}" in told
