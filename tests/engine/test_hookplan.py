"""The command of a hook, as a shell runs it: in odd folders, without an engine, without Python."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from engine import hookplan, registry
from engine.config import ARTIFACTS, CHECKS
from engine.runtimes import base
from tests.engine import builders
from tests.repository import RECORDED

STUB = "#!/bin/sh\necho 'Python was not found; run without arguments to install'\nexit 49\n"

# The others have a plugin, which starts the engine itself.
WITH_COMMANDS = [
    runtime for runtime in registry.RUNTIMES if registry.hooks(runtime).SHAPE != base.PLUGIN
]
each_runtime = pytest.mark.parametrize("runtime", WITH_COMMANDS)


@dataclass(frozen=True)
class Place:
    """A project with the engine in it, and nothing else of ours."""

    path: Path
    runtime: str

    def hook(
        self, kind: str, cwd: Path | None = None, shell: str = "/bin/sh", **environment: str
    ) -> subprocess.CompletedProcess[str]:
        """Run the runtime's command with its recorded payload for an event."""
        return subprocess.run(
            [shell, "-c", command(self.runtime)],
            input=json.dumps(payload(self.runtime, kind)),
            cwd=cwd or self.path,
            env={"PATH": os.environ["PATH"], "HOME": str(self.path.parent), **environment},
            text=True,
            capture_output=True,
            check=False,
            timeout=60,
        )

    def context(self, **keys: Any) -> str:
        """What a session that starts receives."""
        done = self.hook(base.SESSION_START, **keys)
        assert (done.returncode, done.stderr) == (0, "")
        reply: dict[str, Any] = json.loads(done.stdout)
        inner = reply.get("hookSpecificOutput", reply)
        return str(inner.get("additionalContext") or inner["additional_context"])


def command(runtime: str) -> str:
    return hookplan.command(runtime, registry.hooks(runtime))


def payload(runtime: str, kind: str) -> dict[str, Any]:
    """A recorded payload of the kind: that of a new session, of one before where it ends a turn."""
    recorded = next(RECORDED.glob(f"{runtime}-*")) / "hooks.jsonl"
    hooks = registry.hooks(runtime)
    for line in recorded.read_text(encoding="utf-8").splitlines():
        value: dict[str, Any] = json.loads(line)
        if value[hooks.EVENT_KEY] in hooks.EVENTS[kind]:
            session = "the-one-before" if kind == base.TURN_END else "the-new-one"
            return {**value, hooks.SESSION_KEY: session, "transcript_path": ""}
    raise AssertionError(f"{recorded} has no {kind}")


def placed(path: Path, runtime: str) -> Place:
    """A project at `path` whose last session left a file that nobody committed."""
    builders.put_engine(path)
    config = {
        **builders.config_value(),
        "runtimes": [runtime],
        "artifacts": {key: f".handoff/state/{key}.json" for key in ARTIFACTS},
        "gate": dict.fromkeys(CHECKS, "off"),
    }
    (path / ".handoff" / "config.json").write_text(json.dumps(config), encoding="utf-8")
    (path / "a.txt").write_text("a\n", encoding="utf-8")
    subprocess.run(["git", "init", "--quiet", "--initial-branch=main"], cwd=path, check=True)
    place = Place(path, runtime)
    assert place.hook(base.TURN_END).returncode == 0
    return place


def program(folder: Path, name: str, text: str) -> None:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")
    (folder / name).chmod(0o755)


@pytest.fixture(scope="module", params=WITH_COMMANDS)
def place(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Place:
    """A project in a folder whose name needs quoting; tests only ask it."""
    odd = tmp_path_factory.mktemp("a") / "R$D & co; #1" / "it's `here` $(now)" / '-n "b" \\ * é 漢'
    return placed(odd, request.param)


@pytest.fixture
def stubs(tmp_path: Path) -> Path:
    """A folder for programs of ours, to go first on the path."""
    return tmp_path / "stubs"


def before_others(folder: Path) -> str:
    return f"{folder}{os.pathsep}{os.environ['PATH']}"


def test_it_works_in_folders_of_any_name(place: Place) -> None:
    assert "review and commit, or stash, `a.txt`" in place.context()
    assert list(place.path.rglob("__pycache__")) == []


def test_it_finds_the_engine_from_a_subfolder(place: Place) -> None:
    deep = place.path / ".handoff" / "state" / "deep er"
    deep.mkdir(parents=True)
    assert place.context(cwd=deep) == place.context()


@pytest.mark.parametrize("shell", [s for s in ("bash", "dash", "ksh", "zsh") if shutil.which(s)])
def test_it_works_in_every_shell_at_hand(place: Place, shell: str) -> None:
    assert "review and commit, or stash," in place.context(shell=shutil.which(shell))


@each_runtime
def test_without_an_engine_it_is_silent_success(tmp_path: Path, runtime: str) -> None:
    done = Place(tmp_path, runtime).hook(base.SESSION_START)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert list(tmp_path.iterdir()) == []


def test_without_python_it_is_silent_success(place: Place, stubs: Path) -> None:
    done = place.hook(base.SESSION_START, PATH=str(stubs))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_stub_that_stands_for_python_is_not_heard(place: Place, stubs: Path) -> None:
    program(stubs, "python3", STUB)
    program(stubs, "python", f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    context = place.context(PATH=before_others(stubs))
    assert "Python was not found" not in context
    assert context == place.context()


def test_where_every_python_is_a_stub_it_is_silent_success(place: Place, stubs: Path) -> None:
    for name in ("python3", "python"):
        program(stubs, name, STUB)
    done = place.hook(base.SESSION_START, PATH=before_others(stubs))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@each_runtime
def test_an_engine_that_does_not_even_start_is_silent_success(tmp_path: Path, runtime: str) -> None:
    place = placed(tmp_path / "app", runtime)
    (place.path / ".handoff/engine/modules.txt").write_text("<<<<<<< ours\n", encoding="utf-8")
    done = place.hook(base.SESSION_START)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@each_runtime
def test_modules_that_lie_about_in_the_project_are_not_imported(
    tmp_path: Path, runtime: str
) -> None:
    place = placed(tmp_path / "app", runtime)
    for name in (
        "json.py",
        "engine.py",
        "handoff_engine.py",
        "sitecustomize.py",
        ".handoff/json.py",
    ):
        (place.path / name).write_text("print('caught'); raise SystemExit(1)\n", encoding="utf-8")
    assert "review and commit, or stash," in place.context(PYTHONPATH=str(place.path))


@each_runtime
def test_its_text_is_the_same_on_every_machine(runtime: str) -> None:
    text = command(runtime)
    assert text.endswith(hookplan.MARK)
    assert text.count(hookplan.MARK) == 1
    assert "\n" not in text
    assert str(Path.home()) not in text
    assert sys.executable not in text


@each_runtime
def test_every_event_has_its_entries(runtime: str) -> None:
    hooks = registry.hooks(runtime)
    entries = list(hookplan.entries(runtime, hooks))
    names = [name for theirs in hooks.EVENTS.values() for name in theirs]
    assert [entry["event"] for entry in entries] == names
    for entry in entries:
        assert entry["group"].get("matcher") == hooks.MATCHERS.get(entry["event"])
        (handler,) = entry["group"].get("hooks", [entry["group"]])
        assert handler["type"] == "command"
        assert handler["command"] == command(runtime)
        kind = next(ours for ours, theirs in hooks.EVENTS.items() if entry["event"] in theirs)
        assert handler[hooks.TIMEOUT_KEY] == hooks.TIMEOUTS[kind]
    assert json.loads(json.dumps(entries)) == entries
