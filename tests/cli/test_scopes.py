"""Hooks in other people's settings: yours in a project, yours everywhere, and the copies kept."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from tests.repository import SETTINGS, Repository, shell

USER_FILES = {
    "claude-code": ".claude/settings.json",
    "codex": ".codex/hooks.json",
    "gemini": ".gemini/settings.json",
    "qwen": ".qwen/settings.json",
    "copilot": ".copilot/hooks/handoff.json",
    "opencode": ".config/opencode/plugins/handoff.js",
    "pi": ".pi/agent/extensions/handoff.ts",
}
EVERY = [part for name in SETTINGS for part in ("--runtime", name)]


@pytest.fixture
def home(project: Repository) -> Path:
    """The home folder that the commands see."""
    folder = project.path.parent / "home"
    folder.mkdir()
    return folder


def backups(folder: Path) -> list[Path]:
    return sorted(folder.glob("*Z-*")) if folder.is_dir() else []


def test_one_install_serves_every_repository(
    project: Repository, home: Path, tmp_path: Path
) -> None:
    assert project.handoff("hooks", "remove").returncode == 0
    done = project.handoff("hooks", "install", "--scope", "user", *EVERY)
    assert done.returncode == 0, done.stderr
    assert {name for name, path in USER_FILES.items() if (home / path).is_file()} == set(SETTINGS)
    settings = json.loads((home / USER_FILES["claude-code"]).read_text())
    (group,) = settings["hooks"]["Stop"]
    (command,) = [handler["command"] for handler in group["hooks"]]
    project.write("app.py", "print('changed')\n")
    stop = json.dumps({"hook_event_name": "Stop", "session_id": "s-1", "transcript_path": ""})
    assert shell(command, stop, project.path).stdout == ""
    assert project.active()["session"]["id"] == "s-1"
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    silent = shell(command, stop, elsewhere)
    assert (silent.returncode, silent.stdout, silent.stderr) == (0, "", "")
    assert list(elsewhere.iterdir()) == []
    assert project.handoff("hooks", "remove", "--scope", "user", *EVERY).returncode == 0
    assert not any((home / path).exists() for path in USER_FILES.values())


def test_the_user_s_own_settings_need_no_project(tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.mkdir()
    done = Repository(plain).handoff("hooks", "install", "--scope", "user", "--runtime", "codex")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "home" / USER_FILES["codex"]).is_file()
    assert list(plain.iterdir()) == []


def test_local_settings_are_yours_alone(project: Repository) -> None:
    done = project.handoff("hooks", "install", "--scope", "local", "--runtime", "claude-code")
    assert done.returncode == 0, done.stderr
    local = project.path / ".claude" / "settings.local.json"
    assert "SessionStart" in json.loads(local.read_text())["hooks"]
    refused = project.handoff("hooks", "install", "--scope", "local", "--runtime", "codex")
    assert refused.returncode == 1
    assert "there are no local settings" in refused.stderr
    status = project.handoff("hooks", "status", "--scope", "local", "--json")
    assert [row["status"] for row in json.loads(status.stdout)] == ["installed"]


def test_what_was_there_before_the_first_change_is_kept(project: Repository) -> None:
    folder = project.path / ".handoff" / "state" / "backups"
    project.handoff("hooks", "remove")
    assert backups(folder) == []  # those were files that only we had written
    theirs = project.write(SETTINGS["claude-code"], '{"model": "opus"}\n')
    theirs.chmod(0o600)
    for _ in range(2):
        assert project.handoff("hooks", "install").returncode == 0
        assert project.handoff("hooks", "remove").returncode == 0
    (copy,) = backups(folder)
    assert copy.read_text() == '{"model": "opus"}\n'
    assert copy.name.endswith("Z-claude-settings.json")
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    assert project.git("status", "--porcelain", ".handoff/state") == ""


def test_of_the_user_s_files_copies_are_kept_outside_of_any_project(
    project: Repository, home: Path
) -> None:
    settings = home / USER_FILES["gemini"]
    settings.parent.mkdir()
    settings.write_text("// mine\n{}\n")
    project.handoff("hooks", "install", "--scope", "user", "--runtime", "gemini")
    (copy,) = backups(home / ".local" / "state" / "handoff" / "backups")
    assert copy.read_text() == "// mine\n{}\n"
    assert "// mine" in settings.read_text()
