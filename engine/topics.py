"""Topics: which line of work a branch is on. Their names are data, never paths or refs."""

from __future__ import annotations

from typing import Any

from .errors import HandoffError

DEFAULT = "default"
MAX_CHARS = 80
SCHEMA_VERSION = 1


def checked(name: str) -> str:
    """The name of a topic. Raises: HandoffError where it can be none."""
    good = 0 < len(name) <= MAX_CHARS and name.isprintable() and name == name.strip()
    if not good:
        raise HandoffError(
            f"{name!r} cannot be the name of a topic",
            hint=f"use 1 to {MAX_CHARS} printable characters, without spaces around them",
        )
    return name


def parse(path: str, given: Any) -> dict[str, str]:
    """The topic of each branch, from the value of a file that `value` made.

    Raises: HandoffError naming what is not as it has to be.
    """
    hint = "remove the file: every branch is on the topic `default` then"
    if not isinstance(given, dict) or given.get("schema_version") != SCHEMA_VERSION:
        raise HandoffError(f"`{path}`: `schema_version` must be {SCHEMA_VERSION}", hint=hint)
    branches = given.get("branches")
    if not isinstance(branches, dict) or not all(isinstance(t, str) for t in branches.values()):
        raise HandoffError(f"`{path}`: `branches` must be an object of strings", hint=hint)
    return {branch: checked(topic) for branch, topic in branches.items()}


def value(chosen: dict[str, str]) -> dict[str, Any]:
    """What the file holds; a branch on the default topic needs no entry."""
    branches = {branch: topic for branch, topic in chosen.items() if topic != DEFAULT}
    return {"schema_version": SCHEMA_VERSION, "branches": dict(sorted(branches.items()))}
