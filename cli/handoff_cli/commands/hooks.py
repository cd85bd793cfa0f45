"""`handoff hooks`: our entries in the runtimes' settings files, and nothing else in them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, NoReturn

import typer

from handoff_cli import engine, output
from handoff_cli.commands import completion
from handoff_cli.commands.everywhere import in_every_project
from handoff_cli.commands.examples import Group
from handoff_cli.errors import HandoffError

if TYPE_CHECKING:
    from handoff_cli.fleet import Result
    from handoff_cli.hooks import Change, Plan

app = typer.Typer(
    cls=Group,
    no_args_is_help=True,
    help="Put our hook entries into settings files, or take them out.",
)

Project = Annotated[
    Path, typer.Argument(help="A folder in the project.", file_okay=False, exists=True)
]
Runtimes = Annotated[
    list[str] | None,
    typer.Option(
        "--runtime",
        metavar="NAME",
        help="Only this one; may be repeated.",
        autocompletion=completion.runtimes,
    ),
]
Scope = Annotated[
    Literal["project", "local", "user"],
    typer.Option(help="Whose settings: the project's, yours in it, or yours everywhere."),
]
Everywhere = Annotated[
    bool, typer.Option("--all", help="In every project on record, side by side.")
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Print the diff and write nothing.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command()
def install(
    project: Project = Path(),
    runtime: Runtimes = None,
    scope: Scope = "project",
    everywhere: Everywhere = False,
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Merge our entries into the settings file of each runtime chosen for the project.

    Every other byte of the files stays, and a dated copy from before the first change is kept.
    Installing twice changes nothing. With `--scope user` the hooks are there in every repository;
    they find its engine, and are silent where there is none.

        handoff hooks install --dry-run
        handoff hooks install --runtime codex
        handoff hooks install --scope user
        handoff hooks install --all
    """
    from handoff_cli import hooks

    if everywhere:
        _everywhere(runtime, scope, dry_run, as_json)
    with _planned(project, runtime, scope) as (folder, plans):
        changes = [hooks.installing(plan) for plan in plans]
    _finish(folder, changes, dry_run, as_json, "hooks installed in")


@app.command()
def remove(
    project: Project = Path(),
    runtime: Runtimes = None,
    scope: Scope = "project",
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Take our entries out again: the files are as they were before, byte for byte.

    handoff hooks remove
    handoff hooks remove --scope user --runtime gemini
    """
    from handoff_cli import hooks

    with _planned(project, runtime, scope) as (folder, plans):
        changes = [hooks.removing(plan) for plan in plans]
    _finish(folder, changes, dry_run, as_json, "hooks removed from")


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


def _everywhere(runtimes: list[str] | None, scope: str, dry_run: bool, as_json: bool) -> NoReturn:
    if scope == "user":
        raise HandoffError("your own settings are no project's", "leave out `--all`")
    named = [part for name in runtimes or [] for part in ("--runtime", name)]
    command = ["hooks", "install", "--json", "--scope", scope, *named]
    in_every_project([*command, *(["--dry-run"] if dry_run else [])], "hooking", _outcome, as_json)


def _outcome(one: Result) -> str:
    if one.code or one.value is None:
        return "failed"
    return "installed" if any(row["changed"] for row in one.value) else "in place"


def _finish(folder: Path, changes: list[Change], dry_run: bool, as_json: bool, done: str) -> None:
    from handoff_cli import hooks

    if not dry_run:
        hooks.carry_out(folder, [change for change in changes if change.changes])
    if not as_json:
        _tell(changes, dry_run, done)
        return
    rows = [(change.plan.runtime, change.plan.settings, change.changes) for change in changes]
    output.data([dict(zip(("runtime", "settings", "changed"), row, strict=True)) for row in rows])


def _tell(changes: list[Change], dry_run: bool, done: str) -> None:
    console = output.words()
    for change in changes:
        if dry_run:
            typer.echo(change.diff(), nl=False)
        elif change.changes:
            console.print(f"{done} `{change.plan.settings}` ({change.plan.runtime})", markup=False)
        else:
            console.print(f"nothing to change in `{change.plan.settings}`", markup=False)
    if not dry_run and done.endswith("in"):
        console.print("`handoff doctor` says what else they need, such as somebody's trust")
