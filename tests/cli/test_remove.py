"""`handoff remove`: the repository is as it was before, but for what the user made of ours."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import repository
from tests.repository import SETTINGS, Repository


@pytest.fixture
def before(tmp_path: Path) -> Repository:
    """A repository with settings of its own for two agents, before anybody set handoff up."""
    made = repository.new(tmp_path / "mine")
    made.write("app.py", "print('hello')\n")
    made.write("docs/guide.md", "# Guide\n")
    made.write(".claude/settings.json", '{"model": "opus"}\n')
    made.write(".gemini/settings.json", "// mine\n{}\n")
    made.commit("start")
    return made


def files(project: Repository) -> dict[str, bytes]:
    found = (path for path in project.path.rglob("*") if path.is_file())
    inside = ((str(path.relative_to(project.path)), path) for path in found)
    return {name: path.read_bytes() for name, path in inside if not name.startswith(".git/")}


def folders(project: Repository) -> set[Path]:
    found = (path for path in project.path.rglob("*") if path.is_dir())
    return {path for path in found if ".git" not in path.parts}


def set_up(project: Repository) -> None:
    every = f"runtimes=[{', '.join(SETTINGS)}]"
    done = project.handoff("init", "--defaults", "--data", every)
    assert done.returncode == 0, done.stderr
    project.play("claude-code")


def test_the_repository_is_as_it_was_before(before: Repository) -> None:
    original = files(before)
    there = folders(before)
    set_up(before)
    assert len(files(before)) > len(original) + 20
    done = before.handoff("remove")
    assert done.returncode == 0, done.stderr
    assert files(before) == original
    assert folders(before) == there
    assert before.git("status", "--porcelain") == ""
    assert (before.path / ".git" / "handoff" / "ledger.git").is_dir()
    assert "the packets stay in" in done.stderr
    assert before.handoff("projects", "list", "--json").stdout == "[]\n"


def test_with_the_ledger_nothing_is_left(before: Repository) -> None:
    set_up(before)
    assert before.handoff("remove", "--ledger").returncode == 0
    assert not (before.path / ".git" / "handoff").exists()


def test_what_was_edited_stays_and_is_told(before: Repository) -> None:
    set_up(before)
    docs = before.path / "docs" / "handoff.md"
    docs.write_text(docs.read_text() + "mine\n")
    done = before.handoff("remove")
    assert "kept your edits in docs/handoff.md" in done.stdout
    assert docs.read_text().endswith("mine\n")
    assert not (before.path / ".handoff").exists()


def test_a_dry_run_removes_nothing(before: Repository) -> None:
    set_up(before)
    there = files(before)
    done = before.handoff("remove", "--dry-run")
    assert "would be removed hooks from .claude/settings.json" in done.stdout
    assert "would be removed .handoff/config.json" in done.stdout
    assert files(before) == there


def test_settings_that_cannot_be_parsed_stop_it_before_anything_goes(before: Repository) -> None:
    set_up(before)
    before.write(".codex/hooks.json", "{ broken")
    there = files(before)
    assert before.handoff("remove").returncode == 1
    assert files(before) == there


def test_a_folder_with_files_of_the_user_stays(before: Repository) -> None:
    set_up(before)
    answers = before.path / ".handoff" / "answers.yml"
    text = answers.read_text(encoding="utf-8")
    answers.write_text(text.replace("path_outputs: outputs/handoff", "path_outputs: docs"))
    done = before.handoff("remove")
    assert done.returncode == 0, done.stderr
    assert (before.path / "docs" / "guide.md").is_file()
    assert "kept your edits in docs/" in done.stdout


@pytest.mark.parametrize("link", [".handoff/state", "outputs"])
def test_a_folder_that_a_link_leads_to_elsewhere_stays(
    before: Repository, tmp_path: Path, link: str
) -> None:
    set_up(before)
    (before.path / link).rename(tmp_path / "elsewhere")
    (before.path / link).symlink_to(tmp_path / "elsewhere")
    was = {
        path: path.read_bytes() for path in (tmp_path / "elsewhere").rglob("*") if path.is_file()
    }
    before.handoff("remove")
    assert {path: path.read_bytes() for path in was if path.is_file()} == was
