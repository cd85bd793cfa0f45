"""Our hook entries in a project's settings files: the engine tells which they are."""

from __future__ import annotations

import difflib
import hashlib
import json
import subprocess
from dataclasses import dataclass
from pathlib import Path

from handoff_cli import engine, settings_files
from handoff_cli.errors import HandoffError
from handoff_cli.history import clean_environment
from handoff_cli.settings_files import Entry, Place

INSTALLED = ".handoff/state/installed.json"


@dataclass(frozen=True)
class Plan:
    """What belongs into one settings file of one runtime."""

    runtime: str
    settings: str  # path from the project's root
    entries: tuple[Entry, ...]
    place: Place


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
    project: Path, runtimes: list[str] | None = None, *, from_engine: Path | None = None
) -> list[Plan]:
    """The plan of each runtime chosen for the project, or of those named."""
    named = [part for name in runtimes or [] for part in ("--runtime", name)]
    value = engine.ask(from_engine or project, ["hooks-plan", *named])
    return [
        Plan(
            runtime=plan["runtime"],
            settings=plan["settings"],
            entries=tuple(Entry(entry["event"], entry["group"]) for entry in plan["entries"]),
            place=Place(name=plan["settings"], mark=value["mark"]),
        )
        for plan in value["plans"]
    ]


def installing(project: Path, plan: Plan) -> Change:
    before = settings_files.read(project / plan.settings)
    return Change(plan, before, settings_files.add_hooks(before, plan.entries, plan.place))


def removing(project: Path, plan: Plan) -> Change:
    before = settings_files.read(project / plan.settings)
    after = None if before is None else settings_files.remove_hooks(before, plan.place)
    return Change(plan, before, after)


def carry_out(project: Path, changes: list[Change]) -> None:
    """Write the files and remember what we left, so that it never counts as somebody's work."""
    for change in changes:
        path = project / change.plan.settings
        settings_files.write(path, change.after)
        if change.after is None and path.parent != project and path.parent.is_dir():
            _remove_if_empty(path.parent)
    _remember(project, changes)


def status(project: Path, plan: Plan) -> str:
    """`installed`, `outdated`, `partly installed` or `not installed`, read from the file itself."""
    found = settings_files.hook_entries(settings_files.read(project / plan.settings), plan.place)
    if not found:
        return "not installed"
    if sorted(map(repr, found)) == sorted(map(repr, plan.entries)):
        return "installed"
    return "outdated" if len(found) >= len(plan.entries) else "partly installed"


def _remove_if_empty(folder: Path) -> None:
    if not any(folder.iterdir()):
        folder.rmdir()


def _remember(project: Path, changes: list[Change]) -> None:
    path = project / INSTALLED
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
    settings_files.write(path.parent / ".gitignore", b"*\n")


def _only_ours(project: Path, change: Change, left: str | None) -> bool:
    """Whether the file held no uncommitted work of somebody else before our change."""
    if change.before is None or _sha256(change.before) == left:
        return True
    committed = subprocess.run(
        ["git", "show", f"HEAD:./{change.plan.settings}"],
        cwd=project,
        capture_output=True,
        check=False,
        env=clean_environment(),
    )
    return committed.returncode == 0 and committed.stdout == change.before


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
