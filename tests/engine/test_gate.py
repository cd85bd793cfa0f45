"""Each check of the gate in a real repository: where it fires, and where it does not."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.repository import Repository


def event(name: str, **keys: Any) -> dict[str, Any]:
    return {"hook_event_name": name, "session_id": "s-1", "transcript_path": "", **keys}


def ran(project: Repository, command: str, code: int | None) -> None:
    """A command of the session, as the hook reports it."""
    given = {
        "tool_name": "Bash",
        "tool_input": {"command": command},
        "tool_use_id": command + str(code),
    }
    if code:
        project.hook(
            "claude-code", event("PostToolUseFailure", error=f"Exit code {code}\nno", **given)
        )
    else:
        response = {"stdout": "ok", "stderr": ""} | ({} if code == 0 else {"interrupted": True})
        project.hook("claude-code", event("PostToolUse", tool_response=response, **given))


def codes(project: Repository) -> set[str]:
    """The codes that `clean` reports."""
    value = json.loads(project.engine("clean", "--json").stdout)
    return {issue["code"] for issue in value["issues"]}


@pytest.fixture
def session(project: Repository) -> Repository:
    """A project in the middle of a session that has a next action."""
    project.git("add", "-A")
    project.commit("set up handoff")
    project.hook("claude-code", event("SessionStart", source="startup"))
    said = "Next: write the docs"
    project.hook("claude-code", event("Stop", last_assistant_message=said))
    return project


def test_a_clean_workbench_is_clean(session: Repository) -> None:
    done = session.engine("clean")
    assert (done.returncode, done.stdout.strip()) == (0, "clean")
    value = json.loads((session.path / ".handoff/state/clean_state.json").read_text())
    assert (value["clean"], value["blocked"], value["issues"]) == (True, False, [])


def test_an_uncommitted_file_is_dirt_and_a_committed_one_is_not(session: Repository) -> None:
    session.write("app.py", "print('changed')\n")
    assert codes(session) == {"tree.dirty"}
    session.commit("change")
    assert codes(session) == set()


def test_our_own_files_are_never_dirt(project: Repository) -> None:
    project.hook("claude-code", event("SessionStart", source="startup"))
    project.hook("claude-code", event("Stop", last_assistant_message="Next: write the docs"))
    assert codes(project) == set()


@pytest.mark.parametrize("name", ["notes.tmp", "scratch/x.py", "app.py.orig"])
def test_a_temporary_file_is_a_leftover(session: Repository, name: str) -> None:
    session.write(name, "x\n")
    assert "artifact.temporary" in codes(session)


def test_debug_prints_count_only_where_this_session_added_them(session: Repository) -> None:
    session.write("old.py", "breakpoint()\n")
    session.commit("before")
    session.hook("claude-code", event("SessionStart", source="startup") | {"session_id": "s-2"})
    session.write("old.py", "breakpoint()\nprint('hello')\n")
    session.hook("claude-code", event("Stop") | {"session_id": "s-2"})
    assert "artifact.debug" not in codes(session)
    session.write("new.py", "def f():\n    breakpoint()\n")
    assert "artifact.debug" in codes(session)


def test_a_test_that_prints_is_no_debug_print(session: Repository) -> None:
    session.write("tests/test_app.py", "print('DEBUG: this is a test')\n")
    assert "artifact.debug" not in codes(session)


def test_code_that_was_commented_out_is_a_leftover_and_a_comment_is_not(
    session: Repository,
) -> None:
    session.write(
        "a.py", "# Explains why this is so,\n# in a few words of prose,\n# and no code.\n"
    )
    assert "artifact.commented" not in codes(session)
    session.write("b.py", "# total = count(items)\n# if total > 3:\n#     return total\n")
    assert "artifact.commented" in codes(session)


def test_patterns_of_debug_prints_are_configuration(session: Repository) -> None:
    session.write("app.js", "console.log(value)\n")
    assert "artifact.debug" not in codes(session)
    session.configure(debug_patterns={"js": r"^\s*console\.log"})
    assert "artifact.debug" in codes(session)


@pytest.mark.parametrize(
    ("code", "expected"),
    [(None, "feedback.null_exit"), (1, "acceptance.failed"), (0, None)],
)
def test_an_acceptance_command_has_to_pass(
    session: Repository, code: int | None, expected: str | None
) -> None:
    session.configure(acceptance_commands=["pytest -q"])
    assert "acceptance.missing" in codes(session)
    ran(session, "pytest -q", code)
    assert codes(session) == ({expected} if expected else set())


def test_a_board_has_one_feature_in_progress(session: Repository) -> None:
    def board(*statuses: str) -> None:
        features = [{"id": f"F-{n}", "status": s, "goal": "g"} for n, s in enumerate(statuses)]
        session.write(".handoff/feature_list.json", json.dumps({"features": features}))

    board("in_progress", "todo")
    assert codes(session) == set()
    board("in_progress", "in_progress")
    assert codes(session) == {"board.several_in_progress"}


def test_a_done_feature_agrees_with_the_last_run_of_its_command(session: Repository) -> None:
    feature = {"id": "F-1", "status": "done", "goal": "g", "done_when": "make check"}
    session.write(".handoff/feature_list.json", json.dumps({"features": [feature]}))
    ran(session, "make check", 0)
    assert codes(session) == set()
    ran(session, "make check", 2)
    assert "board.contradicted" in codes(session)


def test_the_branch_is_a_branch(session: Repository) -> None:
    session.git("checkout", "--quiet", "--detach")
    assert "branch.detached" in codes(session)


def test_a_branch_of_this_session_is_fine_and_another_one_is_not(session: Repository) -> None:
    session.git("branch", "other")
    session.hook("claude-code", event("SessionStart", source="startup") | {"session_id": "s-2"})
    said = {"last_assistant_message": "Next: write the docs", "session_id": "s-2"}
    session.git("checkout", "--quiet", "-b", "mine")
    session.hook("claude-code", event("Stop") | said)
    assert codes(session) == set()
    session.git("checkout", "--quiet", "other")
    assert codes(session) == {"branch.other"}


def test_a_branch_left_behind_needs_an_upstream_or_a_note(session: Repository) -> None:
    session.git("checkout", "--quiet", "-b", "experiment")
    session.write("try.py", "1\n")
    session.commit("try")
    session.git("checkout", "--quiet", "main")
    assert codes(session) == {"branch.left_behind"}
    session.git("config", "branch.experiment.description", "to compare with")
    assert codes(session) == set()


def test_a_review_is_wanted_only_where_the_policy_says_so(session: Repository) -> None:
    assert codes(session) == set()
    session.configure(gate={"review": "warn"})
    assert codes(session) == {"review.missing"}
    session.write(".handoff/state/review/T-1.json", '{"total": 9, "verdict": "pass"}')
    assert codes(session) == set()


def test_a_warning_is_a_risk_and_a_refusal_is_a_blocked_record(session: Repository) -> None:
    session.write("app.py", "print('changed')\n")
    session.hook("claude-code", event("Stop"))
    assert ("warn", "tree.dirty") in {
        (risk["severity"], risk["code"]) for risk in session.active()["open_risks"]
    }
    session.configure(gate={"working_tree": "refuse"})
    before = session.active()
    session.hook("claude-code", event("Stop"))
    assert session.active() == before
    blocked = json.loads((session.path / "outputs/handoff/s-1/blocked.json").read_text())
    assert [reason["code"] for reason in blocked["blocked"]] == ["tree.dirty"]
    assert "clean --stash" in blocked["blocked"][0]["mend"]
    assert session.engine("clean").returncode == 3


def test_a_check_that_is_off_is_silent(session: Repository) -> None:
    session.configure(gate={"working_tree": "off"})
    session.write("app.py", "print('changed')\n")
    assert codes(session) == set()


def test_an_exception_lets_a_finding_through_and_the_packet_says_so(session: Repository) -> None:
    session.configure(gate={"working_tree": "refuse"})
    session.write("app.py", "print('changed')\n")
    assert session.engine("clean", "--except", "tree.dirty").returncode == 1
    done = session.engine("clean", "--except", "tree.dirty", "--reason", "half way on purpose")
    assert done.returncode == 0, done.stderr
    session.hook("claude-code", event("Stop"))
    (risk,) = [r for r in session.active()["open_risks"] if r["code"] == "tree.dirty"]
    assert risk["severity"] == "info"
    assert "half way on purpose" in risk["detail"]


def test_a_stash_is_found_and_applied_again_by_following_the_packet_alone(
    session: Repository,
) -> None:
    session.write("app.py", "print('half done')\n")
    session.write("new file.py", "1\n")
    done = session.engine("clean", "--stash")
    assert done.returncode == 0, done.stderr
    assert "print('hello')" in (session.path / "app.py").read_text()
    assert (session.path / ".handoff/engine/modules.txt").exists()
    assert session.engine("generate").returncode == 0
    (stash,) = [p for p in session.active()["next_session_prereqs"] if p["kind"] == "stash"]
    session.git(*stash["how"].split()[1:])
    assert "half done" in (session.path / "app.py").read_text()
    assert (session.path / "new file.py").exists()


def test_the_next_session_is_told_what_to_mend_first_above_the_last_packet(
    session: Repository,
) -> None:
    session.configure(gate={"working_tree": "refuse"}, acceptance_commands=["pytest -q"])
    session.configure(gate={"tests": "refuse"})
    session.write("app.py", "print('half done')\n")
    ran(session, "pytest -q", 1)
    session.hook("claude-code", event("Stop", last_assistant_message="Stopping here."))
    start = event("SessionStart", source="startup") | {"session_id": "s-2"}
    told = json.loads(session.hook("codex", start))["hookSpecificOutput"]["additionalContext"]
    first, second = told.index("FIRST MEND THIS"), told.index("NEXT ACTION")
    assert first < second < 9_500
    for reason in (
        "[tree.dirty] not committed: `app.py`",
        "[acceptance.failed] `pytest -q` failed",
    ):
        assert reason in told
    session.commit("done")
    ran(session, "pytest -q", 0)
    session.hook("claude-code", event("Stop", last_assistant_message="Next: write the docs"))
    told = session.hook("codex", start)
    assert "FIRST MEND THIS" not in told


def test_a_session_over_five_minutes_that_changed_nothing_is_an_anomaly(
    session: Repository,
) -> None:
    path = session.path / ".handoff/state/sessions/s-1.json"
    value = json.loads(path.read_text())
    path.write_text(json.dumps(value | {"started_at": value["last_event_at"] - 301}))
    session.hook("claude-code", event("Stop"))
    assert "diff.empty" in {risk["code"] for risk in session.active()["open_risks"]}
