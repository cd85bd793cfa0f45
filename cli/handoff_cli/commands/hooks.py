"""`handoff hooks`: our entries in the runtimes' settings files, and nothing else in them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from handoff_cli import engine, output

if TYPE_CHECKING:
    from handoff_cli.hooks import Change

app = typer.Typer(
    no_args_is_help=True, help="Put our hook entries into settings files, or take them out."
)

Project = Annotated[
    Path, typer.Argument(help="A folder in the project.", file_okay=False, exists=True)
]
Runtimes = Annotated[
    list[str] | None,
    typer.Option("--runtime", metavar="NAME", help="Only this one; may be repeated."),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Print the diff and write nothing.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command()
def install(project: Project = Path(), runtime: Runtimes = None, dry_run: DryRun = False) -> None:
    """Merge our entries into the settings file of each runtime chosen for the project.

    Every other byte of the files stays. Installing twice changes nothing.

        handoff hooks install --dry-run
        handoff hooks install --runtime codex
    """
    from handoff_cli import hooks

    folder = engine.project(project)
    changes = [hooks.installing(folder, plan) for plan in hooks.plans(folder, runtime)]
    _finish(folder, changes, dry_run, "hooks installed in")


@app.command()
def remove(project: Project = Path(), runtime: Runtimes = None, dry_run: DryRun = False) -> None:
    """Take our entries out again: the files are as they were before, byte for byte.

    handoff hooks remove
    """
    from handoff_cli import hooks

    folder = engine.project(project)
    changes = [hooks.removing(folder, plan) for plan in hooks.plans(folder, runtime)]
    _finish(folder, changes, dry_run, "hooks removed from")


@app.command()
def status(project: Project = Path(), runtime: Runtimes = None, as_json: Json = False) -> None:
    """Tell for each runtime whether its settings file holds our entries, read from the file."""
    from handoff_cli import hooks

    folder = engine.project(project)
    found = [
        {"runtime": plan.runtime, "settings": plan.settings, "status": hooks.status(folder, plan)}
        for plan in hooks.plans(folder, runtime)
    ]
    if as_json:
        output.data(found)
        return
    for row in found:
        typer.echo(f"{row['runtime']}: {row['status']} in `{row['settings']}`")


def _finish(folder: Path, changes: list[Change], dry_run: bool, done: str) -> None:
    from handoff_cli import hooks

    console = output.words()
    for change in changes:
        if dry_run:
            typer.echo(change.diff(), nl=False)
        elif change.changes:
            console.print(f"{done} `{change.plan.settings}` ({change.plan.runtime})", markup=False)
        else:
            console.print(f"nothing to change in `{change.plan.settings}`", markup=False)
    if not dry_run:
        hooks.carry_out(folder, [change for change in changes if change.changes])
