"""The only door to a repository's engine: it is started as a process, never imported."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from handoff_cli.errors import HandoffError

ENGINE = ".handoff/engine"
TIMEOUT_SECONDS = 60


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


def command(folder: Path, arguments: list[str]) -> list[str]:
    return [sys.executable, "-I", "-S", "-B", str(folder / ENGINE), *arguments]


def run(folder: Path, arguments: list[str]) -> int:
    """Run a verb with this process's own input and output; return its exit code."""
    return subprocess.run(command(folder, arguments), check=False).returncode


def ask(folder: Path, arguments: list[str]) -> Any:
    """The JSON value that a verb prints. Raises: HandoffError where it fails."""
    done = subprocess.run(
        command(folder, arguments),
        capture_output=True,
        text=True,
        timeout=TIMEOUT_SECONDS,
        check=False,
    )
    if done.returncode:
        said = done.stderr.strip().removeprefix("handoff: ") or f"exit code {done.returncode}"
        raise HandoffError(f"the engine in `{folder}`: {said}")
    return json.loads(done.stdout)
