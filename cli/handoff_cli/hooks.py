"""Our hook entries in a project's settings files: the engine tells which they are."""

from __future__ import annotations

import difflib
import hashlib
import json
import os
import re
from dataclasses import dataclass
from pathlib import Path

from handoff_cli import backups, engine, settings_files, state, worktree
from handoff_cli.errors import HandoffError
from handoff_cli.settings_files import Entry, Place

INSTALLED = "installed.json"
_VARIABLE = re.compile(r"\$\{(\w+):-([^}]*)\}")


@dataclass(frozen=True)
class Plan:
    """What belongs into one settings file of one runtime."""

    runtime: str
    settings: str  # as the engine names it: from the project's root, or from the user's home
    path: Path  # of the settings file
    place: Place
    scope: str = "project"  # project, local or user
    entries: tuple[Entry, ...] = ()
    file: bytes | None = None  # of a plugin: the whole file


@dataclass(frozen=True)
class Change:
    """One settings file before and after; None is a file that is not there."""

    plan: Plan
    before: bytes | None
    after: bytes | None

    @property
    def changes(self) -> bool:
        return self.before != self.after

    def diff(self) -> str:
        """A unified diff."""
        old, new = (
            (text or b"").decode("utf-8", "replace").splitlines(keepends=True)
            for text in (self.before, self.after)
        )
        return "".join(difflib.unified_diff(old, new, self.plan.settings, self.plan.settings))


def plans(
    project: Path,
    runtimes: list[str] | None = None,
    *,
    scope: str = "project",
    from_engine: Path | None = None,
) -> list[Plan]:
    """The plan of each runtime chosen for the project, or of those named.

    Raises: HandoffError where a runtime that was named has no such scope.
    """
    named = [part for name in runtimes or [] for part in ("--runtime", name)]
    value = engine.ask(from_engine or project, ["hooks-plan", "--scope", scope, *named])
    if runtimes and value["without_scope"]:
        names = ", ".join(value["without_scope"])
        raise HandoffError(f"{names}: there are no {scope} settings", "choose another scope")
    return [
        Plan(
            runtime=plan["runtime"],
            settings=plan["settings"],
            path=_path(plan["settings"], project),
            scope=scope,
            entries=tuple(Entry(one["event"], one["group"]) for one in plan.get("entries", ())),
            place=Place(
                name=plan["settings"],
                mark=value["mark"],
                jsonc=plan.get("comments", False),
                fresh=plan.get("fresh", {}),
                under=tuple(plan.get("under", ("hooks",))),
            ),
            file=plan["file"].encode() if "file" in plan else None,
        )
        for plan in value["plans"]
    ]


def _path(settings: str, project: Path) -> Path:
    """Where a settings file lies: `~/…`, `${VARIABLE:-~/…}/…`, or below the project."""
    plain = _VARIABLE.sub(lambda found: os.environ.get(found[1]) or found[2], settings)
    return project / Path(plain).expanduser()


def installing(plan: Plan) -> Change:
    before = settings_files.read(plan.path)
    if plan.file is None:
        return Change(plan, before, settings_files.add_hooks(before, plan.entries, plan.place))
    if before is not None and not _is_ours(before, plan):
        raise HandoffError(
            f"`{plan.settings}` is there and not ours", "move it away; it was left untouched"
        )
    unchanged = before is not None and settings_files.same_text(before, plan.file)
    return Change(plan, before, before if unchanged else plan.file)


def removing(plan: Plan) -> Change:
    before = settings_files.read(plan.path)
    if before is None:
        return Change(plan, None, None)
    if plan.file is None:
        return Change(plan, before, settings_files.remove_hooks(before, plan.place))
    return Change(plan, before, None if _is_ours(before, plan) else before)


def _is_ours(file: bytes, plan: Plan) -> bool:
    """Whether a plugin's file is one that we wrote, in whatever version."""
    return plan.place.mark.removeprefix("# ").encode() in file.partition(b"\n")[0]


def carry_out(project: Path, changes: list[Change]) -> None:
    """Write the files and remember what we left, so that it never counts as somebody's work.

    Of a file that was there before us a copy is kept, from before our first change.
    """
    for change in changes:
        plan = change.plan
        if change.before is not None and not _holds_ours(change.before, plan):
            owner = project if _in_git(plan) else None
            backups.keep(plan.path, change.before, plan.settings, owner)
        settings_files.write(plan.path, change.after)
        if change.after is None and _in_git(plan):
            remove_empty(plan.path.parent, project)
    if inside := [change for change in changes if _in_git(change.plan)]:
        _remember(project, inside)


def _in_git(plan: Plan) -> bool:
    """Whether the settings file is one of the project's, and not of the user's home."""
    return plan.scope != "user"


def _holds_ours(file: bytes, plan: Plan) -> bool:
    if plan.file is not None:
        return _is_ours(file, plan)
    return bool(settings_files.hook_entries(file, plan.place))


def status(plan: Plan) -> str:
    """`installed`, `outdated`, `partly installed` or `not installed`, read from the file itself."""
    if plan.file is not None:
        there = settings_files.read(plan.path)
        if there is None or not _is_ours(there, plan):
            return "not installed"
        return "installed" if settings_files.same_text(there, plan.file) else "outdated"
    found = settings_files.hook_entries(settings_files.read(plan.path), plan.place)
    if not found:
        return "not installed"
    if sorted(map(repr, found)) == sorted(map(repr, plan.entries)):
        return "installed"
    return "outdated" if len(found) >= len(plan.entries) else "partly installed"


def remove_empty(folder: Path, project: Path) -> None:
    """Remove the folder and those above it, as far as they are empty and inside the project."""
    while folder != project and not folder.is_symlink() and not any(folder.iterdir()):
        folder.rmdir()
        folder = folder.parent


def _remember(project: Path, changes: list[Change]) -> None:
    path = state.file(project, INSTALLED)
    try:
        known = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    except ValueError as error:
        raise HandoffError(f"`{path}` is not valid JSON", "delete it and install again") from error
    for change in changes:
        name = change.plan.settings
        if change.after is None:
            known.pop(name, None)
        elif change.changes and _only_ours(project, change, known.get(name)):
            known[name] = _sha256(change.after)
    settings_files.write(path, (json.dumps(known, indent=2, sort_keys=True) + "\n").encode())


def _only_ours(project: Path, change: Change, left: str | None) -> bool:
    """Whether the file held no uncommitted work of somebody else before our change."""
    if change.before is None or _sha256(change.before) == left:
        return True
    return worktree.committed(project, change.plan.settings) == change.before


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
