"""The door to the user's commands: run one, let its output through live, keep both ends of it."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from typing import Any, NamedTuple

from . import terminal
from .output import Ends, Output

STDOUT, STDERR = 1, 2
TIMED_OUT, NOT_EXECUTABLE, NOT_FOUND = 124, 126, 127
MAX_READ_BYTES = 65_536
GRACE_SECONDS = 3.0  # between asking a command to end and ending it
IDLE_SECONDS = 0.3  # how long a finished command's output may pause
_PASSED_ON = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT")


class Ended(NamedTuple):
    exit_code: int | None  # None on a time-out, and where it could not start
    stdout: Output
    stderr: Output  # empty where both went to one terminal
    started_at: float  # epoch seconds
    duration_ms: int
    error: str | None  # why there is no exit code
    passed_on: int  # the exit code for whoever started us


def run(
    command: list[str], timeout_seconds: float | None = None, out: int = STDOUT, cwd: str = "."
) -> Ended:
    """Run an argv, or shell text where it is one element, with this process's own input.

    `out` is where its standard output goes; it sees a terminal there where we do.
    """
    started_at, clock = time.time(), time.monotonic()
    kept = {STDOUT: Ends(), STDERR: Ends()}

    def ended(exit_code: int | None, error: str | None, passed_on: int) -> Ended:
        took = round((time.monotonic() - clock) * 1000)
        stdout, stderr = (ends.output() for ends in kept.values())
        return Ended(exit_code, stdout, stderr, round(started_at, 3), took, error, passed_on)

    screen = terminal.opened(out)
    try:
        with _passing_signals_on() as child:
            try:
                process = _started(_argv(command), screen, cwd)
            except (OSError, ValueError) as error:
                missing = isinstance(error, FileNotFoundError)
                said = f"could not be started: {getattr(error, 'strerror', None) or error}"
                return ended(None, said, NOT_FOUND if missing else NOT_EXECUTABLE)
            child.append(process)
            pumps = _pumps(process, screen, out, kept)
            with terminal.keys(screen):
                timed_out = _waited(process, timeout_seconds)
                for pump in pumps:
                    pump.finish()
    finally:
        if screen is not None:
            screen.close()
    if timed_out:
        return ended(None, f"timed out after {timeout_seconds:g} s", TIMED_OUT)
    code = process.returncode if process.returncode >= 0 else 128 - process.returncode
    return ended(code, None, code)


def _argv(command: list[str]) -> list[str]:
    """The program to start: a shell for text, `bash` where there is one, for its `pipefail`."""
    if len(command) > 1 or not set(command[0]) & set(" \t\n;&|<>()$`\\\"'*?[]{}!~#="):
        return command
    return [shutil.which("bash") or "sh", "-c", command[0]]


def _started(argv: list[str], screen: terminal.Screen | None, cwd: str) -> subprocess.Popen[bytes]:
    """A session of its own, so that a time-out ends all of it."""
    more: dict[str, Any] = {"start_new_session": True} if os.name == "posix" else {}
    if screen is not None:
        more["preexec_fn"] = terminal.take
        more["stdin"] = screen.inner if screen.has_keys else None
    process = subprocess.Popen(
        argv,
        cwd=cwd,
        bufsize=0,
        stdout=screen.inner if screen else subprocess.PIPE,
        stderr=screen.inner if screen and screen.has_errors else subprocess.PIPE,
        **more,
    )
    if screen is not None:
        screen.close_inner()
    return process


def _waited(process: subprocess.Popen[bytes], timeout_seconds: float | None) -> bool:
    """Wait for the end; whether it had to be brought about."""
    try:
        process.wait(timeout_seconds)
        return False
    except subprocess.TimeoutExpired:
        _signal(process, signal.SIGTERM)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(GRACE_SECONDS)
    if os.name == "posix":
        _signal(process, signal.SIGKILL)  # also whoever is left of its group
    else:
        process.kill()
    process.wait()
    return True


def _signal(process: subprocess.Popen[bytes], number: int) -> None:
    with contextlib.suppress(OSError):
        if os.name == "posix":
            os.killpg(process.pid, number)
        else:
            process.send_signal(number)


@contextlib.contextmanager
def _passing_signals_on() -> Iterator[list[subprocess.Popen[bytes]]]:
    """Signals to us go to the command, which is to be appended; we stay, to record its end."""
    child: list[subprocess.Popen[bytes]] = []

    def pass_on(number: int, _: object) -> None:
        for process in child:
            _signal(process, number)

    before = {}
    if threading.current_thread() is threading.main_thread():
        for name in _PASSED_ON:
            number = getattr(signal, name, None)
            if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
                before[number] = signal.signal(number, pass_on)
    try:
        yield child
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _pumps(
    process: subprocess.Popen[bytes],
    screen: terminal.Screen | None,
    out: int,
    kept: dict[int, Ends],
) -> list[_Pump]:
    found = []
    if screen is not None:
        found.append(_Pump(screen.outer, out, kept[STDOUT]))
    for pipe, target, ends in (
        (process.stdout, out, kept[STDOUT]),
        (process.stderr, STDERR, kept[STDERR]),
    ):
        if pipe is not None:
            found.append(_Pump(pipe.fileno(), target, ends))
            pipe.close()
    return found


class _Pump:
    """Moves what can be read at `source` to `target`, and keeps its ends."""

    def __init__(self, source: int, target: int, ends: Ends) -> None:
        # A handle of its own: only the thread may close what the thread reads.
        self._source, self._target, self._ends = os.dup(source), target, ends
        self._moved, self._is_writing = 0, False
        self._thread = threading.Thread(target=self._move, daemon=True)
        self._thread.start()

    def finish(self) -> None:
        """Wait for the rest; not for a process in the background that keeps the pipe open."""
        while self._thread.is_alive():
            before = self._moved
            self._thread.join(IDLE_SECONDS)
            if self._moved == before and not self._is_writing:
                return

    def _move(self) -> None:
        with contextlib.suppress(OSError):  # the terminal's other end is gone, or our reader is
            while True:
                data = os.read(self._source, MAX_READ_BYTES)
                if not data:
                    break
                self._ends.add(data)
                self._is_writing = True
                _write(self._target, data)
                self._is_writing = False
                self._moved += len(data)
        self._is_writing = False
        os.close(self._source)  # a command whose output nobody reads any more is told so


def _write(target: int, data: bytes) -> None:
    while data:
        try:
            data = data[os.write(target, data) :]
        except BlockingIOError:
            time.sleep(0.01)
