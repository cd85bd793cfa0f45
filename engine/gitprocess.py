"""git as a process: what it prints, or what is wrong."""

from __future__ import annotations

import subprocess

from .errors import HandoffError

# Variables that git sets for its own hooks and that would point our commands elsewhere.
INHERITED = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY",
              "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_COMMON_DIR", "GIT_PREFIX", "GIT_NAMESPACE",
              "GIT_CEILING_DIRECTORIES")  # fmt: skip


def output(
    command: list[str], verb: str, environment: dict[str, str], seconds: int, stdin: bytes = b""
) -> bytes:
    """What a command of git prints. Raises: HandoffError where it fails, is missing or takes
    longer than so many seconds."""
    try:
        done = subprocess.run(
            command, input=stdin, capture_output=True, env=environment, timeout=seconds
        )
    except FileNotFoundError:
        raise HandoffError("git is not installed", hint="install git 2.31 or newer") from None
    except subprocess.TimeoutExpired:
        raise HandoffError(f"git {verb} took over {seconds} s") from None
    if done.returncode:
        raise HandoffError(f"git {verb}: {_reason(done.stderr) or done.returncode}")
    return done.stdout


def _reason(said: bytes) -> str:
    """The first line that says what is wrong, or the first."""
    lines = [line.strip() for line in said.decode("utf-8", "replace").splitlines() if line.strip()]
    told = (line for line in lines if line.startswith(("fatal:", "error:", "! ")))
    return next(told, lines[0] if lines else "")
