"""The session's verbs through the `handoff` command: passed on whole, with the same exit codes."""

from __future__ import annotations

import json

import pytest

from tests.repository import Repository

VERBS = [
    "run", "verify", "clean", "close", "show", "status", "validate", "generate", "log", "archive",
    "pr", "state set", "state add", "board add", "board start", "board block", "topic use",
]  # fmt: skip


@pytest.mark.parametrize("verb", VERBS)
def test_help_shows_how_it_is_used(project: Repository, verb: str) -> None:
    done = project.handoff(*verb.split(), "--help")
    assert done.returncode == 0
    assert f"handoff {verb.split()[0]}" in done.stdout


def test_outside_of_a_project_every_verb_says_what_to_do(tmp_path: object) -> None:
    for verb in (["close"], ["clean"], ["verify"], ["run", "--", "true"], ["board", "show"]):
        done = Repository(tmp_path).handoff(*verb)  # type: ignore[arg-type]
        assert done.returncode == 1
        assert "handoff init" in done.stderr


def test_a_command_s_exit_code_and_options_are_its_own(project: Repository) -> None:
    done = project.handoff("run", "--note", "to see", "--", "sh", "-c", "echo hi; exit 7", "--json")
    assert (done.returncode, done.stdout) == (7, "hi\n")
    log = project.path / ".handoff/state/feedback_record.jsonl"
    assert json.loads(log.read_text())["agent_note"] == "to see"


def test_a_session_s_work_from_the_board_to_the_close(project: Repository) -> None:
    project.configure(acceptance_commands=["python3 app.py"], gate={"tests": "refuse"})
    added = project.handoff("board", "add", "Greet", "--done-when", "python3 app.py")
    assert added.stdout == "F-1\n"
    assert project.handoff("board", "start", "F-1").returncode == 0
    assert project.handoff("state", "set", "next_action", "Translate it").returncode == 0
    refused = project.handoff("close", "--no-verify")
    assert refused.returncode == 3
    assert "blocked: acceptance.missing" in refused.stderr
    closed = project.handoff("close")
    assert closed.returncode == 0, closed.stderr
    assert json.loads((project.path / closed.stdout.strip()).read_text())["next_action"] == (
        "Translate it"
    )
    board = json.loads(project.handoff("board", "show", "--json").stdout)
    assert board["features"][0]["status"] == "done"


def test_clean_prints_its_findings_as_json_or_as_a_table(project: Repository) -> None:
    project.configure(gate={"working_tree": "refuse"})
    project.write("app.py", "print('changed')\n")
    done = project.handoff("clean", "--json")
    assert done.returncode == 3
    codes = [issue["code"] for issue in json.loads(done.stdout)["issues"]]
    assert codes == ["tree.dirty"]
    assert "block  tree.dirty: not committed: `app.py`" in project.handoff("clean").stdout
    let = project.handoff("clean", "--except", "tree.dirty", "--reason", "half way on purpose")
    assert let.returncode == 0
    assert "let through: half way on purpose" in let.stdout


def test_a_topic_keeps_its_own_packet(project: Repository) -> None:
    project.play("claude-code", session_id="one")
    assert project.handoff("topic", "use", "docs").returncode == 0
    assert project.handoff("show").returncode == 1
    assert project.handoff("show", "--topic", "default").returncode == 0
