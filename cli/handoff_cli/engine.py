"""The only door to a repository's engine: it is started as a process, never imported."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from handoff_cli.errors import HandoffError

ENGINE = ".handoff/engine"
TIMEOUT_SECONDS = 60
OLDEST_PYTHON = (3, 9)
USAGE_ERROR = 2


def project(start: Path) -> Path:
    """The nearest folder from `start` upwards that has an engine.

    Raises: HandoffError where there is none.
    """
    here = start.resolve()
    for folder in (here, *here.parents):
        if (folder / ENGINE / "__main__.py").is_file():
            return folder
    raise HandoffError(
        f"there is no handoff in `{here}` or above", "run `handoff init` there first"
    )


def python_of_hooks() -> tuple[str, tuple[int, ...]] | None:
    """The Python that a hook's command would start, with its version; None: there is none."""
    for name in ("python3", "python"):
        found = shutil.which(name)
        if found is None:
            continue
        asked = [found, "-I", "-S", "-B", "-c", "import sys; print(*sys.version_info[:2])"]
        done = subprocess.run(asked, capture_output=True, text=True, check=False, timeout=30)
        version = tuple(int(part) for part in done.stdout.split() if part.isdigit())
        if done.returncode == 0 and version >= OLDEST_PYTHON:
            return name, version
    return None


def command(folder: Path, arguments: list[str]) -> list[str]:
    return [sys.executable, "-I", "-S", "-B", str(folder / ENGINE), *arguments]


def option(name: str, value: str | None) -> list[str]:
    """An option of the engine, where it was given, also where its value begins with a dash."""
    return [] if value is None else [f"{name}={value}"]


def flag(name: str, given: bool) -> list[str]:
    return [name] if given else []


def become(folder: Path, arguments: list[str]) -> int:
    """Let the engine take this process's place, so that Ctrl-C and other signals reach it; where a
    system cannot, run it and return its exit code."""
    if os.name != "posix":
        return run(folder, arguments)
    started = command(folder, arguments)
    sys.stdout.flush()
    sys.stderr.flush()
    os.execv(started[0], started)


def run(folder: Path, arguments: list[str]) -> int:
    """Run a verb with this process's own input and output; return its exit code."""
    return subprocess.run(command(folder, arguments), check=False).returncode


def ask(folder: Path, arguments: list[str]) -> Any:
    """The JSON value that a verb prints. Raises: HandoffError where it fails."""
    try:
        done = subprocess.run(
            command(folder, arguments),
            capture_output=True,
            text=True,
            timeout=TIMEOUT_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise HandoffError(
            f"the engine in `{folder}` did not answer `{arguments[0]}` in {TIMEOUT_SECONDS} s"
        ) from None
    if done.returncode == USAGE_ERROR and "VERB: invalid choice" in done.stderr:
        raise HandoffError(
            f"the engine in `{folder}` is too old for `{arguments[0]}`", "run `handoff update`"
        )
    if done.returncode:
        said = done.stderr.strip().removeprefix("handoff: ") or f"exit code {done.returncode}"
        raise HandoffError(f"the engine in `{folder}`: {said}")
    return json.loads(done.stdout)


def hook(folder: Path, runtime: str, payload: dict[str, Any]) -> dict[str, Any]:
    """What the engine answers to an event, as a runtime's hook would hand it over; what goes wrong
    there is in its `hook.log`."""
    done = subprocess.run(
        command(folder, ["hook", runtime]),
        input=json.dumps(payload).encode(),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        timeout=TIMEOUT_SECONDS,
        check=False,
    )
    found: dict[str, Any] = json.loads(done.stdout or b"{}")
    return found
