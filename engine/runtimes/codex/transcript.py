"""Codex's rollout (`~/.codex/sessions/…/rollout-*.jsonl`) as records."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from ... import records as r
from ..base import number
from ..lines import items, mapping, objects, seconds, string
from . import older
from .hooks import PLAN_ACCEPTED, duration_ms, exit_code
from .words import command_text, human_words, plan_steps

KEPT = True
FLUSH_SECONDS = 0.0

# What Codex says of a program that ran or runs; of one that was refused it says anything else.
_RAN = re.compile(
    r"(?:Chunk ID: \S+\n)?(?:Wall time: [0-9.]+ seconds\n)?Process (?:exited|running) with |"
    r"Exit code: "
)
_SHELLS = ("exec_command", "shell", "shell_command", "local_shell", "container.exec")


def records(lines: Iterable[bytes]) -> Iterator[r.Record]:
    plans: dict[str, r.Plan] = {}  # plans whose call is not known to have been accepted
    last: r.Record = r.Skipped("")
    model: str | None = None
    itemized = False  # there are items without numbers
    for value in objects(lines, _is_line):
        if isinstance(value, r.Skipped):
            yield value
            continue
        payload = mapping(value.get("payload"))
        kind, call_id = payload.get("type"), string(payload.get("call_id"))
        at = seconds(value.get("timestamp"))
        # Where there are items, what older versions wrote is there too, but says less. Versions
        # that write items number their lines; an older one may go on in the same file.
        numbered = "ordinal" in value
        itemized = itemized or (kind == "item_completed" and not numbered)
        if kind == "item_completed":
            yield from _item(mapping(payload.get("item")), payload, at)
        elif kind == "token_count":
            yield from _usage(mapping(payload.get("info")), model)
        elif value.get("type") == "turn_context":
            model = string(payload.get("model")) or None
        elif kind == "function_call":
            arguments = _arguments(payload)
            if payload.get("name") == "update_plan":
                plans[call_id] = r.Plan(plan_steps(arguments.get("plan")))
            elif payload.get("name") in _SHELLS:  # it may never report its end
                command = command_text(arguments.get("cmd", arguments.get("command")))
                if command:
                    yield r.Call(call_id, command, at)
        elif kind == "function_call_output" and call_id in plans:
            plan = plans.pop(call_id)
            if payload.get("output") == PLAN_ACCEPTED:
                yield plan
        elif numbered and kind == "function_call_output" and _never_ran(payload.get("output")):
            yield r.Result(call_id, None, "", "", at, "did not run to its end")
        elif not (numbered or itemized):
            for record in older.records(payload, at):
                if type(record) is not type(last) or record[0] != last[0]:
                    yield record
                last = record  # a message stands there twice, as an event as well


def _is_line(value: dict[str, Any]) -> bool:
    return isinstance(value.get("payload"), dict)


def _never_ran(output: Any) -> bool:
    return isinstance(output, str) and not _RAN.match(output)


def _item(item: dict[str, Any], payload: dict[str, Any], at: float | None) -> Iterator[r.Record]:
    kind = item.get("type")
    if kind == "UserMessage":
        said = human_words(_joined(item.get("content")))
        if said:
            yield r.Prompt(said, at)
    elif kind == "AgentMessage":
        yield r.Reply(_joined(item.get("content")), at)
    elif kind == "FileChange":
        call_id, paths = string(item.get("id")), " ".join(mapping(item.get("changes")))
        yield r.Use(call_id, "apply_patch", paths, at)
        fine = item.get("status") == "completed"
        yield r.Result(call_id, None, string(item.get("stderr")), "", at, succeeded=fine)
    elif kind == "CommandExecution":
        call_id = string(item.get("id"))
        ended = number(payload, "completed_at_ms")
        ended_at = at if ended is None else ended / 1000
        took = duration_ms(item)
        started_at = (
            ended_at - took / 1000 if ended_at is not None and took is not None else ended_at
        )
        yield r.Call(call_id, command_text(item.get("command")), started_at)
        yield r.Result(
            call_id,
            exit_code(item),
            string(item.get("aggregated_output")),
            "",
            ended_at,
        )


def _arguments(payload: dict[str, Any]) -> dict[str, Any]:
    try:
        return mapping(json.loads(string(payload.get("arguments"))))
    except (ValueError, RecursionError):
        return {}


def _usage(info: dict[str, Any], model: str | None) -> Iterator[r.Record]:
    used = number(mapping(info.get("last_token_usage")), "total_tokens")
    if used is not None:
        yield r.Usage(used, number(info, "model_context_window"), model)


def _joined(content: Any) -> str:
    parts = [string(mapping(part).get("text")) for part in items(content)]
    return "\n".join(part for part in parts if part)
