"""`handoff projects` and `--all`: the projects of a machine, updated side by side."""

from __future__ import annotations

import json
import os
import shutil
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from handoff_cli import __version__, fleet
from tests.repository import Repository


@pytest.fixture
def several(project: Repository) -> list[Repository]:
    """Three copies of a project; the commands see one home folder."""
    copies = []
    for name in ("one", "two", "three"):
        shutil.copytree(project.path, project.path.parent / name, symlinks=True)
        copies.append(Repository(project.path.parent / name))
    return copies


def listed(project: Repository) -> list[str]:
    rows: list[dict[str, Any]] = json.loads(project.handoff("projects", "list", "--json").stdout)
    return [row["path"] for row in rows]


def test_a_project_is_put_on_record_and_forgotten(project: Repository) -> None:
    assert listed(project) == []
    assert "added" in project.handoff("projects", "add").stderr
    assert "known already" in project.handoff("projects", "add").stderr
    assert listed(project) == [str(project.path)]
    assert project.handoff("projects", "list").stdout == f"v{__version__}     {project.path}\n"
    assert "forgotten" in project.handoff("projects", "remove").stderr
    assert listed(project) == []
    assert (project.path / ".handoff" / "answers.yml").exists()


def test_init_puts_a_project_on_record(project: Repository) -> None:
    assert project.handoff("init", "--defaults").returncode == 0
    assert listed(project) == [str(project.path)]


def test_many_at_once_lose_nothing(several: list[Repository]) -> None:
    with ThreadPoolExecutor() as pool:
        list(pool.map(lambda one: one.handoff("projects", "add"), several))
    assert listed(several[0]) == sorted(str(one.path) for one in several)


def test_a_scan_finds_projects_and_no_copies_in_vendor_folders(
    several: list[Repository], tmp_path: Path
) -> None:
    shutil.copytree(several[0].path, several[1].path / "vendor" / "app")
    shutil.copytree(several[0].path, several[1].path / "node_modules" / "x" / "app")
    dry = several[0].handoff("projects", "scan", str(tmp_path), "--dry-run")
    assert len(dry.stdout.splitlines()) == 4
    assert listed(several[0]) == []
    done = several[0].handoff("projects", "scan", str(tmp_path))
    assert done.returncode == 0
    assert listed(several[0]) == sorted(
        str(one) for one in (tmp_path / "app", *(one.path for one in several))
    )


def test_one_that_fails_stops_no_other(several: list[Repository]) -> None:
    for one in several:
        one.commit("all")
        assert one.handoff("projects", "add").returncode == 0
    (several[0].path / "docs" / "handoff.md").unlink()
    settings = several[1].path / ".codex" / "hooks.json"
    settings.write_text("{ broken")
    shutil.rmtree(several[2].path / ".handoff")
    (several[0].path / ".gemini" / "settings.json").unlink()
    done = several[0].handoff("update", "--all", "--json")
    assert done.returncode == 1, done.stderr
    rows = {Path(row["path"]).name: row for row in json.loads(done.stdout)}
    assert rows["one"]["result"] == "updated"
    assert rows["one"]["update"]["settings"] == [".gemini/settings.json"]
    assert rows["two"]["result"] == "failed"
    assert "`.codex/hooks.json`" in rows["two"]["error"]
    assert "there is no project any more" in rows["three"]["error"]
    assert settings.read_text() == "{ broken"
    settings.unlink()
    table = several[0].handoff("update", "--all").stdout
    assert "up to date" in table
    assert "updated" in table


def test_hooks_are_installed_everywhere(several: list[Repository]) -> None:
    for one in several:
        assert one.handoff("projects", "add").returncode == 0
    settings = [one.path / ".gemini" / "settings.json" for one in several]
    wanted = settings[0].read_bytes()
    settings[0].unlink()
    settings[1].write_text("{ broken")
    dry = several[0].handoff("hooks", "install", "--all", "--dry-run", "--runtime", "gemini")
    assert not settings[0].exists()
    done = several[0].handoff("hooks", "install", "--all", "--json")
    assert (dry.returncode, done.returncode) == (1, 1), done.stderr
    rows = {Path(row["path"]).name: row for row in json.loads(done.stdout)}
    assert {name: row["result"] for name, row in rows.items()} == {
        "one": "installed",
        "two": "failed",
        "three": "in place",
    }
    changed = [row["runtime"] for row in rows["one"]["hooks"] if row["changed"]]
    assert changed == ["gemini"]
    assert settings[0].read_bytes() == wanted
    assert settings[1].read_text() == "{ broken"


def test_interrupted_it_finishes_what_it_began_and_tells_what_it_did_not(
    several: list[Repository], monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = []

    def slow(command: list[str], folder: Path, shared: str) -> fleet.Result:
        begun.append(folder)
        time.sleep(0.2)
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.5)
        return fleet.Result(folder, 0, {}, "")

    monkeypatch.setattr(fleet, "_run", slow)
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    first, *others = fleet.run(["update"], [one.path for one in several])
    assert begun == [several[0].path]
    assert first.code == 0
    assert [one.code for one in others] == [fleet.INTERRUPTED] * 2


def test_a_project_cannot_stand_in_for_our_own_modules(several: list[Repository]) -> None:
    several[0].write("handoff_cli.py", "raise SystemExit('caught')\n")
    several[0].write("yaml.py", "raise SystemExit('caught')\n")
    several[0].commit("odd names")
    assert several[1].handoff("projects", "add", str(several[0].path)).returncode == 0
    done = several[1].handoff("hooks", "install", "--all", "--json")
    assert [row["result"] for row in json.loads(done.stdout)] == ["in place"]
