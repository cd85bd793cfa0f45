"""Answer a runtime's hook: a payload in, the reply or nothing out."""

from __future__ import annotations

import json
import os

from .. import feedback, layout, logs, names, registry
from ..errors import HandoffError
from ..runtimes import base

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..runtimes.protocol import Hooks

_BOM = b"\xef\xbb\xbf"


def answer(root: str, runtime: str, data: bytes) -> bytes:
    """The bytes for stdout: empty, or one JSON object in the runtime's shape.

    Raises: HandoffError where the payload is no JSON object.
    """
    hooks = registry.hooks(runtime)
    event = hooks.event(_payload(data))
    if event is None or (registry.is_chatted(runtime) and _is_another_s(root, runtime, event)):
        return b""
    if event.kind == base.COMMAND and event.plan is None:
        _record(root, hooks, event)
        if not _is_to_look(root, event):
            return b""
    return _answer(root, runtime, hooks, event)


def _answer(root: str, runtime: str, hooks: Hooks, event: base.HookEvent) -> bytes:
    from ..project import Project
    from . import checkpoint, start

    if event.transcript is None and event.kept_in:
        event.transcript = logs.named(event.kept_in, event.native_id)
    project = Project(root)
    with project.exclusive():
        if event.kind == base.SESSION_START:
            context = start.start(project, runtime, event)
        elif event.kind in (base.PROMPT, base.COMMAND):
            context = start.noted(project, runtime, event)
        else:
            reason = checkpoint.checkpoint(project, runtime, event)
            held = hooks.hold(reason) if reason else {}
            return json.dumps(held).encode() if held else b""
    return json.dumps(hooks.reply(event.name, context)).encode() if context else b""


def _is_another_s(root: str, runtime: str, event: base.HookEvent) -> bool:
    """Whether a chat is not to tell this: the session's own hooks do, or it never began. Only that
    a turn is over, in which its program was killed or cancelled, they may not have told."""
    from ..project import Project
    from . import checkpoint

    project = Project(root)
    with project.exclusive():
        known = project.load_session(names.folder(event.native_id))
        is_end = event.kind in (base.TURN_END, base.SESSION_END)
        if known is None or known.runtime == runtime:
            return known is None and is_end
        if known.busy and is_end:
            end = base.HookEvent(event.kind, known.native_id, None, background=known.background)
            checkpoint.checkpoint(project, known.runtime, end)
    return True


def _payload(data: bytes) -> dict[str, Any]:
    while data.startswith(_BOM):
        data = data[len(_BOM) :]
    try:
        value = json.loads(data.decode("utf-8", "replace"))
    except (ValueError, RecursionError) as error:
        raise HandoffError(f"the hook's input is not JSON: {error}") from None
    if not isinstance(value, dict):
        raise HandoffError("the hook's input is no JSON object")
    return value


def _record(root: str, hooks: Hooks, event: base.HookEvent) -> None:
    """Append the command to the feedback log: the one event that must cost next to nothing."""
    import time

    entry = event.entry
    if not entry or not entry["command"]:
        return
    if entry["exit_code"] is None and hooks.TAIL_BYTES and event.transcript:
        entry = hooks.settled(entry, logs.tail(event.transcript, hooks.TAIL_BYTES))
    entry["command_id"] = entry["command_id"] or f"{feedback.UNNAMED}{time.time_ns()}"
    took = entry["duration_ms"]
    entry["started_at"] = round(time.time() - (took / 1000 if isinstance(took, int) else 0), 3)
    entry["session_id"] = names.folder(event.native_id)
    layout.append_feedback(root, feedback.line(entry))


def _is_to_look(root: str, event: base.HookEvent) -> bool:
    """Whether so much was said since the last look that the context may have reached a limit."""
    if event.entry and event.entry["agent_note"]:
        return False  # a subagent has a context of its own
    record = os.path.join(root, layout.session(names.folder(event.native_id)))
    try:
        with open(record, encoding="utf-8") as file:
            known = json.load(file)
        transcript = event.transcript or known["transcript"]
        size = os.path.getsize(transcript) if transcript else event.used_tokens or 0
        return size >= int(known["look_at_bytes"])
    except (OSError, ValueError, KeyError, TypeError):
        return False  # no prompt of its session was seen
