"""A scope contract against what changed: the files that a task may touch, and may not."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Any, NamedTuple

from .model import ChangedFile, Finding
from .workbench import Reader

MAX_NAMED = 10


class Contract(NamedTuple):
    task: str
    allowed: tuple[tuple[str, ...], ...]  # a path matches a glob of each group; () = no limit
    forbidden: tuple[str, ...]
    violation_budget: int | None = None
    minutes: int | None = None


def contract(reader: Reader, given: Any) -> Contract:
    """A `scope_contract.json`; without `allowed_files` it forbids, and limits nothing else."""
    value = reader.object(given, "(top level)")
    allowed = reader.texts(value, "allowed_files")
    stated = bool(allowed) or value.get("allowed_files") == []
    return Contract(
        task=reader.text(value, "task_id"),
        allowed=(allowed,) if stated else (),
        forbidden=reader.texts(value, "forbidden_files"),
        violation_budget=_whole(reader, value, "violation_budget"),
        minutes=_whole(reader, value, "time_budget_minutes"),
    )


def merged(left: Contract, right: Contract) -> Contract:
    """Both by least privilege: allowed by each, forbidden by either, the smaller budgets."""
    return Contract(
        task=left.task or right.task,
        allowed=tuple(dict.fromkeys((*left.allowed, *right.allowed))),
        forbidden=tuple(dict.fromkeys((*left.forbidden, *right.forbidden))),
        violation_budget=_smaller(left.violation_budget, right.violation_budget),
        minutes=_smaller(left.minutes, right.minutes),
    )


def findings(scope: Contract, changed: Iterable[str]) -> tuple[Finding, ...]:
    """Where the changed paths (POSIX, from the contract's root) break the contract."""
    paths = sorted(set(changed))
    forbidden = [path for path in paths if _matches(path, scope.forbidden)]
    off = [
        path
        for path in paths
        if path not in forbidden and not all(_matches(path, group) for group in scope.allowed)
    ]
    found = []
    if forbidden:
        detail = f"the scope contract forbids: {_named(forbidden)}"
        found.append(Finding("scope.forbidden", "block", detail, forbidden[0]))
    if off:
        detail = f"outside of the scope contract: {_named(off)}"
        found.append(Finding("scope.off_scope", "warn", detail, off[0]))
    return tuple(found)


def touched(changed: Iterable[ChangedFile], prefix: str) -> tuple[str, ...]:
    """The paths a session wrote to, the old names of moved files too, seen from `prefix`."""
    paths = [path for item in changed for path in (item.path, item.origin) if path]
    return tuple(path[len(prefix) :] if path.startswith(prefix) else path for path in paths)


def rules(reader: Reader, given: Any) -> tuple[Finding, ...]:
    """The rules that a `rule_report.json`, a list of {slug, passed}, says were broken."""
    found = []
    for number, item in enumerate(reader.list(given, "(top level)")):
        rule = reader.object(item, f"[{number}]")
        if not isinstance(rule.get("passed"), bool):
            reader.wrong(f"[{number}].passed", "true or false")
        elif not rule["passed"]:
            name = reader.text(rule, "slug") or f"number {number + 1}"
            said = reader.text(rule, "detail")
            severity = reader.text(rule, "severity")
            found.append(
                Finding(
                    "rule.failed",
                    severity if severity in ("info", "warn", "block") else "block",
                    f"rule `{name}` failed" + (f": {said}" if said else ""),
                    reader.path,
                )
            )
    return tuple(found)


def _matches(path: str, globs: tuple[str, ...]) -> bool:
    parts = path.split("/")
    return any(_finds(_steps(glob), parts) for glob in globs)


@lru_cache(maxsize=1024)
def _steps(glob: str) -> tuple[str, ...]:
    """A glob as in `.gitignore`, folder by folder: `*` stays within a folder, `**` does not, a
    name without a slash is found at any depth, and a folder stands for all that is in it."""
    bare = re.sub(r"^\./|/+$", "", glob)
    steps = [step for step in bare.split("/") if step]
    if steps[-1:] == ["**"]:
        steps[-1] = "*"  # what is in it, not the folder itself
    return tuple(steps if "/" in bare else ["**", *steps])


def _finds(steps: tuple[str, ...], parts: list[str]) -> bool:
    """Whether the steps lead to the path, or to a folder it is in."""
    reached = _with_skipped({0}, steps)
    for part in parts:
        if len(steps) in reached:
            break
        reached = _with_skipped(
            {
                place if steps[place] == "**" else place + 1
                for place in reached
                if steps[place] == "**" or fnmatchcase(part, steps[place])
            },
            steps,
        )
    return len(steps) in reached


def _with_skipped(reached: set[int], steps: tuple[str, ...]) -> set[int]:
    """The places reached, and those behind a `**` that stands for no folder at all."""
    found = set()
    for place in reached:
        found.add(place)
        while place < len(steps) and steps[place] == "**":
            place += 1
            found.add(place)
    return found


def _named(paths: list[str]) -> str:
    first = ", ".join(f"`{path}`" for path in paths[:MAX_NAMED])
    return first if len(paths) <= MAX_NAMED else f"{first} and {len(paths) - MAX_NAMED} more"


def _whole(reader: Reader, value: dict[str, Any], key: str) -> int | None:
    number = value.get(key)
    if number is not None and type(number) is not int:
        reader.wrong(key, "a whole number")
    return number if type(number) is int else None


def _smaller(left: int | None, right: int | None) -> int | None:
    known = [one for one in (left, right) if one is not None]
    return min(known) if known else None
