"""`handoff hooks` in real repositories."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.repository import SETTINGS, Repository


def settings(project: Repository) -> dict[str, bytes | None]:
    paths = {name: project.path / path for name, path in SETTINGS.items()}
    return {name: path.read_bytes() if path.exists() else None for name, path in paths.items()}


def test_removing_the_hooks_of_a_fresh_project_removes_the_files_that_only_we_wrote(
    project: Repository,
) -> None:
    assert project.handoff("hooks", "remove").returncode == 0
    assert settings(project) == dict.fromkeys(SETTINGS)
    for path in SETTINGS.values():
        assert (project.path / path).parts[-2] == ".claude" or not (
            project.path / path
        ).parent.exists()


def test_installing_twice_changes_nothing(project: Repository) -> None:
    once = settings(project)
    done = project.handoff("hooks", "install")
    assert "nothing to change" in done.stderr
    assert settings(project) == once


@pytest.mark.parametrize("theirs", ["{}", '{"hooks": {}}', '{\n\t"model": "x"\n}\r\n', ""])
def test_removal_gives_the_original_bytes_back(project: Repository, theirs: str) -> None:
    project.handoff("hooks", "remove")
    for path in SETTINGS.values():
        if path.endswith(".json"):
            project.write(path, theirs)
    before = settings(project)
    assert project.handoff("hooks", "install").returncode == 0
    assert settings(project) != before
    assert project.handoff("hooks", "remove").returncode == 0
    assert settings(project) == before


def test_one_runtime_can_be_chosen(project: Repository) -> None:
    before = settings(project)
    assert project.handoff("hooks", "remove", "--runtime", "codex").returncode == 0
    assert settings(project) == {**before, "codex": None}
    unknown = project.handoff("hooks", "install", "--runtime", "emacs")
    assert unknown.returncode == 1
    assert "no runtime is called `emacs`" in " ".join(unknown.stderr.split())


def test_status_is_read_from_the_files(project: Repository) -> None:
    def status() -> dict[str, str]:
        rows = json.loads(project.handoff("hooks", "status", "--json").stdout)
        return {row["runtime"]: row["status"] for row in rows}

    assert status() == dict.fromkeys(SETTINGS, "installed")
    path = project.path / SETTINGS["codex"]
    path.write_text(path.read_text().replace('"timeout": 15', '"timeout": 5'))
    project.handoff("hooks", "remove", "--runtime", "claude-code")
    plugin = project.path / SETTINGS["opencode"]
    plugin.write_text(plugin.read_text() + "// an older version\n")
    changed = {"claude-code": "not installed", "codex": "outdated", "opencode": "outdated"}
    assert status() == {**dict.fromkeys(SETTINGS, "installed"), **changed}


def test_a_plugin_of_somebody_else_is_left_alone(project: Repository) -> None:
    project.handoff("hooks", "remove")
    theirs = project.write(SETTINGS["opencode"], "export const Mine = async () => ({})\n")
    done = project.handoff("hooks", "install")
    assert done.returncode == 1
    assert "is there and not ours" in done.stderr
    assert not (project.path / SETTINGS["codex"]).exists()  # all or nothing
    assert project.handoff("hooks", "remove").returncode == 0
    assert theirs.read_text() == "export const Mine = async () => ({})\n"


def test_a_dry_run_prints_the_diff_and_writes_nothing(project: Repository) -> None:
    before = settings(project)
    done = project.handoff("hooks", "remove", "--dry-run")
    assert '-    "SessionStart": [' in done.stdout
    assert settings(project) == before


def test_hook_commands_hold_no_machine_path_and_no_version(project: Repository) -> None:
    from handoff_cli import __version__

    text = "".join(map(str, settings(project).values()))
    assert str(project.path) not in text
    assert __version__ not in text
    assert str(Path.home()) not in text


def test_codex_gets_an_end_within_its_three_seconds_and_claude_code_more(
    project: Repository,
) -> None:
    def timeout(runtime: str) -> int:
        hooks = json.loads((project.path / SETTINGS[runtime]).read_text())["hooks"]
        value: int = hooks["SessionEnd"][0]["hooks"][0]["timeout"]
        return value

    assert timeout("codex") <= 3
    assert timeout("claude-code") >= 5


def test_outside_a_project_it_says_what_to_do(tmp_path: Path) -> None:
    done = Repository(tmp_path).handoff("hooks", "status")
    assert done.returncode == 1
    assert "run `handoff init` there first" in " ".join(done.stderr.split())
