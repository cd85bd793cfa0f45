"""The real agent programs, fetched from npm at a pinned version into a cache outside git.

`HANDOFF_TEST_CACHE` names the cache folder. Where a program cannot be had, a test that needs it is
skipped and says why; with `HANDOFF_REQUIRE_RUNTIMES=1` it fails instead.
"""

from __future__ import annotations

import fcntl
import functools
import os
import platform
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import pytest

INSTALL_SECONDS = 600


class UnavailableError(Exception):
    """A program or a tool that the tests need is not to be had on this machine."""


@dataclass(frozen=True)
class Program:
    name: str
    package: str
    version: str
    executable: str  # a pattern below the install folder
    native: str  # file name of the process that holds the session
    banner: str  # what `--version` prints first
    on_node: bool = False  # a script, for the pinned Node
    alone: bool = False  # without the copy of another program that it would bring


CLAUDE_CODE = Program(
    name="claude-code",
    package="@anthropic-ai/claude-code",
    version="2.1.332",
    # The platform's package holds the binary itself, whether or not install scripts may run.
    executable="node_modules/@anthropic-ai/claude-code-*/claude",
    native="claude",
    banner="2.1.332 (Claude Code)",
)
CODEX = Program(
    name="codex",
    package="@openai/codex",
    version="0.171.0",
    executable="node_modules/.bin/codex",  # a node script that starts the native program
    native="codex",
    banner="codex-cli 0.171.0",
)


GEMINI = Program(
    name="gemini",
    package="@google/gemini-cli",
    version="0.61.0",
    executable="node_modules/@google/gemini-cli/bundle/gemini.js",
    native="node",
    banner="0.61.0",
    on_node=True,
)
QWEN = Program(
    name="qwen",
    package="@qwen-code/qwen-code",
    version="0.24.4",
    executable="node_modules/@qwen-code/qwen-code/cli.js",
    native="node",
    banner="0.24.4",
    on_node=True,
)
COPILOT = Program(
    name="copilot",
    package="@github/copilot",
    version="1.0.102",
    executable="node_modules/@github/copilot-linux-*/copilot",
    native="copilot",
    banner="GitHub Copilot CLI 1.0.102.",
)
OPENCODE = Program(
    name="opencode",
    package="opencode-ai",
    version="1.18.33",
    executable="node_modules/opencode-linux-*/bin/opencode",
    native="opencode",
    banner="1.18.33",
)
PI = Program(
    name="pi",
    package="@mariozechner/pi-coding-agent",
    version="0.73.1",
    executable="node_modules/@mariozechner/pi-coding-agent/dist/cli.js",
    native="node",
    banner="0.73.1",
    on_node=True,
)
CLAUDE_ADAPTER = Program(
    name="claude-agent-acp",
    package="@agentclientprotocol/claude-agent-acp",
    version="0.101.0",
    executable="node_modules/@agentclientprotocol/claude-agent-acp/dist/index.js",
    native="node",
    banner="0.101.0",
    on_node=True,
    alone=True,
)
CODEX_ADAPTER = Program(
    name="codex-acp",
    package="@agentclientprotocol/codex-acp",
    version="2.6.0",
    executable="node_modules/@agentclientprotocol/codex-acp/dist/index.js",
    native="node",
    banner="@agentclientprotocol/codex-acp 2.6.0",
    on_node=True,
    alone=True,
)
NODE = Program(
    name="node",
    package=f"node-linux-{'arm64' if platform.machine() == 'aarch64' else 'x64'}",
    version="22.23.3",
    executable="node_modules/node-linux-*/bin/node",
    native="node",
    banner="v22.23.3",
)
AGENTS = (CLAUDE_CODE, CODEX, GEMINI, QWEN, COPILOT, OPENCODE, PI)


def require(program: Program) -> list[str | Path]:
    """The command that starts it; skips or fails the running test where there is none."""
    try:
        return [*_node(program), _installed_once(program)]
    except UnavailableError as reason:
        give_up(str(reason))


def give_up(reason: str) -> NoReturn:
    if os.environ.get("HANDOFF_REQUIRE_RUNTIMES") == "1":
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


def _node(program: Program) -> list[str | Path]:
    return [_installed_once(NODE)] if program.on_node else []


@functools.cache
def _installed_once(program: Program) -> Path:
    return installed(program, cache_folder())


def cache_folder() -> Path:
    chosen = os.environ.get("HANDOFF_TEST_CACHE")
    return Path(chosen) if chosen else Path.home() / ".cache" / "handoff-tests"


def installed(program: Program, cache: Path) -> Path:
    """The executable, installed first where it is missing; two processes may ask at once.

    Raises: UnavailableError.
    """
    folder = cache / f"{program.name}-{program.version}"
    cache.mkdir(parents=True, exist_ok=True)
    with (cache / f"{folder.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            unfinished = Path(tempfile.mkdtemp(prefix=f"{folder.name}.", dir=cache))
            try:
                _npm_install(program, unfinished)
                checked(program, unfinished)
                unfinished.rename(folder)
            finally:
                shutil.rmtree(unfinished, ignore_errors=True)
    return checked(program, folder)


def checked(program: Program, folder: Path) -> Path:
    """The executable below the folder, once it has printed the pinned version."""
    found = next(iter(sorted(folder.glob(program.executable))), None)
    if found is None:
        raise UnavailableError(
            f"`{program.package}` has no program for this platform in `{folder}`"
        )
    with tempfile.TemporaryDirectory() as home:  # a first start writes into it
        answer = subprocess.run(
            [*_node(program), found, "--version"],
            env={"PATH": os.environ["PATH"], "HOME": home},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
        )
    if (answer.stdout or answer.stderr).partition("\n")[0].strip() != program.banner:
        raise UnavailableError(f"`{found} --version` printed {answer.stdout!r} {answer.stderr!r}")
    return found


def _npm_install(program: Program, folder: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise UnavailableError(f"`npm` is not on the path, so {program.package} cannot be fetched")
    command = [npm, "install", "--prefix", str(folder), "--no-audit", "--no-fund"]
    wanted = f"{program.package}@{program.version}"
    less = ["--omit=optional"] if program.alone else []
    try:
        subprocess.run(
            # Forced: the engines that a package asks for are those of the Node it is given here.
            [*command, "--ignore-scripts", "--no-save", "--force", *less, wanted],
            cwd=folder,
            check=True,
            capture_output=True,
            text=True,
            timeout=INSTALL_SECONDS,
        )
    except subprocess.CalledProcessError as failure:
        raise UnavailableError(
            f"npm could not fetch {program.package}: {failure.stderr}"
        ) from failure
    except subprocess.TimeoutExpired as failure:
        raise UnavailableError(
            f"npm took over {INSTALL_SECONDS} s for {program.package}"
        ) from failure
