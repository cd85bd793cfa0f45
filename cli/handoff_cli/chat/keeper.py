"""Runs a command in a process group of its own, and ends all of that with whoever started it.

A process of its own, with the standard library alone: `python keeper.py FD COMMAND…`. The starter
holds the other end of the pipe FD; when it is closed, also since the starter was killed, the group
is asked to end, and made to.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time

ASKED_SECONDS = 2


def main(held: int, command: list[str]) -> int:
    agent = subprocess.Popen(command, start_new_session=True)
    for inherited in (0, 1):  # they are the agent's: their end is to be its end
        os.close(inherited)
    threading.Thread(target=_until_let_go, args=(held, agent), daemon=True).start()
    code = agent.wait()
    _let_end(agent)  # what it started and left: hooks run as it ends
    _signal(agent, signal.SIGKILL)
    return code if code >= 0 else 128 - code


def _until_let_go(held: int, agent: subprocess.Popen[bytes]) -> None:
    os.read(held, 1)
    _signal(agent, signal.SIGTERM)
    _let_end(agent)
    _signal(agent, signal.SIGKILL)


def _let_end(agent: subprocess.Popen[bytes]) -> None:
    """Wait until nothing of the group is left, but not for ever."""
    deadline = time.monotonic() + ASKED_SECONDS
    with contextlib.suppress(ProcessLookupError, PermissionError):
        while time.monotonic() < deadline:
            os.killpg(agent.pid, 0)
            time.sleep(0.02)


def _signal(agent: subprocess.Popen[bytes], number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(agent.pid, number)


if __name__ == "__main__":
    os._exit(main(int(sys.argv[1]), sys.argv[2:]))
