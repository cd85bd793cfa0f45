"""`handoff update`: several releases of the template, and what a user did in between."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import repository
from tests.cli.releases import DOCS, Releases, updated
from tests.repository import Repository, environment


@pytest.fixture
def project(releases: Releases, tmp_path: Path) -> Repository:
    """A project that was set up by 0.9.0, all of it committed."""
    made = repository.new(tmp_path / "app")
    made.write("app.py", "print('hello')\n")
    made.commit("start")
    done = releases.handoff(made, "init", "--defaults")
    assert done.returncode == 0, done.stderr
    made.commit("handoff")
    return made


def answers(project: Repository) -> str:
    return (project.path / ".handoff" / "answers.yml").read_text()


def test_a_project_at_this_version_has_nothing_to_change(
    releases: Releases, project: Repository
) -> None:
    done = releases.handoff(project, "update")
    assert (done.returncode, done.stdout) == (0, "")
    assert "nothing to change: this project is at 0.9.0" in done.stderr
    assert project.git("status", "--porcelain") == ""


def test_edits_survive_and_what_is_new_arrives(releases: Releases, project: Repository) -> None:
    """Three releases later, skipping two: an edit, a deleted file, a file that moved, questions."""
    docs = project.path / "docs" / "handoff.md"
    docs.write_text(docs.read_text().replace("# Handoff packets in this", "# Our packets in this"))
    (project.path / "tools" / "generate_handoff.py").unlink()
    project.commit("ours")
    releases.edit(DOCS, "## What is trimmed", "## What is cut")
    releases.edit("template/tools/generate_handoff.py.jinja", '"""', '"""New. ')
    releases.release("0.10.0")
    releases.edit("copier.yml", "pull_request_template:", "with_pull_requests:")
    releases.edit(
        "copier.yml",
        "  help: Add a pull-request template for GitHub in the shape of `handoff pr`?\n"
        "  default: false",
        "  help: Add a pull-request template for GitHub in the shape of `handoff pr`?\n"
        '  default: "{{ pull_request_template | default(false) }}"',
    )
    folder = "template/{% if pull_request_template %}.github{% endif %}"
    renamed = folder.replace("pull_request_template", "with_pull_requests")
    releases.checkout.git("mv", folder, renamed)
    config = "template/.handoff/config.json.jinja"
    releases.edit(config, "if pull_request_template", "if with_pull_requests")
    releases.release("1.0.0rc1")
    moved = DOCS.replace("docs/handoff.md", "docs/handoff/README.md")
    (releases.checkout.path / moved).parent.mkdir()
    releases.checkout.git("mv", DOCS, moved)
    releases.release("1.0.0")

    found = updated(releases, project)
    assert "docs/handoff.md" in found["deleted"]
    assert {"docs/handoff/README.md", ".handoff/answers.yml"} <= set(found["written"])
    assert (found["from"], found["to"], found["conflicts"]) == ("0.9.0", "1.0.0", [])
    text = (project.path / "docs" / "handoff" / "README.md").read_text()
    assert "# Our packets in this" in text
    assert "## What is cut" in text
    assert not docs.exists()
    assert not (project.path / "tools" / "generate_handoff.py").exists()
    assert "_commit: v1.0.0\n" in answers(project)
    assert "with_pull_requests: false" in answers(project)
    assert "pull_request_template" not in answers(project)
    project.commit("updated")
    assert updated(releases, project)["written"] == []


def test_a_line_that_both_changed_is_a_conflict_to_git(
    releases: Releases, project: Repository
) -> None:
    docs = project.path / "docs" / "handoff.md"
    docs.write_text(docs.read_text().replace("## What is trimmed", "## What we trim"))
    project.commit("ours")
    releases.edit(DOCS, "## What is trimmed", "## What is cut")
    releases.release("0.10.0")
    assert updated(releases, project, code=3)["conflicts"] == ["docs/handoff.md"]
    assert "UU docs/handoff.md" in project.git("status", "--porcelain")
    text = docs.read_text()
    assert "<<<<<<< yours\n## What we trim" in text
    assert ">>>>>>> handoff" in text
    again = releases.handoff(project, "update")
    assert again.returncode == 1
    assert "unresolved conflicts: `docs/handoff.md`" in " ".join(again.stderr.split())
    docs.write_text("# ours\n")
    project.commit("resolved")
    assert updated(releases, project)["written"] == []


@pytest.mark.parametrize(
    ("path", "source", "line"),
    [
        (".handoff/engine/modules.txt", "engine/times.py", '"""Times as text'),
        (".handoff/config.json", "template/.handoff/config.json.jinja", '"schema_version": 1'),
    ],
)
def test_no_conflict_marker_reaches_what_runs(
    releases: Releases, project: Repository, path: str, source: str, line: str
) -> None:
    ours = project.path / path
    text = ours.read_text()
    assert text.count(line) == 1
    ours.write_text(text.replace(line, line.replace("1", "1.0").replace("Times", "Ours: times")))
    project.commit("ours")
    releases.edit(source, line, line.replace(": 1", ":1").replace("Times", "Theirs: times"))
    releases.release("0.10.0")
    assert updated(releases, project, code=3)["conflicts"] == [path]
    assert "<<<<<<<" not in ours.read_text()
    assert line.replace(": 1", ":1").replace("Times", "Theirs: times") in ours.read_text()
    assert f"UU {path}" in project.git("status", "--porcelain")
    assert text != project.git("show", f":2:{path}")
    assert project.engine("status").returncode == 0


