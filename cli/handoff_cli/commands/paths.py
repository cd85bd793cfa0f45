"""`handoff paths`: where the workbench artifacts are, and everything that has to know it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from handoff_cli import engine, output
from handoff_cli.commands.examples import Group

app = typer.Typer(
    cls=Group, no_args_is_help=True, help="Tell or change where the workbench artifacts are."
)

Project = Annotated[Path, typer.Option("--project", help="A folder in the project.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only say what would change.")]
Move = Annotated[
    bool | None,
    typer.Option("--move/--no-move", help="Move artifacts that are there (default: ask)."),
]


@app.command()
def show(project: Project = Path(), as_json: Json = False) -> None:
    """Print the path of each artifact, and whether it is there.

    handoff paths show --json | jq .feedback
    """
    from handoff_cli import artifact_paths

    folder = engine.project(project)
    found = artifact_paths.configured(folder)
    if as_json:
        output.data(found)
        return
    for key, path in found.items():
        there = "" if (folder / path).exists() else "  (not there)"
        typer.echo(f"{key:13} {path}{there}")


@app.command()
def detect(project: Project = Path(), as_json: Json = False) -> None:
    """Print artifacts that lie elsewhere than configured, at places where people keep them.

    handoff paths detect
    """
    from handoff_cli import artifact_paths

    found = artifact_paths.detected(engine.project(project))
    if as_json:
        output.data(found)
        return
    for key, path in found.items():
        typer.echo(f"{key}={path}")
    if found:
        pairs = " ".join(f"{key}={path}" for key, path in found.items())
        output.words().print(f"take them with `handoff paths set {pairs}`", markup=False)


@app.command("set")
def set_paths(
    pairs: Annotated[list[str], typer.Argument(metavar="KEY=PATH…")],
    move: Move = None,
    dry_run: DryRun = False,
    project: Project = Path(),
) -> None:
    """Change paths: answers, configuration, schema, docs and generator together, edits kept.

    handoff paths set feedback=logs/feedback.jsonl state=agent_state.json
    handoff paths set board=task_board.json --no-move
    """
    from handoff_cli import artifact_paths, update
    from handoff_cli.commands.update import finish

    folder = engine.project(project)
    before = artifact_paths.configured(folder)
    after = artifact_paths.given(pairs, before)
    answers = {f"{artifact_paths.QUESTION}{key}": path for key, path in after.items()}
    with update.prepared(folder, answers, stay=True) as found:
        for one in artifact_paths.moves(folder, before, after):
            if dry_run:
                typer.echo(f"would ask to move {one.old} to {one.new}")
            elif _agreed(move, f"move `{one.old}` to `{one.new}`?"):
                artifact_paths.carry_out(folder, one)
                typer.echo(f"moved {one.old} to {one.new}")
            else:
                typer.echo(f"left {one.old} where it is")
        finish(folder, found, dry_run, as_json=False)


def _agreed(move: bool | None, question: str) -> bool:
    """Whether to move: as told or, where a person is there, as asked; else not."""
    if move is not None:
        return move
    return sys.stdin.isatty() and typer.confirm(question, default=True, err=True)
