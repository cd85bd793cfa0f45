"""`handoff doctor`: each finding where there is evidence for it, and not where there is none."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.repository import SETTINGS, Repository


@pytest.fixture
def home(project: Repository) -> Path:
    """A home folder in which every agent trusts the project."""
    folder = project.path.parent / "home"
    here = str(project.path.resolve())
    files = {
        ".codex/config.toml": f'model = "x" # mine\n[projects."{here}"]\ntrust_level = "trusted"\n',
        ".gemini/trustedFolders.json": json.dumps({here: "TRUST_FOLDER"}),
        ".copilot/config.json": json.dumps({"trustedFolders": [here]}),
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def found(project: Repository, *options: str) -> dict[tuple[str, str], str]:
    """The level of each finding, by subject and code."""
    done = project.handoff("doctor", "--json", *options)
    rows: list[dict[str, Any]] = json.loads(done.stdout)
    assert done.returncode == any(row["level"] == "broken" for row in rows), done.stderr
    assert all(row["mend"] for row in rows if row["level"] != "ok")
    return {(row["subject"], row["code"]): row["level"] for row in rows}


def test_a_project_just_set_up_is_not_broken_and_nothing_has_fired(
    project: Repository, home: Path
) -> None:
    rows = found(project, "--trust-codex")
    assert rows.pop(("project", "python")) == "ok"
    assert rows == {(runtime, "never-fired"): "warn" for runtime in SETTINGS}


def test_hooks_that_fired_are_told_with_the_time(project: Repository, home: Path) -> None:
    project.play("claude-code")
    assert found(project)["claude-code", "fired"] == "ok"
    assert "claude-code: hooks in `.claude/settings.json`, heard last at 20" in (
        project.handoff("doctor").stdout
    )


def test_hooks_that_are_not_there_or_not_ours_as_they_should_be(
    project: Repository, home: Path
) -> None:
    project.handoff("hooks", "remove", "--runtime", "gemini")
    plugin = project.path / SETTINGS["opencode"]
    plugin.write_text(plugin.read_text() + "// older\n")
    project.write(SETTINGS["codex"], "{ broken")
    rows = found(project)
    assert rows["gemini", "hooks.missing"] == "broken"
    assert rows["opencode", "hooks.outdated"] == "broken"
    assert rows["codex", "settings"] == "broken"
    project.write(SETTINGS["codex"], "{}\n")
    assert ("opencode", "hooks.outdated") not in found(project, "--fix")


def test_hooks_in_two_scopes_come_twice(project: Repository, home: Path) -> None:
    install = ["hooks", "install", "--scope", "user", "--runtime"]
    assert project.handoff(*install, "qwen").returncode == 0
    assert found(project)["qwen", "hooks.twice"] == "warn"
    project.handoff("hooks", "remove", "--runtime", "qwen")
    rows = found(project)
    assert ("qwen", "hooks.twice") not in rows
    assert ("qwen", "hooks.missing") not in rows


@pytest.mark.parametrize(
    ("path", "content", "expected"),
    [
        (".claude/settings.local.json", {"disableAllHooks": True}, "claude.hooks-off"),
        ("~/.claude/settings.json", {"disableAllHooks": True}, "claude.hooks-off"),
        ("~/.gemini/settings.json", {"hooksConfig": {"enabled": False}}, "gemini.hooks-off"),
        ("~/.gemini/settings.json", {"hooksConfig": {"disabled": ["handoff"]}}, "gemini.hook-off"),
        ("~/.gemini/trustedFolders.json", {}, "gemini.folder"),
        ("~/.copilot/config.json", {}, "copilot.folder"),
    ],
)
def test_what_keeps_an_agent_from_running_its_hooks(
    project: Repository, home: Path, path: str, content: Any, expected: str
) -> None:
    assert expected not in {code for _, code in found(project)}
    target = home / path[2:] if path.startswith("~/") else project.path / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(content))
    assert expected in {code for _, code in found(project)}


def test_codex_s_configuration_keeps_every_other_line(project: Repository, home: Path) -> None:
    config = home / ".codex" / "config.toml"
    assert found(project)["codex", "codex.untrusted"] == "broken"
    assert project.handoff("doctor", "--trust-codex").returncode == 0
    once = config.read_text()
    assert once.startswith('model = "x" # mine\n[projects.')
    assert project.handoff("doctor", "--trust-codex").returncode == 0
    assert config.read_text() == once
    settings = project.path / SETTINGS["codex"]
    settings.write_text(settings.read_text().replace('"timeout": 15', '"timeout": 16'))
    assert found(project)["codex", "codex.untrusted"] == "broken"
    config.write_text('[projects."/elsewhere"]\ntrust_level = "trusted"\n')
    assert found(project)["codex", "codex.folder"] == "broken"
    config.write_text("not toml [")
    assert found(project)["codex", "codex.config"] == "broken"
    assert config.read_text() == "not toml ["


def test_a_key_for_which_codex_drops_the_file(project: Repository, home: Path) -> None:
    settings = project.path / SETTINGS["codex"]
    value = json.loads(settings.read_text())
    settings.write_text(json.dumps({**value, "mine": 1}))
    assert found(project)["codex", "codex.unknown-key"] == "broken"


def test_sessions_of_claude_code_below_the_root(project: Repository, home: Path) -> None:
    (project.path / "sub" / "deep.er").mkdir(parents=True)
    slug = str(project.path.resolve()).replace("/", "-").replace("_", "-").replace(".", "-")
    projects = home / ".claude" / "projects"
    (projects / f"{slug}-other").mkdir(parents=True)  # a neighbour of a longer name
    assert ("claude-code", "claude.below-root") not in found(project)
    (projects / f"{slug}-sub-deep-er").mkdir()
    assert found(project)["claude-code", "claude.below-root"] == "warn"


def test_without_a_python_hooks_do_nothing(
    project: Repository, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    git = shutil.which("git")
    assert git
    (tools / "git").symlink_to(git)
    monkeypatch.setitem(os.environ, "PATH", str(tools))
    assert found(project)["project", "python"] == "broken"


def test_an_engine_with_conflict_markers(project: Repository, home: Path) -> None:
    project.write(".handoff/engine/modules.txt", "<<<<<<< ours\n=======\n>>>>>>> theirs\n")
    rows = found(project)
    assert rows["project", "conflict"] == "broken"
    assert rows["project", "engine"] == "broken"


def test_files_that_differ_from_the_answers_or_are_missing(project: Repository, home: Path) -> None:
    project.configure(tail_length=3)
    (project.path / "handoff.schema.json").unlink()
    rows = found(project)
    assert (rows["project", "edited"], rows["project", "missing"]) == ("warn", "warn")
    rows = found(project, "--fix")
    assert ("project", "missing") not in rows
    assert rows["project", "edited"] == "warn"  # somebody's edit is theirs
    assert (project.path / "handoff.schema.json").is_file()


def test_packets_of_branches_that_are_gone_are_archived(project: Repository, home: Path) -> None:
    project.git("switch", "--quiet", "-c", "gone")
    project.play("claude-code")
    project.git("switch", "--quiet", "main")
    project.git("branch", "--quiet", "-D", "gone")
    assert found(project)["project", "branch.gone"] == "warn"
    assert ("project", "branch.gone") not in found(project, "--fix")


def test_the_last_error_of_a_hook_is_told(project: Repository, home: Path) -> None:
    project.hook_commands("claude-code", "Stop")
    project.configure(tail_length="ten")
    project.play("claude-code")
    good = json.loads((project.path / ".handoff/config.json").read_text())
    project.write(".handoff/config.json", json.dumps({**good, "tail_length": 10}))
    assert found(project)["project", "hook.error"] == "warn"
    assert "`tail_length` must be 0 to 30" in project.handoff("doctor").stdout
