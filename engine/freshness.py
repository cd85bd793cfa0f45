"""How far the repository has moved since a packet was made."""

from __future__ import annotations

from typing import Any, NamedTuple

from .redact import redacted


class Drift(NamedTuple):
    """The repository now, beside a packet."""

    head: str | None
    branch: str | None
    ahead: int | None  # commits since the packet's head; None where that is no ancestor
    age_seconds: float | None
    changed: tuple[str, ...]  # the packet's prerequisites whose content differs now


def notice(value: dict[str, Any], drift: Drift) -> str:
    """One sentence on what changed since the packet, or that nothing did."""
    said = []
    if value["head_commit"] != drift.head:
        if value["head_commit"] is None:
            said.append("it was made before the first commit")
        elif drift.ahead is None:
            said.append("its commit is no ancestor of HEAD (rebased, reset or another branch)")
        else:
            said.append(f"HEAD moved on by {drift.ahead} commit{'s' if drift.ahead != 1 else ''}")
    if value["branch"] != (drift.branch and redacted(drift.branch)):
        said.append(f"it was made on {_named(value['branch'])}, this is {_named(drift.branch)}")
    if drift.changed:
        more = f" and {len(drift.changed) - 5} more" if drift.changed[5:] else ""
        said.append(f"changed since: {', '.join(drift.changed[:5])}{more}")
    age = f"made {_age(drift.age_seconds)} ago" if drift.age_seconds is not None else "age unknown"
    same = "HEAD and the files to load are as it left them"
    return f"Freshness: {age}; {'; '.join(said) or same}."


def _named(branch: str | None) -> str:
    return f"branch `{branch}`" if branch else "a detached HEAD"


def _age(seconds: float) -> str:
    for unit, size in (("day", 86_400), ("hour", 3_600), ("minute", 60)):
        if seconds >= size:
            number = int(seconds // size)
            return f"{number} {unit}{'s' if number != 1 else ''}"
    return "less than a minute"
