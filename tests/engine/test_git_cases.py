"""Hard states of a repository, built by the script of each case, with hooks running in them."""

from __future__ import annotations

import json
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from tests.repository import Repository, environment

CASES = Path(__file__).parents[1] / "data" / "cases"


def built(case: str, folder: Path, inside: str = "r") -> Repository:
    """The repository that the case's script makes, with handoff set up in it."""
    folder.mkdir(exist_ok=True)
    script(case, "setup.sh", folder)
    repository = Repository(folder / inside)
    done = repository.handoff("init", "--defaults")
    assert done.returncode == 0, done.stderr
    return repository


def script(case: str, name: str, folder: Path, *arguments: str) -> None:
    command = ["sh", str(CASES / case / name), str(folder), *arguments]
    subprocess.run(command, env=environment(folder), check=True, capture_output=True)


def event(name: str, session: str = "s-1", **keys: Any) -> dict[str, Any]:
    return {"hook_event_name": name, "session_id": session, "transcript_path": "", **keys}


def stop(repository: Repository, said: str = "Next: go on", session: str = "s-1") -> None:
    repository.hook("claude-code", event("Stop", session, last_assistant_message=said))


def started(repository: Repository, cwd: Path | None = None) -> str:
    """What a new session is told."""
    said = repository.hook("codex", event("SessionStart", "next", source="startup"), cwd)
    context: str = json.loads(said)["hookSpecificOutput"]["additionalContext"] if said else ""
    return context


def test_b47_a_detached_head_is_marked_and_keyed_by_its_commit(tmp_path: Path) -> None:
    made = built("detached-head", tmp_path / "case")
    stop(made)
    packet = made.active()
    assert (packet["branch"], packet["detached"]) == (None, True)
    refs = made.git("--git-dir=.git/handoff/ledger.git", "for-each-ref", "--format=%(refname)")
    assert packet["head_commit"] in refs
    assert "/HEAD/" not in refs
    made.git("checkout", "--quiet", "--detach", "HEAD~1")
    assert started(made) == ""


def test_b48_hooks_leave_the_index_alone_and_a_lock_does_no_harm(tmp_path: Path) -> None:
    made = built("index-lock", tmp_path / "case")
    index = made.path / ".git" / "index"
    before = (index.read_bytes(), index.stat().st_mtime_ns)
    started(made)
    stop(made)
    (made.path / ".git" / "index.lock").write_text("")
    stop(made, "Next: something else")
    assert (index.read_bytes(), index.stat().st_mtime_ns) == before
    assert made.active()["next_action"] == "something else"
    assert made.hook_log() == ""


def test_b49_our_files_never_show_and_kinds_of_dirt_are_told_apart(tmp_path: Path) -> None:
    made = built("own-files", tmp_path / "case")
    made.commit("set up handoff")
    for _ in range(2):
        stop(made)
        assert made.git("status", "--porcelain") == ""
        assert made.active()["changed_files"] == []
    made.write("u.txt", "u\n")
    made.write("a", "changed\n")
    stop(made)
    kinds = {item["path"]: item["change"] for item in made.active()["changed_files"]}
    assert kinds == {"u.txt": "untracked", "a": "modified"}


def test_b50_a_repository_of_another_owner_is_said_to_be_one(tmp_path: Path) -> None:
    made = built("own-files", tmp_path / "case")
    (command,) = made.hook_commands("claude-code", "Stop")
    foreign = environment(made.path) | {"GIT_TEST_ASSUME_DIFFERENT_OWNER": "1"}
    done = subprocess.run(
        ["sh", "-c", command],
        input=json.dumps(event("Stop")),
        cwd=made.path,
        env=foreign,
        text=True,
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert "belongs to another user" in made.hook_log()
    assert "safe.directory" in made.hook_log()
    assert made.packets() == {}


def test_b51_nested_checkouts_are_an_entry_each_and_cost_no_time(tmp_path: Path) -> None:
    made = built("nested-checkouts", tmp_path / "case")
    began = time.monotonic()
    stop(made)
    took = time.monotonic() - began
    changed = [item["path"] for item in made.active()["changed_files"]]
    assert len(changed) <= 5
    assert "vendor/lib" in changed
    assert took < 10  # generous: the machine is shared


def test_b52_changed_files_have_their_real_names(tmp_path: Path) -> None:
    made = built("odd-names", tmp_path / "case")
    stop(made)
    packet = made.active()
    found = {(item["path"], item["change"], item["from"]) for item in packet["changed_files"]}
    assert found == {
        ("café -> x.txt", "renamed", "a b.txt"),
        ('tab\tq"uote', "untracked", None),
        ("gone", "deleted", None),
        ("m.txt", "modified", None),
    }
    assert "\\303\\251" not in json.dumps(packet, ensure_ascii=False)


def test_b53_a_packet_is_found_in_its_work_tree_and_in_no_other(tmp_path: Path) -> None:
    folder = tmp_path / "case"
    main = built("worktrees", folder)
    trees = {name: Repository(folder / name) for name in ("wa", "wb")}
    for tree in trees.values():
        assert tree.handoff("init", "--defaults").returncode == 0
    stop(trees["wa"])
    assert "go on" in started(trees["wa"])
    assert "go on" in started(trees["wa"], trees["wa"].path / "sub" / "dir")
    assert "go on" in started(trees["wa"], folder / "wa-link")
    assert started(trees["wb"]) == ""
    assert started(main) == ""


@pytest.mark.parametrize(
    ("how", "notice"), [("", "HEAD moved on by 1 commit"), ("amend", "no ancestor of HEAD")]
)
def test_b54_a_stale_packet_says_so_first_and_is_still_shown(
    tmp_path: Path, how: str, notice: str
) -> None:
    made = built("moved-head", tmp_path / "case")
    stop(made)
    script("moved-head", "advance.sh", tmp_path / "case", *filter(None, [how]))
    told = started(made)
    assert notice in told
    assert told.index("Freshness:") < told.index("Whole packet:")
    assert "NEXT ACTION (from statement): go on" in told


@pytest.mark.parametrize("transcript", ["empty_session.jsonl", "zero.jsonl"])
def test_b55_a_session_without_a_turn_leaves_the_good_packet_active(
    project: Repository, transcript: str
) -> None:
    project.play("claude-code")
    good = project.active()
    path = str(CASES / "empty-session" / transcript)
    ended = event("SessionEnd", "empty", reason="clear") | {"transcript_path": path}
    project.hook("claude-code", ended)
    assert project.active() == good


def test_b57_without_an_answer_there_is_no_placeholder_but_a_reason(project: Repository) -> None:
    path = str(CASES / "no-answer" / "a_no_answer.jsonl")
    project.hook("claude-code", event("Stop") | {"transcript_path": path})
    text = (project.path / "outputs/handoff/s-1/blocked.json").read_text()
    record = json.loads(text)
    assert record["next_action"] is None
    assert record["blocked"][0]["code"] == "next_action.missing"
    for placeholder in ("TODO", "goes here", "N/A", "TBD"):
        assert placeholder not in text


def test_b57_an_open_question_is_carried_over(project: Repository) -> None:
    path = str(CASES / "no-answer" / "b_open_question.jsonl")
    project.hook("claude-code", event("Stop") | {"transcript_path": path})
    question = "Which database should I use, sqlite or postgres?"
    packet = project.active()
    assert packet["questions_for_human"] == [question]
    assert packet["next_action"] == f"get an answer to the agent's question: {question}"
    assert packet["next_action_source"] == "statement"
