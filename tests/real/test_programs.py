from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from . import programs, sandbox
from .agents import AgentRun, run_claude, run_codex

pytestmark = pytest.mark.real

each_agent = pytest.mark.parametrize("run", [run_claude, run_codex])
Run = Callable[..., AgentRun]


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    repo = tmp_path / "repo"
    repo.mkdir()
    (repo / "notes.txt").write_text("one\ntwo\n")
    for command in (
        ["init", "--quiet", "--initial-branch", "main"],
        ["add", "."],
        ["-c", "user.name=A", "-c", "user.email=a@example.com", "commit", "--quiet", "-m", "start"],
    ):
        subprocess.run(["git", *command], cwd=repo, check=True)
    return repo


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.mark.parametrize("program", programs.AGENTS, ids=lambda p: p.name)
def test_the_program_is_the_pinned_version(program: programs.Program, home: Path) -> None:
    command: list[str | Path] = programs.require(program)
    done = sandbox.run([*command, "--version"], cwd=home.parent, home=home)
    printed = done.stdout or done.stderr.splitlines()[-1]  # ours says something before
    assert printed.partition("\n")[0].strip() == program.banner
    assert program.version in printed


def test_a_broken_install_is_reported_and_the_cache_stays_clean(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    missing = programs.Program("gone", "@handoff-tests/gone", "1.0.0", "*", "gone", "gone 1.0.0")
    monkeypatch.setenv("PATH", str(tmp_path))  # no npm
    with pytest.raises(programs.UnavailableError, match="npm"):
        programs.installed(missing, tmp_path / "cache")
    assert [path.name for path in (tmp_path / "cache").iterdir()] == ["gone-1.0.0.lock"]


def test_two_runs_that_want_the_same_program_install_it_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = tmp_path / "calls"
    npm = tmp_path / "bin" / "npm"
    npm.parent.mkdir()
    npm.write_text(
        f"""#!/bin/sh
echo "$@" >> {calls}
sleep 0.2
printf '#!/bin/sh\\necho tiny 1.0.0\\n' > tiny
chmod +x tiny
"""
    )
    npm.chmod(0o755)
    monkeypatch.setenv("PATH", f"{npm.parent}:{os.environ['PATH']}")
    tiny = programs.Program("tiny", "tiny", "1.0.0", "tiny", "tiny", "tiny 1.0.0")
    with ThreadPoolExecutor() as pool:
        found = {*pool.map(lambda _: programs.installed(tiny, tmp_path / "cache"), range(4))}
    assert found == {tmp_path / "cache" / "tiny-1.0.0" / "tiny"}
    assert len(calls.read_text().splitlines()) == 1


@each_agent
def test_steps_are_played_and_requests_kept(run: Run, repo: Path, home: Path) -> None:
    done = run(
        repo,
        home,
        [
            {"bash": "echo passing-output"},
            {"bash": "echo failing-output; exit 3"},
            {"write": ["new.txt", "fresh\n"]},
            {"edit": ["notes.txt", "two\n", "three\n"]},
            {"plan": [["Look", "completed"], ["Leap", "in_progress"]]},
            {"text": "That is all."},
        ],
        prompt="Please do the work",
    )
    assert done.returncode == 0, done
    assert "That is all." in done.stdout
    assert (repo / "new.txt").read_text() == "fresh\n"
    assert (repo / "notes.txt").read_text() == "one\nthree\n"
    assert done.model_read("Please do the work")
    assert done.model_read("passing-output")
    assert done.model_read("failing-output")
    assert not done.model_read("unsupported call")
    assert not done.model_read("No such tool available")
    assert done.transcript is not None
    assert done.session_id
    assert done.session_id in done.transcript.read_text()


@each_agent
def test_a_resumed_session_keeps_its_id_and_plays_the_new_prompt(
    run: Run, repo: Path, home: Path
) -> None:
    first = run(repo, home, [{"text": "First answer."}], prompt="First question")
    again = run(
        repo,
        home,
        [{"bash": "echo second-output"}, {"text": "Second answer."}],
        prompt="Second question",
        resume=first.session_id,
    )
    assert "Second answer." in again.stdout, again
    assert again.session_id == first.session_id
    assert again.model_read("First answer.")
    assert again.model_read("second-output")


@each_agent
def test_steps_in_the_prompt_need_no_script(run: Run, repo: Path, home: Path) -> None:
    steps = [{"bash": "echo $((40 + 2))"}, {"text": "Told."}]
    done = run(repo, home, [], prompt=f"STEPS={json.dumps(steps)}")
    assert "Told." in done.stdout, done
    assert done.model_read("42")


@pytest.mark.parametrize(("run", "tokens"), [(run_claude, 985_000), (run_codex, 250_000)])
def test_a_compacted_session_goes_on_with_the_next_step(
    run: Run, tokens: int, repo: Path, home: Path
) -> None:
    steps = [
        {"bash": "echo x >> first"},
        {"bash": "echo x >> second", "in": tokens},
        {"bash": "echo x >> third"},
        {"text": "Finished."},
    ]
    done = run(repo, home, steps)
    assert "Finished." in done.stdout, done
    assert done.model_read("The conversation so far, in short.")
    assert [(repo / name).read_text() for name in ("first", "second", "third")] == ["x\n"] * 3


@pytest.mark.parametrize(
    ("run", "signal_", "returncode"),
    [
        (run_claude, signal.SIGKILL, 137),
        (run_claude, signal.SIGTERM, 143),
        (run_codex, signal.SIGKILL, 137),
        (run_codex, signal.SIGTERM, 143),
    ],
)
def test_a_run_killed_in_mid_turn_is_over_and_leaves_nothing_running(
    run: Run, signal_: signal.Signals, returncode: int, repo: Path, home: Path, tmp_path: Path
) -> None:
    marker = tmp_path / "marker"
    steps: list[dict[str, Any]] = [
        {"bash": f"echo $$ > {marker}; sleep 3600", "yield_ms": 30_000},
        {"text": "Never said."},
    ]
    done = run(repo, home, steps, kill_after=marker, kill_signal=signal_)
    assert done.returncode == returncode, done
    assert "Never said." not in done.stdout
    assert done.transcript is not None
    assert "Never said." not in done.transcript.read_text()
    assert not running_in(repo)


def running_in(folder: Path) -> list[str]:
    """Programs of all processes whose working directory is the folder."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if (process / "cwd").resolve() == folder.resolve():
                found.append((process / "cmdline").read_text())
        except OSError:
            continue
    return found


def test_there_is_no_network_but_loopback(home: Path, tmp_path: Path) -> None:
    addresses = sandbox.run(["cat", "/proc/net/dev"], cwd=tmp_path, home=home).stdout
    interfaces = [line.split(":")[0].strip() for line in addresses.splitlines() if ":" in line]
    assert "lo" in interfaces
    assert not {name for name in interfaces if name.startswith(("eth", "en", "wl"))}


def test_the_command_sees_a_real_python_and_git_and_no_secrets(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_TOKEN", "secret")
    seen = sandbox.run(
        ["sh", "-c", "python3 --version && git --version && env"], cwd=tmp_path, home=home
    )
    assert seen.returncode == 0, seen
    assert f"HOME={home}" in seen.stdout
    assert "SOME_TOKEN" not in seen.stdout
    assert "PYTHONPATH" not in seen.stdout
    assert shutil.which("python3") is not None
