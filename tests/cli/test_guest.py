"""A quiet guest: the strictest tools of a repository report, change and count nothing of ours."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests import repository
from tests.repository import SETTINGS, Repository

OF_PYTHON = (
    "ruff check",
    "ruff format --check",
    "black --check",
    "flake8",
    "isort --check",
    "mypy --strict",
    "pylint",
)
HOOKS = {  # what runs: the kind of file that it is handed
    **dict.fromkeys(OF_PYTHON, "python"),
    "check-ast": "python",
    "check-docstring-first": "python",
    "debug-statement-hook": "python",
    "check-json": "json",
    "check-yaml": "yaml",
    "trailing-whitespace-fixer": "text",
    "end-of-file-fixer": "text",
    "mixed-line-ending": "text",
    "fix-byte-order-marker": "text",
    "detect-private-key": "text",
    "check-shebang-scripts-are-executable": "text",
    "check-executables-have-shebangs": "executable",
    "check-added-large-files --enforce-all": "file",
    "check-case-conflict": "file",
}
OF_A_REPOSITORY = (
    "ruff check .",
    "ruff format --check .",
    "black --check .",
    "flake8",
    "isort --check .",
    "mypy .",
    "pylint --recursive=y .",
    "pytest",
    "pre-commit run --all-files",
)
FILES = {
    "pyproject.toml": """\
[project]
name = "weather"
version = "1.0"
requires-python = ">=3.10"

[tool.ruff.lint]
select = ["ALL"]
ignore = ["COM812", "D203", "D213"]

[tool.ruff.lint.per-file-ignores]
"tests/**" = ["S101"]

[tool.isort]
profile = "black"

[tool.mypy]
strict = true

[tool.pytest.ini_options]
addopts = "--strict-config"

[tool.coverage.report]
fail_under = 100
""",
    ".gitignore": "".join(f"{name}\n" for name in (".*_cache/", ".coverage", "__pycache__/")),
    ".pre-commit-config.yaml": yaml.safe_dump(
        {
            "repos": [
                {
                    "repo": "local",
                    "hooks": [
                        {"id": hook, "name": hook, "entry": hook, "language": "system"}
                        | {"types": [kind]}
                        for hook, kind in HOOKS.items()
                    ],
                }
            ]
        }
    ),
    "README.md": "# Weather\n",
    "tools/__init__.py": '# Copyright 2026 the weather office\n"""Our tools."""\n',
    "tools/release.sh": "# Copyright 2026 the weather office\ngit push --tags\n",
    "weather/__init__.py": """\
# Copyright 2026 the weather office
\"\"\"What the thermometer says.\"\"\"


def fahrenheit(celsius: float) -> float:
    \"\"\"Tell the same temperature in the other scale.\"\"\"
    return celsius * 9 / 5 + 32
""",
    "tests/__init__.py": '# Copyright 2026 the weather office\n"""Tests of the weather."""\n',
    "tests/test_weather.py": """\
# Copyright 2026 the weather office
\"\"\"Tests of the two scales.\"\"\"

from weather import fahrenheit


def test_water_boils() -> None:
    \"\"\"Both scales agree on it.\"\"\"
    assert fahrenheit(100) == fahrenheit(0) + 180
""",
}
CODE = (".py", ".js", ".ts", ".sh")  # GitHub's statistics leave data and prose out by themselves


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """Somebody's repository before handoff came."""
    made = repository.new(tmp_path_factory.mktemp("host") / "app")
    for name, text in FILES.items():
        made.write(name, text)
    made.commit("start")
    return made


