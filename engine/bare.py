"""The bare repository that the ledger is: git run on it, and objects written into it."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import time

from .errors import HandoffError
from .paths import inside

TIMEOUT_SECONDS = 20
ABANDONED_SECONDS = 2  # after which whoever made a lock was killed
_IDENTITY = "handoff <handoff@localhost>"


def ensure(ledger: str) -> None:
    """Make the ledger where there is none yet: beside its place, so that it is never there in part.

    Raises: HandoffError where it cannot be made.
    """
    if os.path.isdir(ledger):
        return
    made = f"{ledger}.{os.urandom(6).hex()}.tmp"
    try:
        os.makedirs(os.path.dirname(ledger), exist_ok=True)
        git("", "init", "--quiet", "--bare", "--template=", made)
        os.rename(made, ledger)
    except OSError as error:
        shutil.rmtree(made, ignore_errors=True)
        if not os.path.isdir(ledger):  # else another was faster
            raise HandoffError(f"the ledger cannot be made: {error}") from None


def blob(ledger: str, data: bytes) -> str:
    """Write an object with this content; its id."""
    return git(ledger, "hash-object", "-w", "--stdin", stdin=data).decode().strip()


def made_commit(
    ledger: str, tree: str, parents: tuple[str, ...], message: str, seconds: int
) -> str:
    """Write a commit that no ref has yet; its id."""
    who = f"{_IDENTITY} {seconds} +0000"
    lines = [f"tree {tree}", *(f"parent {parent}" for parent in parents)]
    text = "\n".join([*lines, f"author {who}", f"committer {who}", "", message])
    out = git(ledger, "hash-object", "-w", "-t", "commit", "--stdin", stdin=text.encode())
    return out.decode().strip()


def git(ledger: str, *args: str, stdin: bytes = b"") -> bytes:
    """What git prints, run on the ledger with nothing of the user's configuration."""
    until = time.monotonic() + 2 * ABANDONED_SECONDS
    while True:
        done = _run(ledger, *args, stdin=stdin)
        if not done.returncode:
            return done.stdout
        said = done.stderr.decode("utf-8", "replace").strip()
        if not is_locked(ledger, said) or time.monotonic() > until:
            raise HandoffError(f"the ledger cannot be used: git {args[0]}: {said}")
        time.sleep(0.05)


def is_locked(ledger: str, said: str) -> bool:
    """Whether a lock stood in git's way; one that was held too long is taken away: git holds them
    for milliseconds, and a git that was killed leaves its own behind for ever."""
    found = re.search(r"Unable to create '(.+\.lock)': File exists", said)
    if found is None:
        return False
    lock = inside(found[1], ledger)
    with contextlib.suppress(OSError):
        if abs(time.time() - os.path.getmtime(lock)) > ABANDONED_SECONDS:
            os.unlink(lock)
    return True


def _run(ledger: str, *args: str, stdin: bytes) -> subprocess.CompletedProcess[bytes]:
    where = [f"--git-dir={ledger}"] if ledger else []
    # No signing, hooks, replaced objects or helpers.
    environment = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
    environment.update(
        GIT_CONFIG_NOSYSTEM="1",
        GIT_CONFIG_GLOBAL=os.devnull,
        GIT_NO_REPLACE_OBJECTS="1",
        LC_ALL="C",
    )
    try:
        return subprocess.run(
            ["git", *where, *args],
            input=stdin,
            capture_output=True,
            env=environment,
            timeout=TIMEOUT_SECONDS,
        )
    except (FileNotFoundError, subprocess.TimeoutExpired) as error:
        raise HandoffError(f"the ledger cannot be used: {error}") from None
