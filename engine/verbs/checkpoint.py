"""A turn or a session ended: take up what the transcript has, and write the packet."""

from __future__ import annotations

import contextlib
import os
import time
from typing import TYPE_CHECKING

from .. import budget, feedback, git, layout, names, registry, runs, session, store, sweep
from ..errors import HandoffError
from ..runtimes import base
from . import board, conversation, topic
from .publish import publish

if TYPE_CHECKING:
    from ..project import Project
    from ..runtimes.protocol import Lines
    from ..session import Session


def checkpoint(project: Project, runtime: str, event: base.HookEvent) -> str:
    """Take up and publish the session; why its turn may not end yet, if it may not."""
    known = project.load_session(names.folder(event.native_id))
    current = known or session.new(runtime, event.native_id)._replace(
        topic=topic.of_new_session(project)
    )
    current = session.located(current, event.transcript)
    time.sleep(registry.transcript(runtime).FLUSH_SECONDS)
    is_over = event.kind == base.SESSION_END
    current = session.after_event(swept(project, current, is_over), event, time.time())
    if event.kind != base.PRE_COMPACT:
        current = conversation.told_by_hooks(project, current, event)
    reason = budget.reason_to_hold(current, project.config) if event.may_hold else ""
    current = current._replace(held=current.held or bool(reason), unpublished=True)
    project.save_session(current)
    if is_over:
        board.close_finished(project, current)
    _published(project, current)
    return reason


def recover(project: Project, current: Session) -> None:
    """Write the packet of a session that never reported its end."""
    current = swept(project, current, True)
    current = current._replace(recovered=True, busy=False, unpublished=True)
    project.save_session(current)
    _published(project, current)


def _published(project: Project, current: Session) -> None:
    """Write the session's packet, then that it was written: whatever kills us before, a later
    start finds the session as it was left."""
    at = git.place(project.root)
    if at is not None:
        try:
            publish(project, current, unless_empty=True)
        finally:
            conversation.keep(project, at, current)
    project.save_session(current._replace(unpublished=False))


def has_unread(current: Session) -> bool:
    """Whether there is more of the session than its packet has: a hook was killed before it wrote
    that, the transcript has grown since or, where there is no such file, its turn never ended."""
    if current.unpublished:
        return True
    if current.ended_at is not None:
        return False
    try:
        if not registry.transcript(current.runtime).KEPT:
            return current.busy
        seen = max(current.offset, current.seen_bytes)
        return bool(current.transcript) and os.path.getsize(current.transcript or "") > seen
    except HandoffError:
        return False  # of a runtime that this engine does not know
    except OSError:
        return False


def caught_up(project: Project, current: Session) -> Session:
    """The session as its transcript has it now, saved; one that no runtime had is as it was."""
    if not current.runtime:
        return current
    with project.exclusive():
        current = swept(project, current)
        project.save_session(current)
    return current


def why_unreadable(current: Session) -> str | None:
    """Why the session is not to be had from where its runtime keeps it, if it is not."""
    try:
        with contextlib.closing(_unread(current, False)) as lines:
            next(iter(lines), None)
    except HandoffError as error:
        return str(error)
    return None


def swept(project: Project, current: Session, is_over: bool = False) -> Session:
    """The session after what is unread of its transcript, whose commands join the feedback log;
    once it is over, also of what was still being written."""
    if conversation.only_hooks_tell(current):
        return current
    try:
        with contextlib.closing(_unread(current, is_over)) as lines:
            found = registry.transcript(current.runtime).records(lines)
            current, commands, entries = sweep.after_records(current, found, lines.offset == 0)
    except HandoffError as error:
        return current._replace(note=str(error))
    new = runs.news(project.recorded(current.id), commands)
    layout.append_feedback(project.root, b"".join(map(feedback.line, new)))
    current = conversation.written(project, current, entries)
    return current._replace(
        offset=0 if current.note else lines.offset,
        seen_bytes=lines.size,
        cut_bytes=lines.cut_bytes,
    )


def _unread(current: Session, is_over: bool) -> Lines:
    """Raises: HandoffError where it cannot be read."""
    if current.database:
        messages = registry.database(current.runtime).Messages
        path, native_id, offset = current.database, current.native_id, current.offset
        return messages(path, native_id, offset, store, is_over)
    if not current.transcript or not os.path.isfile(current.transcript):
        where = f": `{current.transcript}`" if current.transcript else ""
        raise HandoffError(f"transcript unavailable{where}")
    return store.Lines(current.transcript, current.offset)
