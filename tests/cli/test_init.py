"""`handoff init` in real repositories."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests import repository
from tests.repository import Repository, environment


@pytest.fixture
def repo(tmp_path: Path) -> Repository:
    made = repository.new(tmp_path / "app")
    made.write("app.py", "print('hello')\n")
    made.commit("start")
    return made


def files(repo: Repository) -> dict[str, bytes]:
    """Every file outside git's folder."""
    paths = [path for path in repo.path.rglob("*") if path.is_file()]
    inside = [path.relative_to(repo.path) for path in paths]
    return {
        str(path): (repo.path / path).read_bytes() for path in inside if path.parts[0] != ".git"
    }


def answers(repo: Repository) -> dict[str, object]:
    value = yaml.safe_load((repo.path / ".handoff/answers.yml").read_text())
    assert isinstance(value, dict)
    return value


def test_a_second_init_changes_nothing(project: Repository) -> None:
    before = files(project)
    done = project.handoff("init", "--defaults")
    assert done.returncode == 0
    assert "nothing to change" in done.stderr
    assert files(project) == before


def test_a_dry_run_tells_everything_and_writes_nothing(repo: Repository) -> None:
    before = files(repo)
    done = repo.handoff("init", "--defaults", "--dry-run")
    assert done.returncode == 0
    assert "would create .handoff/config.json" in done.stdout
    assert '+    "SessionStart": [' in done.stdout
    assert files(repo) == before


def test_detected_artifacts_tests_and_runtimes_become_answers(repo: Repository) -> None:
    repo.write("feature_list.json", '{"features": []}')
    repo.write("agent_state.json", "{}")
    repo.write("outputs/verification/T-1.json", '{"passed": true, "findings": []}')
    repo.write("Makefile", "test:\n\ttrue\n")
    repo.write("CLAUDE.md", "be kind\n")
    assert repo.handoff("init", "--defaults").returncode == 0
    given = answers(repo)
    assert given["path_board"] == "feature_list.json"
    assert given["path_state"] == "agent_state.json"
    assert given["path_verification"] == "outputs/verification"
    assert given["runtimes"] == ["claude-code"]
    assert not (repo.path / ".codex").exists()
    config = json.loads((repo.path / ".handoff/config.json").read_text())
    assert config["acceptance_commands"] == ["make test"]
    assert config["gate"]["working_tree"] == "refuse"


def test_without_acceptance_commands_the_gate_warns(project: Repository) -> None:
    config = json.loads((project.path / ".handoff/config.json").read_text())
    assert config["acceptance_commands"] == []
    assert config["gate"].pop("review") == "off"  # nobody is made to have reviews
    assert set(config["gate"].values()) == {"warn"}


def test_the_answers_file_names_the_public_template_and_its_version(project: Repository) -> None:
    from handoff_cli import __version__

    given = answers(project)
    assert given["_src_path"] == "gh:handoff-generator/handoff"
    assert given["_commit"] == f"v{__version__}"
    assert str(project.path.parent) not in (project.path / ".handoff/answers.yml").read_text()


def test_a_file_in_the_way_is_named_and_nothing_is_written(repo: Repository) -> None:
    repo.write("docs/handoff.md", "our own page\n")
    before = files(repo)
    done = repo.handoff("init", "--defaults")
    assert done.returncode == 1
    assert "already there and different: `docs/handoff.md`" in " ".join(done.stderr.split())
    assert files(repo) == before
    assert repo.handoff("init", "--defaults", "--overwrite").returncode == 0


def test_attributes_of_the_users_in_a_folder_that_we_share_stay(repo: Repository) -> None:
    theirs = repo.write("tools/.gitattributes", "*.sh eol=lf\n")
    done = repo.handoff("init", "--defaults", "--overwrite")
    assert done.returncode == 0, done.stderr
    assert "kept your edits in tools/.gitattributes" in done.stderr
    assert theirs.read_text() == "*.sh eol=lf\n"


def test_new_answers_replace_what_is_ours_and_keep_what_was_edited(project: Repository) -> None:
    project.write("docs/handoff.md", "our own words\n")
    done = project.handoff("init", "--data", 'acceptance_commands=["pytest -q"]')
    assert done.returncode == 0, done.stderr
    assert "kept your edits in docs/handoff.md" in done.stderr
    config = json.loads((project.path / ".handoff/config.json").read_text())
    assert config["acceptance_commands"] == ["pytest -q"]
    assert (project.path / "docs/handoff.md").read_text() == "our own words\n"


