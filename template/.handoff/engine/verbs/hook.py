"""Answer a runtime's hook: a payload in, the reply or nothing out."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from .. import names, registry, store
from ..errors import HandoffError
from ..runtimes import base

if TYPE_CHECKING:
    from ..project import Project

_BOM = b"\xef\xbb\xbf"


def answer(project: Project, runtime: str, data: bytes) -> bytes:
    """The bytes for stdout: empty, or one JSON object in the runtime's shape.

    Raises: HandoffError where the payload is no JSON object.
    """
    hooks = registry.hooks(runtime)
    event = hooks.event(_payload(data))
    if event is None:
        return b""
    if event.kind == base.COMMAND:
        _record(project, hooks, event)
        return b""
    from . import checkpoint, start

    with project.exclusive():
        if event.kind == base.SESSION_START:
            context = start.start(project, runtime, event)
        elif event.kind == base.PROMPT:
            context = start.prompted(project, runtime, event)
        else:
            checkpoint.checkpoint(project, runtime, event)
            context = ""
    return json.dumps(hooks.reply(event.kind, context)).encode() if context else b""


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


def _record(project: Project, hooks: base.Hooks, event: base.HookEvent) -> None:
    """Append the command to the feedback log: the one event that must cost next to nothing."""
    import time

    record = event.record
    if record is None or not record.command:
        return
    if record.exit_code is None and hooks.TAIL_BYTES and event.transcript:
        record = hooks.settled(record, store.tail(event.transcript, hooks.TAIL_BYTES))
    started_at = time.time() - (record.duration_ms or 0) / 1000
    session_id = names.folder(event.native_id)
    project.append_feedback((record._replace(session_id=session_id, started_at=started_at),))
