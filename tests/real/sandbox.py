"""Runs a command with a scripted model and without a network, and leaves no process behind.

The command gets namespaces of its own: a loopback interface and nothing else, and process ids
whose first process takes every other one with it when it ends, orphans included.
"""

from __future__ import annotations

import functools
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .programs import UnavailableError

Command = Sequence[str | Path]

PORT = 8087  # always free: the network namespace is new
MODEL_URL = f"http://127.0.0.1:{PORT}"

# $1 time limit, $2 port file, $3 folder that holds the model server's package, then the server's
# command up to `--` and the command to run. The server alone gets the Python path.
FIRST_PROCESS = """
ip link set lo up || exit 125
limit=$1 port_file=$2 package_root=$3; shift 3
python=$1 module=$2 log=$3 script=$4 port=$5; shift 6
PYTHONPATH=$package_root "$python" -m "$module" "$port_file" "$log" "$script" "$port" >&2 &
until [ -e "$port_file" ]; do kill -0 $! || exit 125; sleep 0.02; done
timeout -k 5 "$limit" "$@"
exit $?
"""


@dataclass(frozen=True)
class Finished:
    returncode: int
    stdout: str
    stderr: str
    requests: tuple[dict[str, Any], ...] = field(repr=False)

    def model_read(self, text: str) -> bool:
        """Whether the text stands in anything that was sent to the model."""
        return any(text in found for request in self.requests for found in strings(request))


def strings(value: object) -> list[str]:
    """Every string inside a JSON value."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    return [text for part in value for text in strings(part)] if isinstance(value, list) else []


@dataclass(frozen=True)
class Kill:
    """Signal these processes as soon as the marker file is there."""

    marker: Path
    signal: signal.Signals
    native: str  # file name of the program whose processes are meant


def run(
    command: Command,
    *,
    cwd: Path,
    home: Path,
    prompt: str = "",
    steps: Sequence[Mapping[str, Any]] = (),
    prompts: Mapping[str, Sequence[Mapping[str, Any]]] | None = None,
    env: Mapping[str, str] | None = None,
    kill: Kill | None = None,
    timeout_seconds: int = 120,
) -> Finished:
    """What the command printed and what it sent to the model at `MODEL_URL`, which plays the
    steps of the prompt, or of further `prompts`.

    Raises: UnavailableError where this machine has no namespaces.
    """
    root = Path(__file__).resolve().parents[len(str(__package__).split("."))]
    (home / "tmp").mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="handoff-model-") as name:
        work = Path(name)
        script = work / "script.json"
        played = {prompt: list(steps), **(prompts or {})}
        script.write_text(json.dumps(played), encoding="utf-8")
        server: Command = [
            sys.executable,
            f"{__package__}.model_server",
            work / "log",
            script,
            str(PORT),
        ]
        first: Command = [
            "sh",
            "-c",
            FIRST_PROCESS,
            "sh",
            str(timeout_seconds),
            work / "port",
            root,
        ]
        with (work / "stdout").open("wb") as stdout, (work / "stderr").open("wb") as stderr:
            process = subprocess.Popen(
                [*namespaces(), *first, *server, "--", *command],
                cwd=cwd,
                env=environment(home) | dict(env or {}),
                stdin=subprocess.DEVNULL,
                stdout=stdout,
                stderr=stderr,
            )
            try:
                if kill is not None:
                    _kill_in_mid_turn(process, kill, timeout_seconds)
                returncode = process.wait(timeout_seconds + 30)
            finally:
                process.kill()  # `unshare --kill-child` takes the namespace with it
                process.wait()
        log = sorted((work / "log").glob("*.json")) if (work / "log").exists() else []
        return Finished(
            returncode,
            (work / "stdout").read_text(encoding="utf-8", errors="replace"),
            (work / "stderr").read_text(encoding="utf-8", errors="replace"),
            tuple(json.loads(path.read_text(encoding="utf-8")) for path in log),
        )


def environment(home: Path) -> dict[str, str]:
    """All that the command sees of this machine's environment."""
    found = (shutil.which(tool) for tool in ("git", "node"))
    tools = [str(Path(tool).parent) for tool in found if tool]
    # A version manager's `python3` is a script that wants its user's home: the real one goes first.
    path = [str(Path(sys.base_prefix) / "bin"), *tools, "/usr/local/bin", "/usr/bin", "/bin"]
    return {
        "PATH": os.pathsep.join([*path, "/usr/sbin", "/sbin"]),
        "HOME": str(home),
        "TMPDIR": str(home / "tmp"),
        "TERM": "xterm-256color",
        "LANG": "C.UTF-8",
    }


@functools.cache
def namespaces() -> tuple[str, ...]:
    """The start of a command line that puts the rest into namespaces of its own.

    Raises: UnavailableError.
    """
    for tool in ("unshare", "ip", "timeout"):
        if shutil.which(tool, path=os.defpath + ":/usr/sbin:/sbin") is None:
            raise UnavailableError(
                f"`{tool}` is not here, and agents are only run without a network"
            )
    command = ["unshare", "--net", "--pid", "--fork", "--kill-child", "--mount-proc"]
    if os.geteuid() != 0:
        command.insert(1, "--map-root-user")
    tried = subprocess.run([*command, "true"], capture_output=True, text=True)
    if tried.returncode != 0:
        raise UnavailableError(f"no network namespace: {tried.stderr.strip()}")
    return tuple(command)


def _kill_in_mid_turn(process: subprocess.Popen[bytes], kill: Kill, timeout_seconds: int) -> None:
    wait_for(lambda: kill.marker.exists() or process.poll() is not None, timeout_seconds)
    if process.poll() is not None:
        raise AssertionError(f"ended with {process.returncode} before `{kill.marker}` was there")
    meant = [pid for pid in descendants(process.pid) if program_of(pid) == kill.native]
    if not meant:
        raise AssertionError(f"no `{kill.native}` process below {process.pid}")
    for pid in meant:
        os.kill(pid, kill.signal)


def wait_for(condition: Callable[[], bool], timeout_seconds: float) -> None:
    deadline = time.monotonic() + timeout_seconds
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(f"waited {timeout_seconds} s in vain")
        time.sleep(0.02)


def descendants(pid: int) -> list[int]:
    """Ids, as seen from here, of all processes below this one, parents first."""
    children: dict[int, list[int]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:  # it ended while we looked
            continue
        children.setdefault(int(fields[1]), []).append(int(folder.name))
    found = list(children.get(pid, []))
    for below in found:  # grows while it is read
        found.extend(children.get(below, []))
    return found


def program_of(pid: int) -> str | None:
    """The file name of the program that the process runs, or None where it cannot be told."""
    try:
        return Path(f"/proc/{pid}/exe").readlink().name
    except OSError:
        return None
