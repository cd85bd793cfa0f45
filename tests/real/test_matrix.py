"""Every proved runtime first, every other one second: the packet goes from any of them to any."""

from __future__ import annotations

import fcntl
import json
import shutil
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from tests import repository
from tests.repository import SETTINGS, Repository

from .agents import AGENTS, RUN, AgentRun
from .sandbox import strings

pytestmark = pytest.mark.real

GOAL = "Greet the world"
NEXT = "Translate the greeting"
FAILING = "echo no such check >&2; sleep 0.3; exit 3"  # at once, Qwen Code may lose what it said
SESSION: list[dict[str, Any]] = [
    {"bash": "echo one"},
    {"bash": FAILING},
    {"write": ["greeting.txt", "hello, world\n"]},
    {"bash": f"python3 .handoff/engine state set next_action '{NEXT}'"},
    {"text": "The greeting is written."},
]


@dataclass(frozen=True)
class First:
    """A repository in which a runtime has worked, its home folder, and what its packet says."""

    folder: Path
    session_id: str

    @property
    def project(self) -> Repository:
        return Repository(self.folder / "repo")

    @property
    def home(self) -> Path:
        return self.folder / "home"


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """A folder that all of this run's workers share."""
    base = tmp_path_factory.getbasetemp()
    return base if worker_id == "master" else base.parent


@pytest.fixture
def first(shared: Path, request: pytest.FixtureRequest) -> First:
    """The first session of the runtime asked for, played once."""
    runtime = request.param
    folder = shared / f"first-{runtime}"
    with (shared / f"first-{runtime}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "session.json").exists():
            shutil.rmtree(folder, ignore_errors=True)
            session = played(runtime, folder)
            (folder / "session.json").write_text(json.dumps(session.session_id))
    return First(folder, json.loads((folder / "session.json").read_text()))


def played(runtime: str, folder: Path) -> AgentRun:
    done = RUN[runtime](set_up(folder).path, folder / "home", SESSION, prompt=GOAL)
    assert done.returncode == 0, done.stderr
    return done


def set_up(folder: Path) -> Repository:
    """A repository with hooks for every runtime."""
    made = repository.new(folder / "repo")
    made.write("app.py", "print('hello')\n")
    made.git("config", "user.name", "Test")
    made.git("config", "user.email", "test@localhost")
    made.commit("start")
    every = f"runtimes=[{', '.join(SETTINGS)}]"
    assert made.handoff("init", "--defaults", "--data", every).returncode == 0
    return made


@pytest.fixture
def copy(first: First, tmp_path: Path) -> First:
    """A copy to go on in: repository and home, at a path of their own."""
    shutil.copytree(first.folder, tmp_path / "copy", symlinks=True)
    return First(tmp_path / "copy", first.session_id)


@pytest.mark.parametrize("first", RUN, indirect=True)
def test_a_session_is_on_record_as_it_was(first: First, request: pytest.FixtureRequest) -> None:
    runtime = request.node.callspec.params["first"]
    packet = first.project.active()
    assert first.project.hook_log() == ""
    assert packet["session"]["runtime"] == runtime
    assert first.session_id in (packet["session"]["native_id"], "")
    assert packet["task"]["goal"] == GOAL
    assert packet["last_statement"] == "The greeting is written."
    commands = [(run["command"], run["exit_code"]) for run in packet["commands_run"]]
    assert commands[:2] == [("echo one", 0), (FAILING, 3)]
    assert len(commands) == 3
    assert [one["exit_code"] for one in packet["failed_attempts"]] == [3]
    assert [item["path"] for item in packet["changed_files"]] == ["greeting.txt"]
    assert packet["context_usage"]["used_tokens"]
    assert packet["native_sessions"][0]["turns"] == 1
    path = f"outputs/handoff/{packet['session']['id']}/handoff.json"
    validated = first.project.engine("validate", path)
    assert validated.returncode == 0, validated.stdout


@pytest.mark.parametrize(("first", "second"), list(permutations(RUN, 2)), indirect=["first"])
def test_the_second_agent_starts_from_the_packet_of_the_first(copy: First, second: str) -> None:
    done = RUN[second](copy.project.path, copy.home, [{"text": "I see."}], prompt="Go on")
    assert done.returncode == 0, done.stderr
    assert done.model_read(f"NEXT ACTION (from state): {NEXT}")
    assert done.model_read("exit code 3: no such check")
    if second == "opencode":  # the call that makes a title needs no packet
        errands = [request for request in done.requests if not request.get("tools")]
        assert errands
        assert not any("NEXT ACTION" in text for text in strings(errands))
    assert copy.project.hook_log() == ""


@pytest.mark.parametrize("runtime", RUN)
def test_the_resume_command_opens_the_same_session(tmp_path: Path, runtime: str) -> None:
    """In the folder it worked in: several runtimes find their sessions by it."""
    played(runtime, tmp_path)
    project = Repository(tmp_path / "repo")
    (native,) = project.active()["native_sessions"]
    assert native["native_id"] in native["resume_command"]
    done = RUN[runtime](
        project.path,
        tmp_path / "home",
        [{"bash": "echo again; exit 4"}, {"text": "On it."}],
        prompt="And more",
        resume=native["native_id"],
    )
    assert done.returncode == 0, done.stderr
    assert not done.model_read("<handoff-packet>")  # it knows all this
    packet = project.active()
    assert packet["session"]["native_id"] == native["native_id"]
    assert packet["supersedes"] is None
    assert packet["native_sessions"][0]["turns"] == 2
    assert (packet["commands_run"][-1]["exit_code"], packet["task"]["goal"]) == (4, GOAL)


@pytest.mark.parametrize("runtime", RUN)
def test_hooks_in_the_user_s_own_settings_serve_every_repository(
    tmp_path: Path, runtime: str
) -> None:
    project, home = set_up(tmp_path), tmp_path / "home"
    assert project.handoff("hooks", "remove").returncode == 0
    AGENTS[runtime].prepare(home, project.path)
    install = ["hooks", "install", "--scope", "user", "--runtime", runtime]
    assert project.handoff(*install).returncode == 0
    done = RUN[runtime](project.path, home, SESSION, prompt=GOAL)
    assert done.returncode == 0, done.stderr
    packet = project.active()
    assert packet["session"]["runtime"] == runtime
    assert [run["exit_code"] for run in packet["commands_run"]] == [0, 3, 0]


@pytest.mark.parametrize("runtime", RUN)
def test_an_engine_that_does_not_start_stops_nobody(tmp_path: Path, runtime: str) -> None:
    project = set_up(tmp_path)
    project.write(".handoff/engine/modules.txt", "<<<<<<< ours\n")
    steps = [{"bash": "echo one > one.txt"}, {"text": "Done."}]
    done = RUN[runtime](project.path, tmp_path / "home", steps, prompt=GOAL)
    assert done.returncode == 0, done.stderr
    assert (project.path / "one.txt").read_text() == "one\n"
    assert project.packets() == {}
