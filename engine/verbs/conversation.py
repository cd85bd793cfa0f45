"""A session's timeline: written down as it is learned of, kept in the ledger, read with others'."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from .. import git, layout, ledger, registry, retelling, store, talks, timeline
from ..errors import HandoffError
from ..session import Heard
from ..timeline import Entry, Talk

if TYPE_CHECKING:
    from ..project import Project
    from ..records import Prompt
    from ..runtimes.base import HookEvent
    from ..session import Session

BUDGET = f"{layout.STATE_FOLDER}/budget.json"  # of what the agent switched to is told
FOLDER = f"{layout.STATE_FOLDER}/timeline"


def written(project: Project, current: Session, entries: Sequence[Entry]) -> Session:
    """The session after these entries were written down as its next chunk, if there are any.

    The chunk counts once the session is saved: written again before that, it takes its own place.
    """
    if not entries:
        return current
    layout.hide(project.root)
    number = current.chunks + 1
    project.write(f"{FOLDER}/{current.id}/{_chunk(number)}", timeline.lines(entries))
    return current._replace(chunks=number)


def only_hooks_tell(current: Session) -> bool:
    """Whether its runtime keeps nothing of the session that a sweep could read."""
    return not registry.transcript(current.runtime).KEPT and not current.database


def prompted(project: Project, current: Session, prompt: Prompt) -> Session:
    """The session after a prompt, where only its hooks tell of it."""
    if not only_hooks_tell(current) or not prompt.text:
        return current
    return written(project, current, [timeline.said(prompt, None)])


def told_by_hooks(project: Project, current: Session, event: HookEvent) -> Session:
    """The session after a turn whose commands, tools and last words only its hooks tell."""
    from ..records import Reply, Result

    if not only_hooks_tell(current):
        return current
    known = sum(entry.kind == timeline.COMMAND for entry in here(project, current).entries)
    entries = [timeline.of_run(run) for run in project.runs(current.id)[known:]]
    for use in event.uses:
        said = event.failed.get(use.id)
        end = Result(use.id, None, "", said or "", None, succeeded=said is None)
        entries.append(timeline.used(use, end))
    if event.statement and event.statement.strip():
        entries.append(timeline.said(Reply(event.statement, time.time()), current.model))
    return written(project, current, entries)


def keep(project: Project, at: git.Place, current: Session) -> None:
    """Put what was written down of the session into the ledger."""
    if not current.chunks:
        return
    ref = talks.ref(git.branch(at.top), git.head(at.top), current.topic, current.id)

    def chunk(name: str) -> bytes | None:
        return project.read(f"{FOLDER}/{current.id}/{name}")

    where = ledger.path(at.common_dir)
    talks.keep(where, ref, _talk(current), _chunks(current), chunk, int(time.time()))


def here(project: Project, current: Session) -> Talk:
    """What was written down of a session in this work tree."""
    folder = project.path(f"{FOLDER}/{current.id}")
    chunks = [store.read(os.path.join(folder, name)) or b"" for name in _chunks(current)]
    entries = tuple(entry for data in chunks for entry in timeline.parse(data))
    return _talk(current)._replace(entries=entries)


def sessions(project: Project, branch: str | None, topic: str) -> list[Session]:
    """This work tree's sessions of a conversation, the one with the newest event last."""
    return [
        one for one in project.sessions() if one.topic == topic and one.branch in (None, branch)
    ]


def of(project: Project, at: git.Place, topic: str) -> list[Talk]:
    """The conversation of this branch and a topic, by session: the ledger's, and what sessions of
    this work tree have said since."""
    branch, head = git.branch(at.top), git.head(at.top)
    where, prefix = ledger.path(at.common_dir), talks.ref(branch, head, topic)
    kept = talks.read(where, talks.tips(where, prefix).values())
    by_session = {talk.session: talk for talk in kept}
    over = talks.archived(where, prefix) - set(by_session)
    for one in sessions(project, branch, topic):
        if one.id not in over and one.chunks:
            talk = here(project, one)
            if len(talk.entries) >= len(by_session.get(one.id, talk).entries):
                by_session[one.id] = talk
    return list(by_session.values())


def told(project: Project, at: git.Place, current: Session, max_bytes: int) -> tuple[Session, str]:
    """What other sessions said since this one's model was told last, and the session after it."""
    where = ledger.path(at.common_dir)
    prefix = talks.ref(git.branch(at.top), git.head(at.top), current.topic)
    tips = {talks.session_of(ref): commit for ref, commit in talks.tips(where, prefix).items()}
    before = {one.session: one for one in current.heard}
    moved = [name for name in tips if name not in before or before[name].commit != tips[name]]
    if not set(moved) - {current.id}:
        return current, ""
    # Its own part, too: others may repeat it.
    found = talks.read(where, [tips[name] for name in tips if name in (*moved, current.id)])
    others = [talk for talk in found if talk.session != current.id]
    new = {
        id(entry)
        for talk in others
        for entry in talk.entries[before[talk.session].entries if talk.session in before else 0 :]
    }
    rows = [row for row in timeline.in_order(found) if id(row[1]) in new]
    for talk in others:
        before[talk.session] = Heard(talk.session, tips[talk.session], len(talk.entries))
    file = f"{layout.STATE_FOLDER}/conversations/{current.id}.md"
    block = retelling.block(rows, min(max_bytes, _budget(project, current)), file)
    if not block:
        return current, ""
    layout.hide(project.root)
    store.remove(project.path(BUDGET), project.root)
    project.write(file, retelling.document(rows).encode("utf-8", "replace"))
    return current._replace(heard=tuple(before.values())), block


def _budget(project: Project, current: Session) -> int:
    """At most so many bytes for an agent that was switched to with a budget."""
    try:
        value = project.json(BUDGET)
        wanted = value["max_bytes"] if value["runtime"] == current.runtime else None
    except (HandoffError, KeyError, TypeError):
        wanted = None
    return wanted if type(wanted) is int else retelling.MAX_BYTES


def _talk(current: Session) -> Talk:
    return Talk(
        current.id, current.runtime, current.native_id, current.started_at, current.ended_at
    )


def _chunks(current: Session) -> list[str]:
    """The files that count: one that was written when its hook was killed does not yet."""
    return [_chunk(number) for number in range(1, current.chunks + 1)]


def _chunk(number: int) -> str:
    return f"{number:06}.jsonl"
