"""The main job on the real programs: one agent's session ends, the other starts from its packet."""

from __future__ import annotations

import json
import signal
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.repository import Repository

from .agents import PAIRS, RUN

pytestmark = pytest.mark.real

PLAN = [["Write the greeting", "completed"], ["Translate the greeting", "in_progress"]]
SESSION: Sequence[Mapping[str, Any]] = [
    {"bash": "test -f app.py && echo it is there"},
    {"bash": "echo no such check >&2; exit 3"},
    {"edit": ["app.py", "print('hello')\n", "print('hello, world')\n"]},
    {"plan": PLAN},
    {"bash": "git add app.py && git commit --quiet -m 'Greet the world'"},
    {"text": "The greeting is written."},
]


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_the_second_agent_starts_from_the_packet_of_the_first(
    scratch: Repository, tmp_path: Path, first: str, second: str
) -> None:
    one = RUN[first](scratch.path, tmp_path / "home", SESSION, prompt="Greet the world")
    assert one.returncode == 0, one.stderr
    packet = scratch.active()
    assert scratch.hook_log() == ""
    assert packet["session"]["native_id"] == one.session_id
    assert packet["session"]["ended_at"]
    assert packet["task"]["goal"] == "Greet the world"
    assert [(run["command"], run["exit_code"]) for run in packet["commands_run"]] == [
        ("test -f app.py && echo it is there", 0),
        ("echo no such check >&2; exit 3", 3),
        ("git add app.py && git commit --quiet -m 'Greet the world'", 0),
    ]
    assert [commit["subject"] for commit in packet["commits"]] == ["Greet the world"]
    assert packet["context_usage"]["used_tokens"]
    validated = scratch.engine("validate", f"outputs/handoff/{one.session_id}/handoff.json")
    assert validated.returncode == 0, validated.stdout

    two = RUN[second](scratch.path, tmp_path / "home", [{"text": "I see."}], prompt="Go on")
    assert two.returncode == 0, two.stderr
    for told in (
        "NEXT ACTION (from plan): Translate the greeting",
        "`echo no such check >&2; exit 3` exit code 3: no such check",
        "app.py (modified)",
        packet["native_sessions"][0]["resume_command"],
    ):
        assert two.model_read(told), told


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_a_session_killed_in_its_second_turn_leaves_the_packet_of_its_first(
    scratch: Repository, tmp_path: Path, first: str, second: str
) -> None:
    home, marker = tmp_path / "home", tmp_path / "marker"
    one = RUN[first](scratch.path, home, SESSION, prompt="Greet the world")
    killed = RUN[first](
        scratch.path,
        home,
        # A second for its transcript: a call killed before it was written down is known to nobody.
        [
            {"bash": "exit 4"},
            {"bash": f"sleep 1; touch {marker}; sleep 60"},
            {"text": "never said"},
        ],
        prompt="And now the rest",
        resume=one.session_id,
        kill_after=marker,
        kill_signal=signal.SIGKILL if first == "claude-code" else signal.SIGTERM,
    )
    assert killed.returncode != 0
    assert scratch.active()["next_action"] == "Translate the greeting"
    assert scratch.active()["session"]["native_id"] == one.session_id

    two = RUN[second](scratch.path, home, [{"text": "I see."}], prompt="Go on")
    assert two.model_read("NEXT ACTION (from plan): Translate the greeting")
    # The next start also recovers what the killed turn had done.
    assert two.model_read("`exit 4` exit code 4")
    recovered = scratch.packets()[str(one.session_id)]
    assert recovered["session"]["recovered"] is True
    sleeping = [run for run in recovered["commands_run"] if "sleep 60" in run["command"]]
    assert [run["exit_code"] for run in sleeping] == [None]


def test_a_start_without_a_packet_tells_the_model_nothing(
    scratch: Repository, tmp_path: Path
) -> None:
    for run in RUN.values():
        done = run(scratch.path, tmp_path / "home", [{"text": "Hello."}], prompt="Hello")
        assert done.returncode == 0
        assert not done.model_read("handoff-packet")
    assert json.loads(scratch.engine("status", "--json").stdout)["active"] is None
