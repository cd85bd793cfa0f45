"""Talks with `handoff chat --json`: run as a module, inside the sandbox.

Arguments: a JSON list of orders, then the command. The next order is sent after each turn and each
agent that took over; every permission is allowed once, but for what says `forbidden`. An order
`{"kill": TEXT}` is not sent: it kills the program below the chat whose command line has the text,
and the order after it follows. What was told goes to stdout, what still runs after it to stderr.
"""

from __future__ import annotations

import functools
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from .sandbox import descendants, wait_for

TIDY_SECONDS = 5  # for what ends by itself once its parent has


def main() -> int:
    orders, command = json.loads(sys.argv[1]), sys.argv[2:]
    before = running()
    chat = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert chat.stdin
    assert chat.stdout
    for line in chat.stdout:
        event = json.loads(line)
        print(json.dumps(event), flush=True)
        order = None
        if event["kind"] == "permission":
            kind = "reject_once" if "forbidden" in event["text"] else "allow_once"
            option = next(one["id"] for one in event["options"] if one["kind"] == kind)
            order = {"answer": event["id"], "option": option}
        elif event["kind"] == "error":
            order = {"close": True}
        elif event["kind"] in ("turn", "agent") and event["status"] != "again":
            order = next_of(orders, chat.pid)
        if order:
            chat.stdin.write(json.dumps(order).encode() + b"\n")
            chat.stdin.flush()
    code = chat.wait(60)
    try:
        wait_for(lambda: running().keys() <= before.keys(), TIDY_SECONDS)
    except TimeoutError:
        print("left:", [v for pid, v in running().items() if pid not in before], file=sys.stderr)
    return code


def next_of(orders: list[dict[str, Any]], chat: int) -> dict[str, Any]:
    while orders:
        order = orders.pop(0)
        if "kill" not in order:
            return order
        known = running()
        meant = [pid for pid in descendants(chat) if order["kill"] in known.get(pid, "")]
        os.kill(meant[-1], signal.SIGKILL)  # the program; before it comes what keeps it
        wait_for(functools.partial(are_gone, meant), TIDY_SECONDS)
    return {"close": True}


def are_gone(pids: list[int]) -> bool:
    return not any(Path(f"/proc/{pid}").exists() for pid in pids)


def running() -> dict[int, str]:
    """The command line of each process, by its id."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            line = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:  # it ended while we looked
            continue
        if line:  # none in one that ended and is not collected yet
            found[int(folder.name)] = line
    return found


sys.exit(main())