@pytest.mark.parametrize(
    ("pair", "said"),
    [
        ("path_state=../outside.json", "not a plain path inside the repository"),
        ("path_state=/etc/passwd", "not a plain path inside the repository"),
        ("path_board=.git/config", "not a plain path inside the repository"),
        ("path_state=.handoff/feature_list.json", "two artifacts share a path"),
        ("tail_length=31", "number from 0 to 30"),
        ("acceptance_commands=pytest", "give a list of commands"),
        ("context_limits={notice: 90, wrap_up: 75}", "two percentages"),
        ("runtimes=[emacs]", "emacs"),
        ("nonsense", "is no KEY=VALUE"),
    ],
)
def test_a_bad_answer_is_refused_and_nothing_is_written(
    repo: Repository, pair: str, said: str
) -> None:
    before = files(repo)
    done = repo.handoff("init", "--defaults", "--data", pair)
    assert done.returncode == 1
    assert said in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr
    assert files(repo) == before


def test_an_unknown_question_is_refused(repo: Repository) -> None:
    done = repo.handoff("init", "--defaults", "--data", "colour=blue")
    assert done.returncode == 1
    assert "`colour` is no question of the template" in " ".join(done.stderr.split())


def test_outside_git_it_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    done = Repository(tmp_path / "plain").handoff("init", "--defaults")
    assert done.returncode == 1
    assert "is no git repository" in " ".join(done.stderr.split())
    assert "git init" in done.stderr


def test_a_settings_file_that_cannot_be_parsed_is_left_alone_and_nothing_is_written(
    repo: Repository,
) -> None:
    repo.write(".claude/settings.json", '{"hooks": ')
    before = files(repo)
    done = repo.handoff("init", "--defaults")
    assert done.returncode == 1
    assert ".claude/settings.json" in done.stderr
    assert files(repo) == before


def test_hostile_git_settings_and_an_inherited_git_dir_do_not_matter(
    repo: Repository, tmp_path: Path
) -> None:
    config = tmp_path / "gitconfig"
    config.write_text(
        "[core]\n\thooksPath = /nonexistent\n\tautocrlf = true\n[commit]\n\tgpgSign = true\n"
        '[url "git@github.com:"]\n\tinsteadOf = https://github.com/\n'
    )
    done = subprocess.run(
        [sys.executable, "-m", "handoff_cli", "init", "--defaults"],
        cwd=repo.path,
        env=environment(repo.path) | {"GIT_CONFIG_GLOBAL": str(config), "GIT_DIR": "/nonexistent"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert b"\r\n" not in (repo.path / ".handoff/engine/modules.txt").read_bytes()


def test_a_project_may_be_a_folder_of_a_larger_repository(repo: Repository) -> None:
    inner = Repository(repo.path / "packages" / "one")
    inner.write("one.py", "1\n")
    repo.commit("a package")
    assert inner.handoff("init", "--defaults").returncode == 0
    inner.write("one.py", "2\n")
    stop = {"session_id": "s-1", "hook_event_name": "Stop"}
    inner.hook("claude-code", stop)
    changed = [item["path"] for item in inner.active()["changed_files"]]
    at_home = "packages/home/"  # the commands' home folder, where the project is on record
    assert [path for path in changed if not path.startswith(at_home)] == ["packages/one/one.py"]


def test_on_a_terminal_it_asks_the_main_questions_only(repo: Repository) -> None:
    outer, inner = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "handoff_cli", "init"],
        cwd=repo.path,
        env=environment(repo.path) | {"TERM": "xterm"},
        stdin=inner,
        stdout=inner,
        stderr=inner,
    )
    os.close(inner)
    answered = b""
    for question in (b"Which coding agents", b"Commands that must pass", b"Add the skill"):
        seen = b""
        while question not in seen:
            seen += os.read(outer, 4096)
            if b"\x1b[6n" in seen:  # it asks where the cursor is
                os.write(outer, b"\x1b[1;1R")
                seen = seen.replace(b"\x1b[6n", b"")
        answered += seen
        os.write(outer, b"\r")
    with contextlib.suppress(OSError):  # the terminal closes
        while os.read(outer, 4096):
            pass
    assert process.wait(60) == 0
    os.close(outer)
    assert answers(repo)["skills"] is True
    assert b"Gate:" not in answered


def test_a_folder_that_is_a_link_out_of_the_repository_is_refused(
    repo: Repository, tmp_path: Path
) -> None:
    (tmp_path / "elsewhere").mkdir()
    (repo.path / "docs").symlink_to(tmp_path / "elsewhere")
    done = repo.handoff("init", "--defaults")
    assert done.returncode == 1
    assert "leads out of the repository" in " ".join(done.stderr.split())
    assert list((tmp_path / "elsewhere").iterdir()) == []
    assert sorted(files(repo)) == ["app.py"]


def test_another_version_than_the_projects_own_is_refused(project: Repository) -> None:
    path = project.path / ".handoff/answers.yml"
    path.write_text(path.read_text().replace("_commit: v", "_commit: v9."))
    done = project.handoff("init", "--defaults")
    assert done.returncode == 1
    assert "was set up by handoff v9." in " ".join(done.stderr.split())
