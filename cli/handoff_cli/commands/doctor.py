"""`handoff doctor`: what is wrong, and what to do about it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from handoff_cli import engine, output

if TYPE_CHECKING:
    from handoff_cli.doctor import Row

STYLES = {"broken": "bold red", "warn": "yellow", "ok": "green"}


def doctor(
    project: Annotated[
        Path, typer.Argument(help="A folder in the project.", file_okay=False, exists=True)
    ] = Path(),
    fix: Annotated[bool, typer.Option("--fix", help="Do the safe mends.")] = False,
    trust_codex: Annotated[
        bool,
        typer.Option(
            "--trust-codex", help="Accept our hooks in Codex's own configuration, for you."
        ),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Tell what keeps packets from being written or received, each finding with its mend.

    It looks at evidence: files, what each agent trusts, when its hooks were heard last. Ends with 1
    where something is broken.

        handoff doctor
        handoff doctor --fix
        handoff doctor --json | jq '.[] | select(.level == "broken")'
    """
    from handoff_cli import doctor as doctors

    folder = engine.project(project)
    if trust_codex:
        keys = doctors.trust_codex(folder)
        output.words().print(f"{len(keys)} hooks accepted in Codex's configuration", markup=False)
    rows = doctors.examined(folder)
    if fix:
        for row in doctors.mended(rows):
            output.words().print(f"mended: {row.finding.detail}", markup=False)
        rows = doctors.examined(folder)
    if as_json:
        output.data([_value(row) for row in rows])
    else:
        _print(rows)
    raise typer.Exit(any(row.finding.level == "broken" for row in rows))


def _value(row: Row) -> dict[str, str]:
    found = row.finding
    return {
        "subject": row.subject,
        "level": found.level,
        "code": found.code,
        "detail": found.detail,
        "mend": found.mend,
    }


def _print(rows: list[Row]) -> None:
    from rich.console import Console
    from rich.markup import escape

    console = Console(highlight=False, soft_wrap=True)
    for row in rows:
        style = STYLES[row.finding.level]
        subject = escape(f"{row.subject}: {row.finding.detail}")
        console.print(f"[{style}]{row.finding.level:6}[/]  {subject}")
        if row.finding.mend:
            console.print(f"        {escape(row.finding.mend)}")
