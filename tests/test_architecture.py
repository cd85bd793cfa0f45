"""The house: which room may touch what. A module that stands in no room fails the first test."""

from __future__ import annotations

import ast
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine import registry
from tests.repository import Repository, environment

ROOT = Path(__file__).parents[1]
ENGINE = ROOT / "engine"
CLI = ROOT / "cli" / "handoff_cli"
MAX_LINES = 250

# The engine's rooms. Values: no disk, git, clock, environment or print.
VALUES = {
    "gate", "leftovers", "budget",
    "errors", "model", "config", "redact", "feedback", "runs", "records", "session",
    "shapes", "disclosures", "secretvalue", "visible",
    "workbench", "verdict", "steps", "commands", "risks", "summary", "packet", "render",
    "schema", "freshness", "context", "hookplan", "names", "times",
    "jsontext", "notes", "features", "topics", "pullrequest",
    "shellwords", "shell", "scope", "output", "timeline", "retelling", "sweep",
}  # fmt: skip
DOORS = {
    "worktree", "git", "gitprocess", "bare", "ledger", "talks", "remotes",
    "store", "logs", "paths", "layout", "project", "process", "terminal", "rotation",
}  # fmt: skip
SWITCHBOARD = {"registry"}
ENTRANCE = {"__init__", "app", "arguments"}
SHARED_BY_RUNTIMES = {
    "runtimes.base",
    "runtimes.lines",
    "runtimes.protocol",
    "runtimes.javascript",
    "runtimes.__init__",
}

IMPURE = {
    "os", "sys", "subprocess", "pathlib", "io", "shutil", "tempfile", "socket", "urllib",
    "http", "random", "secrets", "glob", "threading", "multiprocessing", "platform", "getpass",
    "logging", "argparse", "contextlib",
}  # fmt: skip
IMPURE_CALLS = {"open", "print", "input", "exec", "eval"}
CLOCKS = {("time", "time"), ("time", "monotonic"), ("datetime", "now"), ("datetime", "utcnow")}


def modules(folder: Path) -> dict[str, Path]:
    """Every module by its dotted name below `folder`."""
    paths = sorted(folder.rglob("*.py"))
    return {".".join(path.relative_to(folder).with_suffix("").parts): path for path in paths}


ALL = modules(ENGINE)
RUNTIMES = {name for name in ALL if name.count(".") == 2 and name.startswith("runtimes.")}
VERBS = {name for name in ALL if name.startswith("verbs.")}


def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def internal(name: str) -> set[str]:
    """The engine's modules that a module imports, wherever in it."""
    found = set()
    for node in ast.walk(tree(ALL[name])):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = name.split(".")[: -node.level]
            target = [*base, *(node.module.split(".") if node.module else [])]
            for alias in node.names:
                deeper = ".".join([*target, alias.name])
                found.add(deeper if deeper in ALL else ".".join(target) or "__init__")
    return {one if one in ALL else f"{one}.__init__" for one in found}


def external(path: Path) -> set[str]:
    """The top-level packages from outside that a module imports, wherever in it."""
    found = set()
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            found.add(node.module.split(".")[0])
    return found


def strings(path: Path) -> Iterator[str]:
    """The string literals of a module, docstrings left out."""
    parsed = tree(path)
    documented = {
        id(node.body[0].value)
        for node in ast.walk(parsed)
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef))
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(parsed):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in documented
        ):
            yield node.value


def test_every_module_of_the_engine_stands_in_a_room() -> None:
    rooms = VALUES | DOORS | SWITCHBOARD | ENTRANCE | SHARED_BY_RUNTIMES | RUNTIMES | VERBS
    assert set(ALL) == rooms


@pytest.mark.parametrize("name", sorted(VALUES))
def test_a_room_of_values_touches_nothing(name: str) -> None:
    assert internal(name) <= VALUES | {"runtimes.base", "runtimes.protocol", "layout"}
    assert not external(ALL[name]) & IMPURE
    for node in ast.walk(tree(ALL[name])):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id not in IMPURE_CALLS
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            assert (node.value.id, node.attr) not in CLOCKS


