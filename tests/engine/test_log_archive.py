"""`handoff log` and `handoff archive`: the chain of packets, and taking one out of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine import ledger
from tests.repository import Repository


def log(project: Repository, *arguments: str) -> list[dict[str, Any]]:
    done = project.handoff("log", "--json", *arguments)
    assert done.returncode == 0, done.stderr
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def listed(project: Repository, *arguments: str) -> list[tuple[str, str]]:
    return [(one["session"], one["status"]) for one in log(project, *arguments)]


def refs(project: Repository) -> list[str]:
    where = project.path / ".git" / "handoff" / "ledger.git"
    found = project.git(f"--git-dir={where}", "for-each-ref", "--format=%(refname)")
    return found.split()


def test_the_log_lists_the_chain_from_the_newest_on(project: Repository) -> None:
    assert log(project) == []
    for number, runtime in enumerate(("claude-code", "codex", "claude-code"), 1):
        project.play(runtime, session_id=f"s{number}")
    found = log(project)
    assert [(one["session"], one["runtime"], one["status"]) for one in found] == [
        ("s3", "claude-code", "active"),
        ("s2", "codex", "superseded"),
        ("s1", "claude-code", "superseded"),
    ]
    assert {one["next_action"] for one in found} == {"Make lint.py pass"}
    assert all(one["when"].endswith("Z") for one in found)
    assert listed(project, "-n", "2") == [("s3", "active"), ("s2", "superseded")]
    lines = project.handoff("log").stdout.splitlines()
    assert len(lines) == 3
    assert "active  s3 (claude-code): Make lint.py pass" in lines[0]


def test_the_log_keeps_to_its_branch_and_topic(project: Repository) -> None:
    project.play("claude-code", session_id="one")
    project.handoff("topic", "use", "parser")
    assert "no packet on the topic parser" in project.handoff("log").stdout
    project.play("codex", session_id="two")
    assert listed(project) == [("two", "active")]
    assert listed(project, "--topic", "default") == [("one", "active")]
    project.git("switch", "--quiet", "-c", "other")
    assert log(project) == []


def test_an_archived_packet_is_active_no_more(project: Repository) -> None:
    project.play("claude-code", session_id="one")
    project.play("codex", session_id="two")
    digest = project.active()["digest"]
    done = project.handoff("archive")
    assert done.returncode == 0, done.stderr
    conversation = "put aside: the conversation, 2 sessions\n"
    assert done.stdout == f"archived: two of `main`, default\n{conversation}"
    assert project.handoff("show").returncode == 1
    (ref,) = [one for one in refs(project) if not one.startswith("refs/handoff/past/")]
    assert ref.startswith("refs/handoff/archived/main/default/")
    assert json.loads(project.engine("timeline", "--json").stdout)["entries"] == []
    assert listed(project) == [("two", "archived"), ("one", "superseded")]
    packets = project.packets()
    assert (packets["two"]["status"], packets["one"]["status"]) == ("archived", "superseded")
    assert packets["two"]["digest"] != digest
    assert project.engine("validate", "outputs/handoff/two/handoff.json").returncode == 0
    start = {"session_id": "s", "hook_event_name": "SessionStart", "source": "startup"}
    assert project.hook("claude-code", {**start, "transcript_path": ""}) == ""


def test_an_archived_packet_is_still_shown_by_its_session(project: Repository) -> None:
    project.play("claude-code", session_id="one")
    project.play("codex", session_id="two")
    project.handoff("archive")
    project.play("codex", session_id="three")
    for session_id, status in (("one", "superseded"), ("two", "archived"), ("three", "active")):
        shown = json.loads(project.handoff("show", "--json", "--session", session_id).stdout)
        assert (shown["session"]["id"], shown["status"]) == (session_id, status)
    assert project.handoff("show", "--session", "four").returncode == 1


@pytest.mark.parametrize("with_packet", [True, False])
def test_with_the_packet_goes_what_was_to_be_mended(project: Repository, with_packet: bool) -> None:
    if with_packet:
        project.play("claude-code", session_id="one")
    project.configure(gate={"working_tree": "refuse"})
    two = {"session_id": "two", "transcript_path": ""}
    project.hook("claude-code", {**two, "hook_event_name": "SessionStart", "source": "startup"})
    project.write("half.py", "x = 1\n")
    project.hook("claude-code", {**two, "hook_event_name": "Stop"})
    assert any("/blocked/" in ref for ref in refs(project))
    assert project.handoff("archive").returncode == 0
    assert not any("/blocked/" in ref for ref in refs(project))
    start = {"session_id": "s", "hook_event_name": "SessionStart", "source": "startup"}
    assert project.hook("claude-code", {**start, "transcript_path": ""}) == ""


def test_a_dry_run_only_says_what_would_be_archived(project: Repository) -> None:
    project.play("claude-code", session_id="one")
    before = refs(project)
    done = project.handoff("archive", "--dry-run")
    assert done.stdout == "would be archived: one of `main`, default\n"
    assert (refs(project), project.active()["status"]) == (before, "active")


def test_archiving_again_changes_nothing(project: Repository) -> None:
    project.play("claude-code")
    project.handoff("archive")
    before = refs(project), project.packets()
    again = project.handoff("archive")
    assert (again.returncode, again.stdout) == (0, "")
    assert "nothing to archive" in again.stderr
    assert (refs(project), project.packets()) == before


def test_work_goes_on_after_an_archive_with_a_chain_of_its_own(project: Repository) -> None:
    project.play("claude-code", session_id="one")
    project.handoff("archive")
    project.play("codex", session_id="two")
    assert project.active()["supersedes"] is None
    assert listed(project) == [("two", "active"), ("one", "archived")]


def test_only_the_topic_asked_for_is_archived(project: Repository) -> None:
    project.play("claude-code", session_id="one")
    project.handoff("topic", "use", "parser")
    project.play("codex", session_id="two")
    assert "one of `main`, default" in project.handoff("archive", "--topic", "default").stdout
    assert project.active()["session"]["id"] == "two"
    assert project.handoff("show", "--topic", "default").returncode == 1


@pytest.mark.parametrize("branch", ["feature/Ünï", "x" * 200])
def test_packets_of_branches_that_are_gone_are_archived(project: Repository, branch: str) -> None:
    project.play("claude-code", session_id="one")
    project.git("switch", "--quiet", "-c", branch)
    project.play("codex", session_id="two")
    assert project.handoff("archive", "--gone").stdout == ""
    project.git("switch", "--quiet", "main")
    assert project.handoff("archive", "--gone").stdout == ""
    project.git("branch", "-D", branch)
    done = project.handoff("archive", "--gone")
    aside = "put aside: the conversation, 1 session\n"
    assert done.stdout == f"archived: two of `{branch}`, default\n{aside}", done.stderr
    assert project.packets()["two"]["status"] == "archived"
    assert listed(project) == [("one", "active")]
    assert project.handoff("archive", "--gone").stdout == ""


def test_a_branch_before_its_first_commit_is_not_gone(project: Repository) -> None:
    project.git("switch", "--quiet", "--orphan", "empty")
    project.write("new.py", "x = 1\n")
    assert project.engine("generate").returncode == 0
    assert project.engine("archive", "--gone").stdout == ""
    assert project.engine("show").returncode == 0


def test_a_branch_of_another_work_tree_is_not_gone(project: Repository, tmp_path: Path) -> None:
    project.commit("with handoff")
    project.git("worktree", "add", "--quiet", "-b", "other", str(tmp_path / "tree"))
    tree = Repository(tmp_path / "tree")
    tree.write("new.py", "x = 1\n")
    assert tree.engine("generate").returncode == 0
    assert project.engine("archive", "--gone").stdout == ""
    assert tree.engine("show").returncode == 0


def publish(where: str, session: str, old: ledger.Tip | None = None) -> None:
    ref = ledger.ref("main", None, "default")
    assert ledger.publish(where, ref, {"handoff.json": session.encode()}, session, 100, old)


def test_a_packet_that_moved_meanwhile_is_not_archived(tmp_path: Path) -> None:
    where = ledger.path(str(tmp_path))
    assert ledger.branches(where) == ()
    publish(where, "one")
    (stale,) = ledger.branches(where)
    assert (stale.branch, stale.topic) == ("main", "default")
    publish(where, "two", ledger.tip(where, stale.ref))
    assert not ledger.archive(where, stale)
    assert ledger.packets(where, stale.ref) == (b"two", b"one")
    assert ledger.branches(where, "archived") == ()
    (fresh,) = ledger.branches(where)
    assert ledger.archive(where, fresh)
    assert not ledger.archive(where, fresh)
    (archived,) = ledger.branches(where, "archived")
    assert archived.commit == fresh.commit
    assert ledger.packets(where, archived.ref) == (b"two", b"one")
