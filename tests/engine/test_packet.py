from __future__ import annotations

from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from engine import packet
from engine.model import AgentState, Feature, NativeSession, Previous, Review, Source, Workbench
from tests.engine import builders
from tests.engine.builders import (
    BASE,
    HEAD,
    START,
    changed,
    commit,
    config,
    git,
    run,
    session,
    story,
)

PREVIOUS = Previous("s-0", BASE, (NativeSession("codex", "C-1", "codex resume C-1", 3),), "s-0")


def generate(**changes: Any) -> packet.Packet:
    return packet.generate(builders.snapshot(**changes))


def test_the_packet_of_the_story(snapshot: SnapshotAssertion) -> None:
    assert builders.payload() == snapshot


def test_the_same_snapshot_gives_the_same_packet() -> None:
    assert packet.generate(story()) == packet.generate(story())


def test_an_empty_session_has_no_next_action() -> None:
    made = generate()
    assert (made.next_action, made.next_action_source) == (None, None)


def test_a_session_of_no_runtime_says_so() -> None:
    made = generate(session=session(id="manual", runtime="", native_id=""))
    assert (made.session["runtime"], made.session["native_id"]) == (None, None)
    assert made.native_sessions == ()


@pytest.mark.parametrize(
    ("bench", "goal", "task"),
    [
        (Workbench(), ("Make the parser accept empty lines", "prompt"), None),
        (Workbench(features=(Feature("F1", "in_progress", "lint", ""),)), ("lint", "board"), "F1"),
        (
            Workbench(
                state=AgentState("T-9", "", True, (), (), ()),
                features=(Feature("F1", "in_progress", "", ""),),
            ),
            ("Make the parser accept empty lines", "prompt"),
            "T-9",
        ),
    ],
)
def test_the_task_comes_from_the_board_then_from_the_prompt(
    bench: Workbench, goal: tuple[str, str], task: str | None
) -> None:
    made = generate(workbench=bench)
    assert (made.task["goal"], made.task["goal_source"], made.task["id"]) == (*goal, task)


@pytest.mark.parametrize(
    ("acceptance", "code", "dirty", "commit"),
    [
        (("pytest -q",), 0, (), HEAD),
        (("pytest -q",), 0, ("a.py",), BASE),
        (("pytest -q",), 1, (), BASE),
        (("pytest -q",), None, (), BASE),
        (("pytest -q", "make lint"), 0, (), BASE),
        ((), 0, (), BASE),
    ],
)
def test_a_commit_is_good_when_all_passed_on_a_clean_tree(
    acceptance: tuple[str, ...], code: int | None, dirty: tuple[str, ...], commit: str
) -> None:
    made = generate(
        config=config(acceptance_commands=acceptance),
        feedback=(run("pytest -q", code),),
        git=git(dirty=dirty),
        previous=PREVIOUS,
    )
    assert made.last_known_good_commit == commit


@pytest.mark.parametrize(("head_at", "commit"), [(None, HEAD), (START, HEAD), (START + 1, BASE)])
def test_a_pass_before_the_last_commit_says_nothing_about_it(
    head_at: float | None, commit: str
) -> None:
    wanted = config(acceptance_commands=("pytest -q",))
    made = generate(config=wanted, feedback=(run(),), git=git(head_at=head_at), previous=PREVIOUS)
    assert made.last_known_good_commit == commit


def test_the_way_back_to_each_native_session_is_kept() -> None:
    own = NativeSession("claude-code", "S-1", "claude --resume S-1", 1)
    assert generate(previous=PREVIOUS).native_sessions == (*PREVIOUS.native_sessions, own)
    again = PREVIOUS._replace(native_sessions=(own._replace(turns=0),))
    assert generate(previous=again).native_sessions == (own,)


@pytest.mark.parametrize(("score", "kept"), [(None, True), (0, True), (1, True), (2, False)])
def test_assumptions_are_open_until_a_review_scored_them_above_one(
    score: int | None, kept: bool
) -> None:
    bench = Workbench(
        state=AgentState(None, "x", True, ("a", "b"), (), ()),
        review=Review("r.json", 9, "pass", score),
    )
    assert generate(workbench=bench).assumptions_to_validate == (("a", "b") if kept else ())


def test_the_files_to_load_are_those_that_are_there_unfinished_ones_first() -> None:
    files = (changed("a.py"), changed("b.py", committed=False), changed("gone.py"))
    made = generate(
        git=git(changed=files),
        workbench=Workbench(sources=(Source("state", "s.json", "d" * 64),)),
        file_hashes=dict.fromkeys(["a.py", "b.py", "s.json", "other"], "c" * 64),
    )
    assert [item.path for item in made.next_session_prereqs] == ["s.json", "b.py", "a.py"]


@pytest.mark.parametrize(
    ("used", "window", "percent"), [(None, None, None), (5, None, None), (50, 200, 25), (0, 9, 0)]
)
def test_context_usage_is_null_where_the_runtime_does_not_tell(
    used: int | None, window: int | None, percent: int | None
) -> None:
    made = generate(session=session(used_tokens=used, window_tokens=window))
    assert made.context_usage == {
        "used_tokens": used,
        "window_tokens": window,
        "percent": percent,
    }


def test_every_bound_is_told() -> None:
    files = tuple(changed(f"f{n:03}") for n in range(packet.MAX_FILES + 7))
    made = generate(
        git=git(changed=files, commits=(commit(),) * (packet.MAX_COMMITS + 2)),
        feedback=tuple(run(f"./c{n}.sh", 1) for n in range(130)),
    )
    assert {field: tuple(count) for field, count in made.truncated.items()} == {
        "changed_files": (200, 207),
        "commits": (50, 52),
        "commands_run": (100, 130),
        "failed_attempts": (30, 130),
        "feedback_tail": (30, 130),
        "open_risks": (60, 130),
    }
    for field, count in made.truncated.items():
        assert len(getattr(made, field)) == count.kept


def test_what_was_not_cut_is_told_too() -> None:
    made = generate(git=git(changed=(changed(),)))
    assert made.truncated["changed_files"] == (1, 1)
    assert made.truncated["commands_run"] == (0, 0)