def test_work_elsewhere_is_neither_blocked_nor_touched(
    releases: Releases, project: Repository
) -> None:
    project.write("app.py", "print('half done')\n")
    project.write("new file.txt", "x\n")
    project.git("add", "app.py")
    before = project.git("status", "--porcelain", "app.py", "new file.txt")
    releases.edit(DOCS, "## What is trimmed", "## What is cut")
    releases.release("0.10.0")
    assert "docs/handoff.md" in updated(releases, project)["written"]
    assert project.git("status", "--porcelain", "app.py", "new file.txt") == before


def test_a_managed_file_with_work_in_no_commit_is_named_and_refused(
    releases: Releases, project: Repository
) -> None:
    docs = project.path / "docs" / "handoff.md"
    docs.write_text(docs.read_text() + "mine\n")
    releases.edit(DOCS, "## What is trimmed", "## What is cut")
    releases.release("0.10.0")
    before = {path: path.read_bytes() for path in project.path.rglob("*.md")}
    done = releases.handoff(project, "update")
    assert done.returncode == 1
    assert "not committed: `docs/handoff.md`" in done.stderr
    assert {path: path.read_bytes() for path in project.path.rglob("*.md")} == before
    assert "_commit: v0.9.0" in answers(project)


def test_files_that_nobody_committed_yet_are_updated_as_long_as_they_are_ours(
    releases: Releases, tmp_path: Path
) -> None:
    made = repository.new(tmp_path / "fresh")
    made.write("app.py", "x\n")
    made.commit("start")
    assert releases.handoff(made, "init", "--defaults").returncode == 0
    releases.edit(DOCS, "## What is trimmed", "## What is cut")
    releases.release("0.10.0")
    assert "docs/handoff.md" in updated(releases, made)["written"]


def test_a_project_newer_than_this_version_is_refused(
    releases: Releases, project: Repository
) -> None:
    path = project.path / ".handoff" / "answers.yml"
    path.write_text(path.read_text().replace("_commit: v0.9.0", "_commit: v2.0.0"))
    project.commit("made elsewhere")
    done = releases.handoff(project, "update")
    assert done.returncode == 1
    assert "set up by handoff v2.0.0, this is v0.9.0" in " ".join(done.stderr.split())


@pytest.mark.parametrize("name", ["packages/one", "söder ü/it's app"])
def test_in_a_subfolder_of_any_name(releases: Releases, tmp_path: Path, name: str) -> None:
    whole = repository.new(tmp_path / "whole")
    project = Repository(whole.path / name)
    project.write("app.py", "x\n")
    whole.commit("start")
    assert releases.handoff(project, "init", "--defaults").returncode == 0
    docs = project.path / "docs" / "handoff.md"
    docs.write_text(docs.read_text().replace("## What is trimmed", "## What we trim"))
    whole.commit("handoff")
    releases.edit(DOCS, "## What is trimmed", "## What is cut")
    releases.release("0.10.0")
    assert updated(releases, project, code=3)["conflicts"] == ["docs/handoff.md"]
    unmerged = whole.git("-c", "core.quotePath=false", "diff", "--name-only", "--diff-filter=U")
    assert unmerged == f"{name}/docs/handoff.md\n"


def test_without_tags_the_commits_that_set_the_version_are_the_releases(
    releases: Releases, project: Repository
) -> None:
    releases.edit(DOCS, "## What is trimmed", "## What is cut")
    releases.release("0.10.0", tagged=False)
    releases.checkout.git("tag", "-d", "v0.9.0")
    found = updated(releases, project)
    assert (found["from"], found["base"]) == ("0.9.0", None)
    assert "docs/handoff.md" in found["written"]


def test_regenerate_brings_back_what_is_missing_and_keeps_edits(
    releases: Releases, project: Repository
) -> None:
    docs = project.path / "docs" / "handoff.md"
    docs.write_text(docs.read_text() + "mine\n")
    settings = project.path / ".codex" / "hooks.json"
    settings.unlink()
    project.commit("ours")
    releases.edit(DOCS, "## What is trimmed", "## What is cut")
    releases.release("0.10.0")
    done = releases.handoff(project, "regenerate")
    assert done.returncode == 0, done.stderr
    assert settings.is_file()
    assert docs.read_text().endswith("mine\n")
    assert "## What is trimmed" in docs.read_text()
    assert "_commit: v0.9.0" in answers(project)


def test_a_dry_run_writes_nothing(releases: Releases, project: Repository) -> None:
    releases.edit(DOCS, "## What is trimmed", "## What is cut")
    releases.release("0.10.0")
    done = releases.handoff(project, "update", "--dry-run")
    assert "would be written docs/handoff.md" in done.stdout
    assert project.git("status", "--porcelain") == ""


def test_inside_a_git_hook_with_hostile_settings(
    releases: Releases, project: Repository, tmp_path: Path
) -> None:
    releases.edit(DOCS, "## What is trimmed", "## What is cut")
    releases.release("0.10.0")
    hostile = tmp_path / "gitconfig"
    hostile.write_text(
        "[commit]\n\tgpgSign = true\n[core]\n\thooksPath = /nowhere\n\tautocrlf = true\n"
        "[init]\n\ttemplateDir = /nowhere\n[diff]\n\texternal = false\n[merge]\n\tff = only\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "handoff_cli", "update", "--json"],
        cwd=project.path,
        env={
            **environment(project.path),
            "PYTHONPATH": str(releases.checkout.path / "cli"),
            "GIT_CONFIG_GLOBAL": str(hostile),
            "GIT_DIR": str(project.path / ".git"),
            "GIT_INDEX_FILE": str(tmp_path / "elsewhere"),
            "PATH": os.environ["PATH"],
        },
        text=True,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "docs/handoff.md" in json.loads(done.stdout)["written"]
