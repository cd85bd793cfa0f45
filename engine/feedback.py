"""Feedback entries: one command that ran, as one JSON line of `feedback_record.jsonl`.

The shape is the agent workbench's (`command_id`, `command`, `exit_code`, …); `session_id` and
`source` are ours. This is the writing half, and `runs` the reading one: a hook that only writes
should not pay for reading.
"""

from __future__ import annotations

import json

from .redact import MAX_SECRET_CHARS, redact

UNNAMED = "hook-"  # begins the id of a command whose hook was told none
MAX_COMMAND_CHARS = 2_000
MAX_TAIL_CHARS = 2_000
MAX_TAIL_LINES = 30
USUAL_OUTPUT_CHARS = 8_000  # what is redacted before the tail is taken, where no key is in it


def entry(
    command_id: str,
    command: str,
    stdout: str = "",
    stderr: str = "",
    exit_code: int | None = None,
    **rest: object,
) -> dict[str, object]:
    """An entry for `command`, redacted and cut to size; an unknown exit code is None, never 0.

    `rest` are further keys: session_id, started_at (epoch seconds), duration_ms, source (hook,
    transcript or runner), error, agent_note, parent_command_id.
    """
    beginning = command[: MAX_COMMAND_CHARS + MAX_SECRET_CHARS]
    text, hits = redact(beginning)
    if isinstance(rest.get("error"), str):
        rest["error"] = _shortened(redact(str(rest["error"]))[0])
    out, out_cut, out_hits = _tail(stdout)
    err, err_cut, err_hits = _tail(stderr)
    return {
        "command_id": command_id,
        "parent_command_id": None,
        "session_id": "",
        "source": "hook",
        "command": _shortened(text, len(command) - len(beginning)),
        "exit_code": exit_code,
        "started_at": None,
        "duration_ms": None,
        "stdout_tail": out,
        "stderr_tail": err,
        "agent_note": None,
        "error": None,
        "truncations": {"stdout": out_cut, "stderr": err_cut},
        "redactions": {"command": hits, "stdout": out_hits, "stderr": err_hits},
        **rest,
    }


def line(entry: dict[str, object]) -> bytes:
    """The entry as a line of the log."""
    return json.dumps(entry).encode() + b"\n"


def _tail(output: str) -> tuple[str, int, int]:
    """The end of `output`, redacted, the lines cut in front of it, and the redactions made."""
    start = _start(output)
    text, hits = redact(output[start:])
    lines = text.rstrip().splitlines()
    kept = lines[-MAX_TAIL_LINES:]
    while len(kept) > 1 and sum(map(len, kept)) + len(kept) > MAX_TAIL_CHARS:
        kept = kept[1:]
    cut = output.count("\n", 0, start) + len(lines) - len(kept)
    ending = "\n".join(kept)
    if len(ending) > MAX_TAIL_CHARS:  # one long line: its end
        ending = "…" + ending[1 - MAX_TAIL_CHARS :]
    return ending, cut, hits


def _start(output: str) -> int:
    """Where the part begins whose secrets can reach into the tail."""
    start = max(0, len(output) - MAX_SECRET_CHARS)
    if "PRIVATE KEY" in output[start:]:
        return start
    usual = max(0, len(output) - USUAL_OUTPUT_CHARS)
    return max(start, output.rfind("\n", start, usual) + 1)


def _shortened(command: str, unread: int = 0) -> str:
    cut = len(command) - MAX_COMMAND_CHARS + unread
    return command if cut <= 0 else f"{command[:MAX_COMMAND_CHARS]} […{cut} characters cut]"