def test_values_flow_one_way() -> None:
    """No module imports one that imports it, however far round."""
    graph = {name: internal(name) & VALUES - {name} for name in VALUES}
    while graph:
        leaves = {name for name, needed in graph.items() if not needed & set(graph)}
        assert leaves, f"a circle among {sorted(graph)}"
        graph = {name: needed for name, needed in graph.items() if name not in leaves}


@pytest.mark.parametrize("name", sorted(DOORS))
def test_a_door_opens_on_values_only(name: str) -> None:
    assert internal(name) <= VALUES | DOORS


@pytest.mark.parametrize("name", sorted(RUNTIMES))
def test_a_runtime_knows_values_and_itself(name: str) -> None:
    own = {one for one in RUNTIMES if one.split(".")[1] == name.split(".")[1]}
    assert internal(name) <= VALUES | SHARED_BY_RUNTIMES | own
    assert not external(ALL[name]) & IMPURE


def test_only_verbs_and_the_entrance_join_rooms() -> None:
    for name in set(ALL) - VERBS - ENTRANCE - RUNTIMES:
        assert not internal(name) & (VERBS | RUNTIMES), name


def test_no_code_outside_its_folder_names_a_runtime() -> None:
    names = {part for name in registry.RUNTIMES for part in (name, name.split("-")[0])}
    for name, path in ALL.items():
        if name in RUNTIMES or name in SWITCHBOARD:
            continue
        said = " ".join(strings(path)).lower()
        assert not [one for one in names if re.search(rf"\b{one}\b", said)], name


def test_the_engine_runs_on_the_standard_library_of_python_3_9() -> None:
    for name, path in ALL.items():
        assert external(path) <= set(sys.stdlib_module_names) | {"engine"}, name
        ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 9))


def interpreter(name: str) -> str | None:
    """A working interpreter of that version, also one that a version manager keeps aside."""
    versions = Path("~/.pyenv/versions").expanduser()
    aside = map(str, versions.glob(f"{name.removeprefix('python')}.*/bin/{name}"))
    for found in (shutil.which(name), *aside):
        if found and subprocess.run([found, "-c", ""], capture_output=True).returncode == 0:
            return found
    return None


@pytest.mark.parametrize("python", ["python3.9", "python3.10", "python3.13"])
def test_the_engine_works_on_other_interpreters(project: Repository, python: str) -> None:
    found = interpreter(python)
    if found is None:
        pytest.skip(f"there is no {python} here")
    project.play("claude-code")
    engine = [found, "-I", "-S", "-B", str(project.path / ".handoff/engine")]
    done = subprocess.run(
        [*engine, "generate", "--json"],
        env=environment(project.path),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["next_action"] == "Make lint.py pass"


@pytest.mark.parametrize("runtime", ["claude-code", "codex"])
def test_a_commands_hook_imports_next_to_nothing(project: Repository, runtime: str) -> None:
    payload = {
        "hook_event_name": "PostToolUse",
        "session_id": "s",
        "tool_name": "Bash",
        "tool_use_id": "t",
        "tool_input": {"command": "true"},
        "tool_response": "",
    }
    engine = str(project.path / ".handoff/engine/__main__.py")
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-B", "-X", "importtime", engine, "hook", runtime],
        input=json.dumps(payload),
        env=environment(project.path),
        capture_output=True,
        text=True,
        check=True,
    )
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "handoff_engine.verbs.hook" in imported
    slow = {
        "typing",
        "dataclasses",
        "subprocess",
        "pathlib",
        "argparse",
        "inspect",
        "handoff_engine.config",
    }
    assert not imported & slow
    assert (project.path / ".handoff/state/feedback_record.jsonl").exists()


@pytest.mark.parametrize(
    "path", [*ALL.values(), *modules(CLI).values()], ids=lambda path: path.name
)
def test_a_module_is_one_noun_long(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= MAX_LINES


def test_copier_has_one_door_and_the_engine_another() -> None:
    for name, path in modules(CLI).items():
        said = set(strings(path))
        assert not external(path) & {"copier", "engine"}, name
        assert ("copier" in said) == (name == "scaffold"), name
        assert ("-I" in said) == (name == "engine"), name


def test_help_loads_no_slow_library() -> None:
    code = "import sys, handoff_cli.app; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not set(done.stdout.split()) & {"copier", "tree_sitter", "yaml", "rich.markdown"}
