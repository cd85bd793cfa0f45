"""Types at a program that wants a terminal: run as a module, inside the sandbox.

Arguments: a JSON list of `[text to wait for, what to type]`, then the command. Ends with the
command's exit code, or with 99 where a text did not come.
"""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import select
import struct
import sys
import termios
import time

WAIT_SECONDS = 40
SETTLE_SECONDS = 1.0  # a program draws before it listens
ESCAPES = re.compile(
    rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_()][^\[]?)"
)


def main(lines: list[list[str]], command: list[str]) -> int:
    child, terminal = pty.fork()
    if child == 0:
        os.execvp(command[0], command)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 160, 0, 0))
    seen = b""
    for wanted, keys in lines:
        seen = read_until(terminal, wanted, seen)
        if wanted and wanted.encode() not in shown(seen):
            sys.stderr.write(shown(seen)[-3000:].decode("utf-8", "replace"))
            os.kill(child, 15)
            return 99
        seen = drain(terminal)
        os.write(terminal, keys.encode())
        time.sleep(0.3)
        os.write(terminal, b"\r")
    read_until(terminal, "\0", b"")
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def shown(data: bytes) -> bytes:
    return ESCAPES.sub(b" ", data)


def read_until(terminal: int, wanted: str, seen: bytes) -> bytes:
    until = time.monotonic() + WAIT_SECONDS
    while time.monotonic() < until and wanted.encode() not in shown(seen):
        if not select.select([terminal], [], [], 0.2)[0]:
            continue
        try:
            part = os.read(terminal, 65536)
        except OSError:  # it ended
            break
        if not part:
            break
        answer(terminal, part)
        seen += part
    return seen


def answer(terminal: int, part: bytes) -> None:
    """What a terminal answers when it is asked where the cursor is, and what it is."""
    if b"\x1b[6n" in part:
        os.write(terminal, b"\x1b[1;1R")
    if b"\x1b[c" in part:
        os.write(terminal, b"\x1b[?62c")


def drain(terminal: int) -> bytes:
    seen = b""
    until = time.monotonic() + SETTLE_SECONDS
    while time.monotonic() < until:
        if select.select([terminal], [], [], 0.1)[0]:
            part = os.read(terminal, 65536)
            answer(terminal, part)
            seen += part
    return seen


if __name__ == "__main__":
    sys.exit(main(json.loads(sys.argv[1]), sys.argv[2:]))
