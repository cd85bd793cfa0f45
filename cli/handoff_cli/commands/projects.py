"""`handoff projects`: what `--all` means."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from handoff_cli import engine, output
from handoff_cli.commands.examples import Group

app = typer.Typer(
    cls=Group, no_args_is_help=True, help="The projects on this machine that `--all` means."
)

Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Folder = Annotated[Path, typer.Argument(help="A folder in the project.", file_okay=False)]


@app.command("list")
def list_projects(as_json: Json = False) -> None:
    """List the projects, each with the release that it was set up by.

    handoff projects list
    """
    from handoff_cli import projects, scaffold

    rows = []
    for path in projects.known():
        answers = scaffold.recorded_answers(path) if projects.is_project(path) else None
        rows.append({"path": str(path), "version": (answers or {}).get("_commit")})
    if as_json:
        output.data(rows)
        return
    for row in rows:
        typer.echo(f"{row['version'] or 'gone':10} {row['path']}")
    if not rows:
        output.words().print("no project is on record: `handoff projects scan DIR` finds them")


@app.command()
def add(project: Folder = Path()) -> None:
    """Put a project on record.

    handoff projects add ~/src/app
    """
    from handoff_cli import projects

    folder = engine.project(project)
    new = projects.add(folder)
    output.words().print(f"{'added' if new else 'known already:'} {folder}", markup=False)


@app.command()
def remove(project: Folder = Path()) -> None:
    """Forget a project; its files stay as they are.

    handoff projects remove ~/src/app
    """
    from handoff_cli import projects

    known = projects.remove(project)
    output.words().print(f"{'forgotten:' if known else 'not known:'} {project}", markup=False)


@app.command()
def scan(
    folder: Annotated[Path, typer.Argument(metavar="DIR", file_okay=False, exists=True)],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only list what is found.")] = False,
) -> None:
    """Find projects below a folder and put them on record; copies in vendor folders do not count.

    handoff projects scan ~/src
    """
    from rich.progress import Progress, SpinnerColumn, TextColumn

    from handoff_cli import projects

    columns = (SpinnerColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=output.words(), transient=True) as progress:
        task = progress.add_task("looking")

        def seen(count: int) -> None:
            if count % 100 == 0:
                progress.update(task, description=f"{count} folders looked at")

        for path in projects.scan(folder, seen):
            new = dry_run or projects.add(path)
            typer.echo(f"{'found' if new else 'known'} {path}")
