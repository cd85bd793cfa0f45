"""A session starts: remember where, recover what an earlier one left, hand over its packet."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

from .. import (
    context,
    freshness,
    git,
    layout,
    ledger,
    names,
    registry,
    session,
    worktree,
)
from ..records import Prompt
from ..runtimes import base
from . import checkpoint, context_use, conversation, log, ours, snapshot, topic

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..project import Project
    from ..session import Session

MAX_RECOVERED = 5
LEAST_OF_CONVERSATION = 4_000  # bytes, beside the packet


def start(project: Project, runtime: str, event: base.HookEvent) -> str:
    """Remember the session; the text that its model should receive, or an empty one."""
    at = git.place(project.root)
    if at is None:
        return ""
    state = snapshot.repository(project, at, None)
    known = project.load_session(names.folder(event.native_id))
    current = known or session.new(runtime, event.native_id)._replace(
        topic=topic.of_new_session(project),
        base_commit=state.head,
        start_branch=state.branch,
        start_branches=worktree.branches(at),
        start_state=snapshot.fingerprint(project, state),
    )
    current = session.after_event(current, event, time.time())._replace(branch=state.branch)
    why = checkpoint.why_unreadable(current) if current.database else None
    if why:  # from now on its hooks tell all of it
        current = current._replace(database=None, note=why)
    project.save_session(current)
    lost = _recover(project, current)
    told = _packet_and_talk(project, runtime, event, at, current, state.head)
    return "\n\n".join(filter(None, (told, lost)))


def _packet_and_talk(
    project: Project,
    runtime: str,
    event: base.HookEvent,
    at: git.Place,
    current: Session,
    head: str | None,
) -> str:
    """The packet and what was said before, as far as the session is to hear it now."""
    branch = current.branch
    active = filed(at, current.topic, branch, head)
    if event.source == "resume" and active and active["session"]["id"] == current.id:
        return ""  # it knows all this
    blocked = filed(at, current.topic, branch, head, "blocked")
    writer = packet_writer(project, at, active, blocked, branch, head)
    packet = writer(context.MAX_BYTES)
    if packet and event.source in registry.hooks(runtime).UNHEARD:
        project.save_session(current._replace(owed=True))
        return ""
    if event.source == "resume":
        return packet  # what was said meanwhile it is told with the next prompt
    room = context.MAX_BYTES - len(packet.encode()) - 2
    current, talk = conversation.told(project, at, current, max(room, LEAST_OF_CONVERSATION))
    if not talk:
        return packet
    project.save_session(current)
    packet = writer(context.MAX_BYTES - len(talk.encode()) - 2)
    return "\n\n".join(filter(None, (packet, talk)))


def filed(
    at: git.Place, topic: str, branch: str | None, head: str | None, kind: str = "active"
) -> dict[str, Any] | None:
    """The value that the ledger has for a branch and topic, or None."""
    tip = ledger.tip(ledger.path(at.common_dir), ledger.ref(branch, head, topic, kind))
    value: dict[str, Any] | None = json.loads(tip.payload) if tip else None
    return value


def noted(project: Project, runtime: str, event: base.HookEvent) -> str:
    """Remember what the human asked for or the agent plans; what it is told of its context use."""
    known = project.load_session(names.folder(event.native_id))
    current = known or session.new(runtime, event.native_id)._replace(
        topic=topic.of_new_session(project), base_commit=git.head(project.root)
    )
    current = session.after_event(current, event, time.time())
    if event.kind == base.PROMPT and conversation.only_hooks_tell(current):
        current = current._replace(turns=current.turns + 1)  # else its transcript counts them
    if event.kind == base.PROMPT:
        said = Prompt(event.prompt, current.last_event_at)
        current = conversation.prompted(project, current, said)
    project.save_session(current)  # whatever comes of what follows
    owed = _owed(project, current) if event.kind == base.PROMPT and current.owed else ""
    looked, notice = context_use.looked_at(
        project, current._replace(owed=current.owed and not owed)
    )
    if looked != current:
        project.save_session(looked)
    room = context.MAX_BYTES - len(owed.encode()) - len(notice.encode()) - 4
    news = _news(project, looked, room) if event.kind == base.PROMPT else ""
    return "\n\n".join(filter(None, (owed, news, notice)))


def _news(project: Project, current: Session, max_bytes: int) -> str:
    """What other sessions said since this one was told last; what has no room comes next time."""
    at = git.place(project.root)
    if at is None:
        return ""
    heard, news = conversation.told(project, at, current, max_bytes)
    if news:
        project.save_session(heard)
    return news


def _owed(project: Project, current: Session) -> str:
    """What the session's model was not told at its start."""
    at = git.place(project.root)
    if at is None:
        return ""
    branch, head = git.branch(at.top), git.head(at.top)
    active = filed(at, current.topic, branch, head)
    blocked = filed(at, current.topic, branch, head, "blocked")
    return packet_writer(project, at, active, blocked, branch, head)(context.MAX_BYTES)


def packet_writer(
    project: Project,
    at: git.Place,
    active: dict[str, Any] | None,
    blocked: dict[str, Any] | None,
    branch: str | None,
    head: str | None,
) -> Callable[[int], str]:
    """What makes of the active packet, and of why a later session was blocked, the block of at most
    so many bytes that a session receives; how fresh the packet is, is found out once."""
    value = active or blocked
    if value is None:
        return lambda max_bytes: ""
    loaded = [one for one in value["next_session_prereqs"] if one["kind"] == "file"]
    changed = [p["path"] for p in loaded if ours.sha256(at, p["path"]) != p["sha256"]]
    behind = git.distance(at, value["head_commit"]) if value["head_commit"] else None
    made = log.made_at(value)
    drift = freshness.Drift(
        head=head,
        branch=branch,
        ahead=behind,
        age_seconds=max(0.0, time.time() - made) if made else None,
        changed=tuple(changed),
    )
    name = f"{project.outputs(value['session']['id'])}/{'handoff' if active else 'blocked'}"
    files = (f"{name}.json", f"{name}.md")
    notice = freshness.notice(value, drift)
    return lambda max_bytes: context.block(value, notice, files, blocked, max_bytes)


def _recover(project: Project, current: Session) -> str:
    """Write the packets of earlier sessions of this work tree that ended without a word; which of
    them could not be written, for the new session to know."""
    others = (one for one in project.sessions() if one.id != current.id)
    left = [one for one in others if checkpoint.has_unread(one)]
    lost = []
    for one in left[-MAX_RECOVERED:]:  # the newest last: its packet is the active one
        try:
            checkpoint.recover(project, one)
        except Exception as error:  # whatever is wrong with one session, the others are told
            layout.log(project.root, f"session {one.id} could not be recovered: {error!r}")
            lost.append(f"{one.runtime} session {one.id}")
    if not lost:
        return ""
    return (
        f"(handoff: {', '.join(lost)} ended without a packet, and none could be made: "
        f"the reason is in {layout.STATE_FOLDER}/hook.log.)"
    )