@pytest.fixture(scope="module")
def visited(host: Repository, tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """The same repository with handoff in it for every runtime, committed and at work."""
    made = copy(host, tmp_path_factory.mktemp("visited"))
    every = f"runtimes=[{', '.join(SETTINGS)}]"
    done = made.handoff("init", "--defaults", "--data", every)
    assert done.returncode == 0, done.stderr
    made.git("add", "-A")
    made.commit("handoff")
    made.play("claude-code")
    assert (made.path / "outputs" / "handoff").is_dir()
    return made


@pytest.fixture(scope="module")
def bare(host: Repository, tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """The repository with code such as ours in `bare.py`, without the marks that exempt it."""
    made = copy(host, tmp_path_factory.mktemp("bare"))
    ours = Path(__file__).parents[2] / "template" / ".handoff" / "engine" / "__main__.py"
    lines = ours.read_text(encoding="utf-8").splitlines(keepends=True)
    code = "".join(line for line in lines if not line.startswith("#"))
    made.write("bare.py", f"{code}\nimport os, json\nnumber : int = 'x'\n")
    made.git("add", "bare.py")
    return made


@pytest.fixture(scope="module")
def with_crlf(visited: Repository, tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """A clone as git for Windows makes it."""
    path = tmp_path_factory.mktemp("clone") / "app"
    visited.git("clone", "--quiet", "-c", "core.autocrlf=true", str(visited.path), str(path))
    return Repository(path)


def copy(original: Repository, folder: Path) -> Repository:
    shutil.copytree(original.path, folder / "app", symlinks=True)
    return Repository(folder / "app")


def run(repo: Repository, command: str, *files: str) -> subprocess.CompletedProcess[str]:
    """Run one of the tools that are installed beside this Python."""
    tools = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        [*command.split(), *files],
        cwd=repo.path,
        env={**repository.environment(repo.path), "PATH": tools},
        text=True,
        capture_output=True,
        check=False,
        timeout=120,
    )


def ours(repo: Repository) -> list[str]:
    """The committed files that came with handoff and are not the agents' settings."""
    added = repo.git("diff", "--name-only", "--diff-filter=A", "HEAD~1").splitlines()
    return sorted({*added} - {*SETTINGS.values()})


def unlicensed(repo: Repository) -> list[str]:
    """The files that `addlicense -check` would name."""
    found = repo.git("ls-files", "*.py", "*.sh", "*.yml", "*.js", "*.ts").splitlines()
    heads = {name: (repo.path / name).read_bytes()[:1000].lower() for name in found}
    marks = (b"copyright", b"spdx-license-identifier")
    return [name for name, head in heads.items() if not any(mark in head for mark in marks)]


def attribute(repo: Repository, name: str, files: list[str]) -> dict[str, str]:
    told = repo.git("check-attr", "-z", name, "--", *files).split("\0")
    return dict(zip(told[::3], told[2::3], strict=False))


def test_a_file_of_the_users_is_as_it_was_and_only_ours_are_new(visited: Repository) -> None:
    changes = visited.git("diff", "--name-status", "HEAD~1").splitlines()
    assert {change[0] for change in changes} == {"A"}
    assert {*SETTINGS.values()} < {change[2:] for change in changes}


@pytest.mark.parametrize("command", OF_A_REPOSITORY)
def test_every_tool_passes_as_it_did_before(
    host: Repository, visited: Repository, command: str
) -> None:
    for repo in (host, visited):
        done = run(repo, command)
        assert done.returncode == 0, done.stdout + done.stderr
        assert repo.git("status", "--porcelain") == ""


@pytest.mark.parametrize("command", OF_PYTHON)
def test_a_tool_that_is_handed_our_files_by_name_passes_them(
    visited: Repository, command: str
) -> None:
    files = [name for name in ours(visited) if name.endswith(".py")]
    assert len(files) == 2
    done = run(visited, command, *files)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "warning" not in done.stderr.lower()


@pytest.mark.parametrize("command", OF_PYTHON)
def test_without_our_marks_the_same_tool_would_not(bare: Repository, command: str) -> None:
    done = run(bare, command, "bare.py")
    assert done.returncode not in (0, 127)
    assert "bare" in done.stdout + done.stderr


def test_the_same_tests_are_collected_and_the_same_lines_measured(
    host: Repository, visited: Repository
) -> None:
    collected, measured = [], []
    greedy = "pytest --collect-only --quiet --doctest-modules -o python_files=*.py"
    for repo in (host, visited):
        said = run(repo, greedy).stdout
        collected.append([line for line in said.splitlines() if "::" in line])
        assert run(repo, "coverage run --source=. -m pytest").returncode == 0
        measured.append(run(repo, "coverage report").stdout.split()[-4:])  # the total
    assert collected[0] == collected[1] == ["tests/test_weather.py::test_water_boils"]
    assert measured[0] == measured[1]
    assert measured[0][0] == "TOTAL"


def test_every_file_of_ours_names_its_licence(visited: Repository, bare: Repository) -> None:
    assert unlicensed(visited) == []
    assert unlicensed(bare) == ["bare.py"]


def test_github_counts_none_of_our_code(visited: Repository) -> None:
    files = [name for name in ours(visited) if name.startswith(".handoff/") or name.endswith(CODE)]
    assert "tools/generate_handoff.py" in files
    assert set(attribute(visited, "linguist-vendored", files).values()) == {"set"}
    theirs = [*FILES, *SETTINGS.values()]
    assert set(attribute(visited, "linguist-vendored", theirs).values()) == {"unspecified"}


def test_what_runs_keeps_its_line_ends_where_git_changes_them(with_crlf: Repository) -> None:
    files = [name for name in ours(with_crlf) if name.startswith((".handoff/", "tools/"))]
    assert set(attribute(with_crlf, "eol", files).values()) == {"lf"}
    assert [name for name in files if b"\r" in (with_crlf.path / name).read_bytes()] == []
    assert b"\r" in (with_crlf.path / "README.md").read_bytes()


def test_what_is_read_may_have_other_line_ends_and_is_still_ours(with_crlf: Repository) -> None:
    assert b"\r" in (with_crlf.path / "docs" / "handoff.md").read_bytes()
    done = with_crlf.handoff("init", "--defaults")
    assert (done.returncode, with_crlf.git("status", "--porcelain")) == (0, "")
    assert "nothing to change" in done.stderr
