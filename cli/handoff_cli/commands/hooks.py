"""`handoff hooks`: our entries in the runtimes' settings files, and nothing else in them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from handoff_cli import engine, output
from handoff_cli.errors import HandoffError

if TYPE_CHECKING:
    from handoff_cli.hooks import Change, Plan

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
Scope = Annotated[
    Literal["project", "local", "user"],
    typer.Option(help="Whose settings: the project's, yours in it, or yours everywhere."),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Print the diff and write nothing.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command()
def install(
    project: Project = Path(),
    runtime: Runtimes = None,
    scope: Scope = "project",
    dry_run: DryRun = False,
) -> None:
    """Merge our entries into the settings file of each runtime chosen for the project.

    Every other byte of the files stays, and a dated copy from before the first change is kept.
    Installing twice changes nothing. With `--scope user` the hooks are there in every repository;
    they find its engine, and are silent where there is none.

        handoff hooks install --dry-run
        handoff hooks install --runtime codex
        handoff hooks install --scope user
    """
    from handoff_cli import hooks

    with _planned(project, runtime, scope) as (folder, plans):
        changes = [hooks.installing(plan) for plan in plans]
    _finish(folder, changes, dry_run, "hooks installed in")


@app.command()
def remove(
    project: Project = Path(),
    runtime: Runtimes = None,
    scope: Scope = "project",
    dry_run: DryRun = False,
) -> None:
    """Take our entries out again: the files are as they were before, byte for byte.

    handoff hooks remove
    handoff hooks remove --scope user --runtime gemini
    """
    from handoff_cli import hooks

    with _planned(project, runtime, scope) as (folder, plans):
        changes = [hooks.removing(plan) for plan in plans]
    _finish(folder, changes, dry_run, "hooks removed from")


@app.command()
def status(
    project: Project = Path(),
    runtime: Runtimes = None,
    scope: Scope = "project",
    as_json: Json = False,
) -> None:
    """Tell for each runtime whether its settings file holds our entries, read from the file.

    handoff hooks status --json
    """
    from handoff_cli import hooks

    with _planned(project, runtime, scope) as (_, plans):
        found = [
            {"runtime": plan.runtime, "settings": plan.settings, "status": hooks.status(plan)}
            for plan in plans
        ]
    if as_json:
        output.data(found)
        return
    for row in found:
        typer.echo(f"{row['runtime']}: {row['status']} in `{row['settings']}`")


@contextmanager
def _planned(
    project: Path, runtimes: list[str] | None, scope: str
) -> Iterator[tuple[Path, list[Plan]]]:
    """The project's folder, and what belongs into which settings file.

    The user's own settings need no project: they take the runtimes that are on this machine.
    """
    from handoff_cli import detect, hooks, setup

    if scope != "user":
        folder = engine.project(project)
        yield folder, hooks.plans(folder, runtimes, scope=scope)
        return
    chosen = runtimes or detect.programs()
    if not chosen:
        raise HandoffError("no agent that handoff knows is on the path", "name one: `--runtime`")
    with setup.engine_of_this_version() as rendered:
        yield project, hooks.plans(project, chosen, scope=scope, from_engine=rendered)


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
    if not dry_run and done.endswith("in"):
        console.print("`handoff doctor` says what else they need, such as somebody's trust")
