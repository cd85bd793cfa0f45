"""`handoff topic`: one active packet for each line of work on a branch."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine import topics
from engine.errors import HandoffError
from tests import repository
from tests.repository import Repository

FILE = ".handoff/state/topics.json"


def read(project: Repository, *arguments: str) -> Any:
    done = project.handoff(*arguments, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def active(project: Repository) -> dict[str, str]:
    """The session of the active packet of each topic."""
    return {one["topic"]: one["session"] for one in read(project, "topic")["active"]}


def test_two_topics_of_one_branch_have_an_active_packet_each(project: Repository) -> None:
    project.play("claude-code", session_id="one")
    assert project.handoff("topic", "use", "The parser/2").returncode == 0
    start = project.play("codex", session_id="two")[0]
    assert start == ""  # nothing was handed over: this line of work is new
    assert active(project) == {"default": "one", "The parser/2": "two"}
    assert project.active()["session"]["id"] == "two"
    assert project.active()["task"]["topic"] == "The parser/2"
    assert read(project, "show", "--topic", "default")["session"]["id"] == "one"
    assert project.packets()["one"]["status"] == "active"
    assert read(project, "status")["active"]["session"]["id"] == "two"
    assert read(project, "status", "--topic", "default")["active"]["session"]["id"] == "one"


def test_one_topic_has_one_active_packet_and_the_older_is_superseded(project: Repository) -> None:
    project.handoff("topic", "use", "parser")
    project.play("claude-code", session_id="one")
    start = project.play("codex", session_id="two")[0]
    assert "Make lint.py pass" in start
    assert active(project) == {"parser": "two"}
    assert project.packets()["one"]["status"] == "superseded"
    assert project.active()["supersedes"] == "one"


def test_a_session_keeps_its_topic_when_another_is_chosen(project: Repository) -> None:
    project.play("claude-code", session_id="one")
    project.handoff("topic", "use", "parser")
    project.play("claude-code", session_id="one")
    assert active(project) == {"default": "one"}


def test_a_topic_belongs_to_its_branch(project: Repository) -> None:
    project.handoff("topic", "use", "parser")
    project.git("switch", "--quiet", "-c", "other")
    assert read(project, "topic") == {"branch": "other", "topic": "default", "active": []}
    project.git("switch", "--quiet", "main")
    assert read(project, "topic")["topic"] == "parser"
    project.handoff("topic", "use", "default")
    assert read(project, "topic")["topic"] == "default"


def test_a_topic_belongs_to_its_work_tree(project: Repository, tmp_path: Path) -> None:
    project.commit("with handoff")
    project.git("worktree", "add", "--quiet", "-b", "other", str(tmp_path / "tree"))
    tree = Repository(tmp_path / "tree")
    tree.engine("topic", "use", "parser")
    assert json.loads(tree.engine("topic", "--json").stdout)["topic"] == "parser"
    assert read(project, "topic")["topic"] == "default"


def test_generate_files_under_the_topic_asked_for(project: Repository) -> None:
    project.write("app.py", "print('changed')\n")
    project.handoff("topic", "use", "parser")
    assert project.handoff("generate").returncode == 0
    assert active(project) == {"parser": "manual"}
    assert project.handoff("generate", "--topic=--odd").returncode == 0
    assert active(project) == {"parser": "manual", "--odd": "manual"}


def test_generate_moves_the_newest_session_to_the_current_topic(project: Repository) -> None:
    project.play("claude-code", session_id="one")
    project.handoff("topic", "use", "parser")
    assert project.handoff("generate", "--session", "one").returncode == 0
    assert active(project) == {"default": "one"}
    assert project.handoff("generate").returncode == 0
    assert project.active()["session"]["id"] == "one"


def test_the_same_choice_again_changes_nothing(project: Repository) -> None:
    project.engine("topic", "use", "parser")
    before = (project.path / FILE).stat().st_mtime_ns
    again = project.engine("topic", "use", "parser")
    assert (again.returncode, "already" in again.stderr) == (0, True)
    assert (project.path / FILE).stat().st_mtime_ns == before


def test_people_see_the_topics_in_words(project: Repository) -> None:
    assert "no active packet" in project.handoff("topic").stdout
    project.play("claude-code")
    assert project.handoff("topic").stdout == (
        "topic of `main`: default\n  default: Make lint.py pass\n"
    )


@pytest.mark.parametrize("name", ["", " a", "a ", "a\nb", "\x1b[1m", "a" * 81, "\u202e", "\udc80"])
def test_what_can_be_no_name_is_refused(name: str) -> None:
    with pytest.raises(HandoffError, match="cannot be the name of a topic"):
        topics.checked(name)


def test_a_name_is_data_and_never_a_path(project: Repository) -> None:
    assert project.handoff("topic", "use", "--", "-../../x y%~^:?*[\\").returncode == 0
    project.play("claude-code")
    assert project.hook_log() == ""
    assert project.active()["task"]["topic"] == "-../../x y%~^:?*[\\"


def test_a_detached_head_has_no_topic_to_choose(project: Repository) -> None:
    project.git("checkout", "--quiet", "--detach")
    done = project.engine("topic", "use", "parser")
    assert (done.returncode, "HEAD is detached" in done.stderr) == (1, True)
    assert read(project, "topic")["topic"] == "default"


@pytest.mark.parametrize("text", ["{", "[]", '{"schema_version": 1, "branches": {"main": 1}}'])
def test_a_broken_file_is_told_and_stops_no_session(project: Repository, text: str) -> None:
    project.write(FILE, text)
    done = project.engine("topic")
    assert (done.returncode, f"`{FILE}`" in done.stderr) == (1, True)
    project.play("claude-code")
    assert next(iter(project.packets().values()))["task"]["topic"] == "default"
    assert FILE in project.hook_log()


def test_outside_git_it_says_what_to_do(project: Repository, tmp_path: Path) -> None:
    (project.path / ".git").rename(tmp_path / "git")
    done = repository.Repository(project.path).engine("topic")
    assert (done.returncode, "git init" in done.stderr) == (1, True)
