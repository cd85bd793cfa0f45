"""Talks with `handoff chat --json`: run as a module, inside the sandbox.

Arguments: a JSON list of orders, then the command. The next order is sent after each turn and each
agent that took over; every permission is allowed once. What was told goes to stdout.
"""

from __future__ import annotations

import json
import subprocess
import sys


def main() -> int:
    orders, command = json.loads(sys.argv[1]), sys.argv[2:]
    chat = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert chat.stdin
    assert chat.stdout
    for line in chat.stdout:
        event = json.loads(line)
        print(json.dumps(event), flush=True)
        order = None
        if event["kind"] == "permission":
            option = next(one["id"] for one in event["options"] if one["kind"] == "allow_once")
            order = {"answer": event["id"], "option": option}
        elif event["kind"] == "error":
            order = {"close": True}
        elif event["kind"] in ("turn", "agent"):
            order = orders.pop(0) if orders else {"close": True}
        if order:
            chat.stdin.write(json.dumps(order).encode() + b"\n")
            chat.stdin.flush()
    return chat.wait(60)


sys.exit(main())
