"""`handoff remove`: take everything of ours out again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from handoff_cli import engine, output


def remove(
    project: Annotated[
        Path, typer.Argument(help="A folder in the project.", file_okay=False, exists=True)
    ] = Path(),
    ledger: Annotated[
        bool, typer.Option("--ledger", help="The packets in git's folder, too.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would go.")] = False,
) -> None:
    """Take handoff out of a project: hooks, skills, engine, state. What you edited stays.

    handoff remove --dry-run
    handoff remove
    """
    from handoff_cli import uninstall

    folder = engine.project(project)
    would = "would be " if dry_run else ""
    with uninstall.prepared(folder) as found:
        if not dry_run:
            uninstall.carry_out(folder, found, ledger=ledger)
        for change in found.hooks:
            typer.echo(f"{would}removed hooks from {change.plan.settings}")
        for path in (*found.delete, *found.folders):
            typer.echo(f"{would}removed {path}")
        for path in found.kept:
            typer.echo(f"kept your edits in {path}")
        if not ledger and found.ledger.is_dir():
            told = f"the packets stay in `{found.ledger}`; `--ledger` removes them"
            output.words().print(told, markup=False, soft_wrap=True)
