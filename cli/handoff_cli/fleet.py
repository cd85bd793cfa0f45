"""One command in many projects, side by side; what fails in one stays there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from handoff_cli import projects
from handoff_cli.scaffold import SHARED

TIMEOUT_SECONDS = 300
INTERRUPTED = 130


@dataclass(frozen=True)
class Result:
    project: Path
    code: int  # of the command; 1 where there is no such project any more
    value: Any  # what it printed as JSON, or None
    error: str


def _not_begun(folder: Path) -> Result:
    return Result(folder, INTERRUPTED, None, "interrupted before its turn; run it again")


def run(
    command: list[str], folders: Sequence[Path], done: Callable[[Result], None] = lambda one: None
) -> list[Result]:
    """Run `handoff COMMAND` in each project, each in a process of its own; in the order given.

    Interrupted (Ctrl-C), it lets those at work finish and begins no other.
    """

    def one(folder: Path) -> Result:
        result = _run(command, folder, shared)
        done(result)
        return result

    with (
        tempfile.TemporaryDirectory(prefix="handoff.") as shared,
        ThreadPoolExecutor(max_workers=os.cpu_count() or 2) as pool,
    ):
        jobs: dict[Path, Future[Result]] = {}
        try:
            for folder in folders:
                jobs[folder] = pool.submit(one, folder)
            for job in jobs.values():
                job.result()
        except KeyboardInterrupt:
            pool.shutdown(cancel_futures=True)  # those at work come to their end
    begun = {folder: job.result() for folder, job in jobs.items() if not job.cancelled()}
    return [begun.get(folder) or _not_begun(folder) for folder in folders]


def _run(command: list[str], folder: Path, shared: str) -> Result:
    if not projects.is_project(folder):
        return Result(folder, 1, None, "there is no project any more; `handoff projects remove` it")
    try:
        done = subprocess.run(
            [sys.executable, "-m", "handoff_cli", *command, str(folder)],
            cwd=shared,  # `-m` puts it on the path: never somebody's repository
            env={**os.environ, SHARED: shared},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=TIMEOUT_SECONDS,
            check=False,
            start_new_session=True,  # a Ctrl-C is for us alone
        )
    except subprocess.TimeoutExpired:
        return Result(folder, 1, None, f"took over {TIMEOUT_SECONDS} s and was stopped")
    try:
        value = json.loads(done.stdout)
    except ValueError:
        value = None
    said = " ".join(done.stderr.split()).removeprefix("handoff: ")
    return Result(folder, done.returncode, value, said if done.returncode else "")
