"""An agent of ACP for tests: answers as its argument says, one JSON-RPC message a line."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

HOW = sys.argv[1]
MARK = sys.argv[2] if len(sys.argv) > 2 else ""  # a file that says which process this is
CODES = {LookupError: -32602, BlockingIOError: -32600, PermissionError: -32000}
refused: list[str] = []  # sessions that were not opened at first


def send(value: Any) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **value}) + "\n")
    sys.stdout.flush()


def update(session: str, **what: Any) -> None:
    send({"method": "session/update", "params": {"sessionId": session, "update": what}})


def reply(session: str, text: str) -> None:
    content = {"type": "text", "text": text}
    update(session, sessionUpdate="agent_message_chunk", content=content)


def tool(session: str, **more: Any) -> None:
    update(session, sessionUpdate="tool_call_update", toolCallId="t", **more)


def answer(message: dict[str, Any]) -> Any:
    method, given = message["method"], message.get("params", {})
    if method == "initialize":
        if HOW == "hangs":
            time.sleep(600)
        can = {"loadSession": HOW != "forgets"}
        return {"protocolVersion": 1, "agentCapabilities": can, "authMethods": []}
    if method == "session/new":
        if HOW == "wants a login":
            raise PermissionError("Authentication required")
        return {"sessionId": f"new-{os.getpid()}"}
    if method == "session/load":
        if HOW == "refuses":
            raise LookupError("no such session")
        if HOW == "is held" and not refused:
            refused.append(given["sessionId"])
            raise BlockingIOError("in use by another program")
        reply(given["sessionId"], "what I said long ago")
        return {}
    return turn(given["sessionId"], given["prompt"])


def turn(session: str, blocks: list[Any]) -> Any:
    said = " ".join(block.get("text") or block.get("uri") or "?" for block in blocks)
    if HOW == "dies":
        reply(session, "I am")
        sys.exit(3)
    if HOW == "babbles":
        sys.stdout.write("not JSON at all\n[1, 2]\n\x00\x00\n")
        send({"method": "session/nonsense", "params": {"a": 1}})
        update(session, sessionUpdate="a_kind_of_tomorrow", content=7)
        update(session, sessionUpdate="agent_message_chunk", content="no block")
        send({"id": 999, "result": {"to": "nobody"}})
    if HOW == "asks":
        offered = [
            {"optionId": "yes", "kind": "allow_once", "name": "Yes"},
            {"optionId": "no", "kind": "reject_once", "name": "No"},
        ]
        call = {"toolCallId": "t", "title": "rm -r build", "rawInput": {"command": "rm -r build"}}
        params = {"sessionId": session, "toolCall": call, "options": offered}
        send({"id": "ask", "method": "session/request_permission", "params": params})
        while "result" not in (got := read()):
            pass
        said = json.dumps(got["result"]["outcome"])
    if HOW == "runs hooks":
        hook(session, "UserPromptSubmit", prompt=said)
    if HOW in ("is slow", "runs hooks"):
        reply(session, "Working")
        while read().get("method") != "session/cancel":
            pass
        return {"stopReason": "cancelled"}
    if HOW == "is big":
        text = {"type": "text", "text": "x" * 10_000_000 + "end"}
        update(session, sessionUpdate="tool_call", toolCallId="t", title="cat big", kind="execute")
        tool(session, status="completed", content=[{"type": "content", "content": text}],
             rawOutput={"exitCode": 5})  # fmt: skip
    if HOW == "works":
        work(session)
    reply(session, f"You said {said}")
    return {"stopReason": "end_turn"}


def hook(session: str, event: str, **more: Any) -> None:
    """Run the project's hook as the plugin for OpenCode does."""
    payload = {"hook_event_name": event, "session_id": session, "cwd": str(Path.cwd()), **more}
    command = [sys.executable, ".handoff/engine", "hook", "opencode"]
    subprocess.run(command, input=json.dumps(payload).encode(), check=True)


def work(session: str) -> None:
    """A plan, a file that was read, one that was not there, a command that failed, another that was
    left running."""
    steps = [("read it", "completed"), ("mend it", "pending")]
    entries = [{"content": text, "status": status, "priority": "low"} for text, status in steps]
    update(session, sessionUpdate="plan", entries=entries)
    reply(session, "I look. ")
    for call, kind, title, status in (
        ("a", "read", "app.py", "completed"),
        ("b", "read", "gone.py", "failed"),
    ):
        update(session, sessionUpdate="tool_call", toolCallId=call, title=title, kind=kind)
        update(session, sessionUpdate="tool_call_update", toolCallId=call, status=status)
    for call, command in (("c", "make check"), ("d", "sleep 99")):
        given = {"toolCallId": call, "title": command, "kind": "execute"}
        update(session, sessionUpdate="tool_call", **given, rawInput={"command": command})
    said = [{"type": "content", "content": {"type": "text", "text": "2 failed"}}]
    ended = {"status": "failed", "content": said, "rawOutput": {"exitCode": 2}}
    update(session, sessionUpdate="tool_call_update", toolCallId="c", **ended)
    update(session, sessionUpdate="usage_update", used=300, size=1000)


def read() -> dict[str, Any]:
    line = sys.stdin.readline()
    if not line:
        time.sleep(600 if HOW == "is stubborn" else 0)
        sys.exit(0)
    value: dict[str, Any] = json.loads(line)
    return value


def stay() -> None:
    """Go on in two processes, whatever they are asked."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if os.fork() == 0:
        note()
        time.sleep(600)


def note() -> None:
    if MARK:
        with open(MARK, "a") as file:
            file.write(f"{os.getpid()}\n")


def main() -> None:
    note()
    if HOW == "is stubborn":
        stay()
    while True:
        message = read()
        if "id" not in message or "method" not in message:
            continue
        try:
            send({"id": message["id"], "result": answer(message)})
        except tuple(CODES) as error:
            given = {"code": CODES[type(error)], "message": str(error)}
            send({"id": message["id"], "error": given})
        if HOW == "is late" and message["method"] == "session/prompt":
            reply(message["params"]["sessionId"], "and one more thing")


main()
