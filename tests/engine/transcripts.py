"""The same short session as each runtime writes it, line by line."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import datetime, timezone
from typing import Any, NamedTuple

from tests.engine import builders

Row = dict[str, Any]


class Say(NamedTuple):
    text: str


class Run(NamedTuple):
    command: str
    exit_code: int
    output: str = ""


class Reply(NamedTuple):
    text: str


Step = Say | Run | Reply
GOAL, LAST_WORDS = "make the cart total correct", "Next: update the changelog."
STORY: tuple[Step, ...] = (
    Say(GOAL),
    Run("pytest -q tests/cart", 1, "1 failed"),
    Reply("Rounding bug found."),
    Run("pytest -q tests/cart", 0, "5 passed"),
    Reply(LAST_WORDS),
)


def lines(runtime: str, story: tuple[Step, ...] = STORY, first: int = 0) -> list[bytes]:
    """The session's lines; `first` numbers the first step, which gives ids and times."""
    head = HEADS.get(runtime, ()) if first == 0 else ()
    steps = (row for at, step in enumerate(story, first) for row in ROWS[runtime](at, step))
    return [line(row) for row in (*head, *steps)]


def line(row: Row) -> bytes:
    return json.dumps(row, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n"


def time(number: int) -> str:
    at = datetime.fromtimestamp(builders.START + number * 10, timezone.utc)
    return f"{at:%Y-%m-%dT%H:%M:%S}.{number:03}Z"


def _claude_code(at: int, step: Step) -> Iterator[Row]:
    def row(kind: str, content: Any, **more: Any) -> Row:
        name = f"u{at}-{kind}"
        return {
            "type": kind,
            "uuid": name,
            "sessionId": "S-1",
            "timestamp": time(at),
            "message": {"role": kind, "content": content},
            **more,
        }

    if isinstance(step, Say):
        yield row("user", step.text)
    elif isinstance(step, Reply):
        yield row("assistant", [{"type": "text", "text": step.text}])
    else:
        call = {"id": f"c{at}", "name": "Bash", "input": {"command": step.command}}
        yield row("assistant", [{"type": "tool_use", **call}])
        told = f"Exit code {step.exit_code}\n{step.output}" if step.exit_code else step.output
        result = {"tool_use_id": f"c{at}", "content": told, "is_error": step.exit_code != 0}
        response: Any = {"stdout": step.output, "stderr": "", "interrupted": False}
        if step.exit_code:
            response = f"Error: {told}"
        yield row("user", [{"type": "tool_result", **result}], toolUseResult=response)


def _codex(at: int, step: Step) -> Iterator[Row]:
    def item(kind: str, **more: Any) -> Row:
        payload = {"type": "item_completed", "item": {"type": kind, "id": f"i{at}", **more}}
        return {"timestamp": time(at), "ordinal": at, "type": "event_msg", "payload": payload}

    if isinstance(step, Run):
        arguments = json.dumps({"cmd": step.command})
        call = {"name": "exec_command", "call_id": f"i{at}", "arguments": arguments}
        payload = {"type": "function_call", **call}
        yield {"timestamp": time(at), "ordinal": at, "type": "response_item", "payload": payload}
        yield item(
            "CommandExecution",
            command=["/bin/bash", "-lc", step.command],
            aggregated_output=step.output,
            exit_code=step.exit_code,
            duration={"secs": 0, "nanos": 0},
        )
    else:
        kind = "UserMessage" if isinstance(step, Say) else "AgentMessage"
        yield item(kind, content=[{"type": "text", "text": step.text}])


def _codex_older(at: int, step: Step) -> Iterator[Row]:
    def row(kind: str, **more: Any) -> Row:
        return {
            "timestamp": time(at),
            "type": "response_item",
            "payload": {"type": kind, "call_id": f"i{at}", **more},
        }

    if isinstance(step, Run):
        given = json.dumps({"cmd": step.command})
        yield row("function_call", name="exec_command", arguments=given)
        head = f"Wall time: 0.1 seconds\nProcess exited with code {step.exit_code}\nOutput:\n"
        yield row("function_call_output", output=head + step.output)
    else:
        role = "user" if isinstance(step, Say) else "assistant"
        yield row("message", role=role, content=[{"type": "text", "text": step.text}])


def _copilot(at: int, step: Step) -> Iterator[Row]:
    def row(kind: str, **data: Any) -> Row:
        return {"type": kind, "id": f"e{at}-{kind}", "timestamp": time(at), "data": data}

    if isinstance(step, Say):
        yield row("user.message", content=step.text)
    elif isinstance(step, Reply):
        yield row("assistant.message", content=step.text, toolRequests=[])
    else:
        call = {"toolCallId": f"c{at}", "name": "bash", "arguments": {"command": step.command}}
        yield row("assistant.message", content="", toolRequests=[call])
        yield row(
            "tool.execution_complete",
            toolCallId=f"c{at}",
            success=True,
            result={
                "content": f"{step.output}\n<shellId: 0 completed with exit code {step.exit_code}>"
            },
            shellExecution={"exitCode": step.exit_code},
        )


def _gemini(at: int, step: Step) -> Iterator[Row]:
    row: Row = {"id": f"m{at}", "timestamp": time(at), "type": "gemini", "content": ""}
    if isinstance(step, Say):
        yield {**row, "type": "user", "content": [{"text": step.text}]}
    elif isinstance(step, Reply):
        yield {**row, "content": step.text}
    else:
        yield row
        own = [f"Exit Code: {step.exit_code}"] if step.exit_code else []
        told = "\n".join([f"Output: {step.output or '(empty)'}", *own, "Process Group PGID: 7"])
        told = f"<untrusted_context>\n{told}\n</untrusted_context>"
        call = {
            "id": f"c{at}",
            "name": "run_shell_command",
            "args": {"command": step.command},
            "result": [{"functionResponse": {"response": {"output": told}}}],
            "resultDisplay": step.output,
            "timestamp": time(at),
        }
        yield {**row, "toolCalls": [call]}


def _qwen(at: int, step: Step) -> Iterator[Row]:
    def row(kind: str, *parts: Row, **more: Any) -> Row:
        return {
            "uuid": f"u{at}-{kind}",
            "sessionId": "S-1",
            "timestamp": time(at),
            "type": kind,
            "provenance": "real_user",
            "message": {"parts": list(parts)},
            **more,
        }

    if isinstance(step, Say):
        yield row("user", {"text": step.text})
    elif isinstance(step, Reply):
        yield row("assistant", {"text": step.text})
    else:
        call = {"id": f"c{at}", "name": "run_shell_command", "args": {"command": step.command}}
        yield row("assistant", {"functionCall": call})
        shown = {"type": "shell_result", "exitCode": step.exit_code, "output": step.output}
        result = {"callId": f"c{at}", "status": "success", "resultDisplay": shown}
        yield row("tool_result", toolCallResult=result)


def _pi(at: int, step: Step) -> Iterator[Row]:
    def row(role: str, content: Any, **more: Any) -> Row:
        message = {"role": role, "content": content, **more}
        return {"type": "message", "id": f"e{at}", "timestamp": time(at), "message": message}

    if isinstance(step, Say):
        yield row("user", [{"type": "text", "text": step.text}])
    elif isinstance(step, Reply):
        yield row("assistant", [{"type": "text", "text": step.text}])
    else:
        call = {"id": f"c{at}", "name": "bash", "arguments": {"command": step.command}}
        yield row("assistant", [{"type": "toolCall", **call}])
        own = f"\n\nCommand exited with code {step.exit_code}" if step.exit_code else ""
        yield row(
            "toolResult",
            [{"type": "text", "text": step.output + own}],
            toolCallId=f"c{at}",
            toolName="bash",
            isError=step.exit_code != 0,
        )


ROWS: dict[str, Callable[[int, Step], Iterator[Row]]] = {
    "claude-code": _claude_code,
    "codex": _codex,
    "codex, older": _codex_older,
    "copilot": _copilot,
    "gemini": _gemini,
    "qwen": _qwen,
    "pi": _pi,
}
HEADS: dict[str, tuple[Row, ...]] = {
    "copilot": ({"type": "session.start", "timestamp": time(0), "data": {"version": 1}},),
    "gemini": ({"sessionId": "S-1", "startTime": time(0), "kind": "main"},),
    "pi": ({"type": "session", "version": 3, "id": "S-1", "timestamp": time(0)},),
}
