"""How full a session's context is by the end of its transcript, and what its agent is told."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from .. import budget, logs, registry, sweep
from ..records import Usage

if TYPE_CHECKING:
    from ..project import Project
    from ..session import Session

TAIL_BYTES = 512_000


def looked_at(project: Project, current: Session) -> tuple[Session, str]:
    """The session with its newest context use, and what the agent is to be told, if anything."""
    if not current.transcript or not os.path.isfile(current.transcript):
        return budget.looked_at(current, project.config, current.used_tokens or 0)
    size = os.path.getsize(current.transcript)
    tail = logs.tail(current.transcript, TAIL_BYTES)
    lines = tail.split(b"\n")[size > len(tail) :]  # the first may lack its beginning
    found = registry.transcript(current.runtime).records(lines)
    uses = [record for record in found if isinstance(record, Usage)]
    if uses:
        current = sweep.using(current, uses[-1])
    return budget.looked_at(current, project.config, size)
