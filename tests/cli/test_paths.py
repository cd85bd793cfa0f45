"""`handoff paths`: everything that has to know where an artifact is learns it together."""

from __future__ import annotations

import json

import pytest

from tests.repository import Repository


def shown(project: Repository) -> dict[str, str]:
    value: dict[str, str] = json.loads(project.handoff("paths", "show", "--json").stdout)
    return value


def test_the_paths_are_those_of_the_answers(project: Repository) -> None:
    found = shown(project)
    assert found["feedback"] == ".handoff/state/feedback_record.jsonl"
    assert set(found) == {
        "state", "board", "feedback", "verification", "review", "scope", "rules", "clean_state",
        "outputs",
    }  # fmt: skip
    assert "outputs       outputs/handoff  (not there)" in project.handoff("paths", "show").stdout


def test_a_new_path_is_known_everywhere_and_the_artifact_moves_along(project: Repository) -> None:
    project.play("claude-code")
    docs = project.path / "docs" / "handoff.md"
    docs.write_text(docs.read_text() + "mine\n")
    project.commit("all")
    done = project.handoff("paths", "set", "feedback=logs/feedback.jsonl", "--move")
    assert done.returncode == 0, done.stderr
    moved = "moved .handoff/state/feedback_record.jsonl to logs/feedback.jsonl"
    assert moved in done.stdout
    assert shown(project)["feedback"] == "logs/feedback.jsonl"
    config = json.loads((project.path / ".handoff" / "config.json").read_text())
    assert config["artifacts"]["feedback"] == "logs/feedback.jsonl"
    assert "`logs/feedback.jsonl`" in docs.read_text()
    assert docs.read_text().endswith("mine\n")
    assert project.engine("generate").returncode == 0
    assert len(project.active()["commands_run"]) == 4  # read from where they are now


def test_without_a_person_nothing_is_moved_unasked(project: Repository) -> None:
    state = project.write("agent_state.json", '{"next_action": "Go on"}\n')
    project.commit("state")
    project.handoff("paths", "set", "state=agent_state.json")
    done = project.handoff("paths", "set", "state=work/state.json")
    assert "left agent_state.json where it is" in done.stdout
    assert state.exists()
    again = project.handoff("paths", "set", "state=agent_state.json")
    assert again.returncode == 0, again.stderr


def test_a_tracked_artifact_is_moved_in_git(project: Repository) -> None:
    project.write("agent_state.json", '{"next_action": "Go on"}\n')
    project.commit("state")
    project.handoff("paths", "set", "state=agent_state.json")
    project.commit("paths")
    project.handoff("paths", "set", "state=work/state.json", "--move")
    assert "R  agent_state.json -> work/state.json" in project.git("status", "--porcelain")


@pytest.mark.parametrize(
    ("pair", "told"),
    [
        ("feedback=../outside.jsonl", "is not a plain path inside the repository"),
        ("feedback=.git/x", "is not a plain path inside the repository"),
        ("feedback=.handoff/feature_list.json", "two artifacts share a path"),
        ("nonsense=x", "no artifact is called `nonsense`"),
        ("feedback", "is no KEY=PATH"),
    ],
)
def test_a_path_that_cannot_be_is_refused_and_nothing_written(
    project: Repository, pair: str, told: str
) -> None:
    before = (project.path / ".handoff" / "answers.yml").read_bytes()
    done = project.handoff("paths", "set", pair)
    assert done.returncode == 1
    assert told in " ".join(done.stderr.split())
    assert (project.path / ".handoff" / "answers.yml").read_bytes() == before


def test_artifacts_at_other_places_are_found(project: Repository) -> None:
    assert project.handoff("paths", "detect").stdout == ""
    project.write("task_board.json", "[]\n")
    project.write("outputs/verification/T-1.json", '{"passed": true}\n')
    done = project.handoff("paths", "detect")
    assert done.stdout == "board=task_board.json\nverification=outputs/verification\n"
    assert "paths set board=task_board.json" in " ".join(done.stderr.split())


def test_a_dry_run_writes_nothing(project: Repository) -> None:
    project.commit("all")
    done = project.handoff("paths", "set", "feedback=logs/feedback.jsonl", "--dry-run")
    assert "would be written .handoff/config.json" in done.stdout
    assert project.git("status", "--porcelain") == ""
