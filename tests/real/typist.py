"""Types at a program that wants a terminal: run as a module, inside the sandbox.

Arguments: a JSON list of `[what to wait for, what to type]`, then the command. Waited for is a text
on the screen, or a file where it is an absolute path, and then for a screen that stands still.
Words are sent with Enter, other keys as they are; `null` closes the terminal. Each screen that was
typed at goes to stderr, and all of it into the file `TYPIST_CAST` (asciicast, version 2) where that
is set. Ends with the command's exit code, or with 99 where something did not come.
"""

from __future__ import annotations

import codecs
import contextlib
import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time
from pathlib import Path

import pyte

WAIT_SECONDS = 120
STILL_SECONDS = 0.6  # a program draws before it listens
MOST_STILL_SECONDS = 2.0  # while it works, something always moves
END_SECONDS = 15
KEY_SECONDS = 0.3
LINES, COLUMNS = int(os.environ.get("LINES", "50")), int(os.environ.get("COLUMNS", "160"))
# What the emulator would take for something else: modes of newer terminals and questions about them
# (`ESC [ ? 1 u`), strings that are none of the screen's, and the variants of a character.
OTHERS = re.compile(
    rb"\x1b\[[0-?]*[<>=?][0-?]*[ -/]*[@-~]|\x1b\[[0-9;]* q|\x1b[P_^X][^\x1b]*\x1b\\"
    rb"|\xef\xb8[\x8e\x8f]"
)
UNFINISHED = re.compile(rb"(?:\x1b(?:\[[0-?]*[ -/]*|[P_^X\]][^\x1b\x07]*\x1b?)?|\xef\xb8?)\Z")


class Terminal:
    """The screen of a program that runs in a terminal of its own."""

    def __init__(self, command: list[str]) -> None:
        self.screen = pyte.Screen(COLUMNS, LINES)
        self.stream = pyte.ByteStream(self.screen)
        self.unfinished = b""
        self.decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.child, self.terminal = pty.fork()
        if self.child == 0:
            os.execvp(command[0], command)
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
        self.begun = time.monotonic()
        self.cast = Path(os.environ.get("TYPIST_CAST", os.devnull)).open("a")  # noqa: SIM115
        self.note({"version": 2, "width": COLUMNS, "height": LINES})

    def note(self, value: object) -> None:
        self.cast.write(json.dumps(value) + "\n")
        self.cast.flush()

    def shown(self) -> str:
        return "\n".join(line.rstrip() for line in self.screen.display)

    def read(self, seconds: float) -> None:
        """Draw what comes within that time. Raises: EOFError where the program has ended."""
        if not select.select([self.terminal], [], [], seconds)[0]:
            return
        try:
            part = os.read(self.terminal, 65536)
        except OSError:
            part = b""
        if not part:
            raise EOFError
        self.answer(part)
        drawn = self.decoder.decode(part)
        self.note([round(time.monotonic() - self.begun, 3), "o", drawn])
        part = self.unfinished + part
        match = UNFINISHED.search(part)
        whole = match.start() if match else len(part)
        self.unfinished = part[whole:]
        self.stream.feed(OTHERS.sub(b"", part[:whole]))

    def answer(self, part: bytes) -> None:
        """What a terminal answers when it is asked where the cursor is, and what it is."""
        if b"\x1b[6n" in part:
            os.write(self.terminal, b"\x1b[1;1R")
        if b"\x1b[c" in part:
            os.write(self.terminal, b"\x1b[?62c")

    def has(self, wanted: str) -> bool:
        return Path(wanted).exists() if wanted.startswith("/") else wanted in self.shown()

    def wait(self, wanted: str) -> bool:
        """Whether it came; returns once the screen stands still."""
        until = time.monotonic() + WAIT_SECONDS
        while not self.has(wanted):
            if time.monotonic() > until:
                return False
            self.read(0.1)
        shown, since = self.shown(), time.monotonic()
        until = since + MOST_STILL_SECONDS
        while time.monotonic() < min(since + STILL_SECONDS, until):
            self.read(0.1)
            if self.shown() != shown:
                shown, since = self.shown(), time.monotonic()
        return True

    def type(self, keys: str) -> None:
        if self.cast.name != os.devnull:  # as people do, for those who look on
            for key in keys:
                os.write(self.terminal, key.encode())
                self.read(KEY_SECONDS)
                time.sleep(KEY_SECONDS / 4)
            keys = "\r"
        # A pause, or it is taken for pasted, with Enter for a part of it.
        for part in (keys, "\r") if keys.isprintable() and keys else keys:
            os.write(self.terminal, part.encode())
            time.sleep(KEY_SECONDS)

    def end(self) -> int:
        """The program's exit code, once it has ended by itself, and the hooks it left behind."""
        until = time.monotonic() + END_SECONDS
        ended, status = os.waitpid(self.child, os.WNOHANG)
        while (not ended or hooks_run()) and time.monotonic() < until:
            time.sleep(0.05)
            if not ended:
                ended, status = os.waitpid(self.child, os.WNOHANG)
        if not ended:
            os.kill(self.child, signal.SIGKILL)
            _, status = os.waitpid(self.child, 0)
        return os.waitstatus_to_exitcode(status)


def hooks_run() -> bool:
    """Whether a hook of ours still runs: they outlive a program that does not wait for them."""
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if b"/.handoff/engine/" in file.read_bytes():
                return True
    return False


def main(lines: list[list[str | None]], command: list[str]) -> int:
    terminal = Terminal(command)
    try:
        for wanted, keys in lines:
            came = terminal.wait(wanted or "")
            told = "" if came else ", which did not come"
            sys.stderr.write(f"{terminal.shown().rstrip()}\n--- {wanted!r}{told}: {keys!r}\n")
            if not came:
                os.kill(terminal.child, signal.SIGTERM)
                return 99
            if keys is None:
                os.close(terminal.terminal)
                return terminal.end()
            terminal.type(keys)
        until = time.monotonic() + WAIT_SECONDS
        while time.monotonic() < until:
            terminal.read(0.2)
    except EOFError:
        sys.stderr.write(f"{terminal.shown().rstrip()}\n--- ended\n")
    return terminal.end()


if __name__ == "__main__":
    sys.exit(main(json.loads(sys.argv[1]), sys.argv[2:]))
