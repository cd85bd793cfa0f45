"""`handoff update` and `handoff regenerate`: another version, or the same anew, edits kept."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from handoff_cli import engine, output
from handoff_cli.commands.data import Data, answers_given
from handoff_cli.commands.everywhere import CONFLICTS, in_every_project

if TYPE_CHECKING:
    from handoff_cli.fleet import Result
    from handoff_cli.update import Update

Project = Annotated[
    Path, typer.Argument(help="A folder in the project.", file_okay=False, exists=True)
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only say what would change.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def update(
    project: Project = Path(),
    everywhere: Annotated[
        bool, typer.Option("--all", help="In every project on record, side by side.")
    ] = False,
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Bring a project to this version of the template, with your edits kept.

    What you changed and what this version changes are merged as git merges: a line that both
    changed is a conflict, left for you to resolve. Ends with 3 then, and refuses to run again until
    that is done. Uncommitted work elsewhere is not touched.

        handoff update --dry-run
        handoff update
        handoff update --all
    """
    if everywhere:
        command = ["update", "--json", *(["--dry-run"] if dry_run else [])]
        in_every_project(command, "updating", _outcome, as_json)
    _run(engine.project(project), {}, dry_run, as_json, stay=False)


def regenerate(
    project: Project = Path(), data: Data = None, dry_run: DryRun = False, as_json: Json = False
) -> None:
    """Render the project's files anew from its answers, with your edits kept; no other version.

    The answers are those of `.handoff/answers.yml`, also where you changed it by hand and did not
    commit that yet.

        handoff regenerate --data 'acceptance_commands=["pytest -q"]'
        handoff regenerate --data 'runtimes=[claude-code, gemini]' --dry-run
    """
    _run(engine.project(project), answers_given(data or []), dry_run, as_json, stay=True)


def _run(folder: Path, given: dict[str, Any], dry_run: bool, as_json: bool, *, stay: bool) -> None:
    from handoff_cli import update as updates

    with updates.prepared(folder, given, stay=stay) as found:
        finish(folder, found, dry_run, as_json)


def _outcome(one: Result) -> str:
    if one.code == CONFLICTS:
        return "conflict"
    if one.code or one.value is None:
        return "failed"
    return "updated" if one.value["written"] or one.value["settings"] else "up to date"


def finish(folder: Path, found: Update, dry_run: bool, as_json: bool) -> None:
    """Carry an update out unless it is a dry run, and tell it; ends with 3 on conflicts."""
    from handoff_cli import update as updates

    if not dry_run and found.changes:
        updates.carry_out(folder, found)
    if as_json:
        output.data(value(found))
    else:
        _tell(found, dry_run)
    if found.conflicts:
        raise typer.Exit(CONFLICTS)


def value(found: Update) -> dict[str, Any]:
    """The update as a JSON value."""
    return {
        "from": found.old,
        "to": found.new,
        "written": list(found.write),
        "deleted": list(found.delete),
        "conflicts": [conflict.path for conflict in found.conflicts],
        "settings": [one.plan.settings for one in found.hooks if one.changes],
        "base": found.stand_in,
    }


def _tell(found: Update, dry_run: bool) -> None:
    console = output.words()
    if not found.changes:
        console.print(f"nothing to change: this project is at {found.new}", markup=False)
        return
    would = "would be " if dry_run else ""
    if found.stand_in:
        told = f"{found.old} is no release: {found.stand_in} stood for it"
        console.print(told, markup=False)
    for name, paths in (("written", found.write), ("deleted", found.delete)):
        for path in paths:
            typer.echo(f"{would}{name} {path}")
    for change in found.hooks:
        if change.changes:
            typer.echo(f"{would}written {change.plan.settings}")
    for conflict in found.conflicts:
        typer.echo(f"conflict {conflict.path}")
    if found.conflicts:
        console.print(
            "both you and this version changed those: `git diff` shows how; resolve them, then "
            "`git add` them and commit",
            markup=False,
        )
    else:
        console.print(f"{would}updated from {found.old} to {found.new}", markup=False)
