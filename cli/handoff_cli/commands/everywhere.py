"""`--all`: a command in every project on record, side by side, and what came of it in a table."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NoReturn

import typer

from handoff_cli import output

if TYPE_CHECKING:
    from handoff_cli.fleet import Result

CONFLICTS = 3


def in_every_project(
    command: list[str], doing: str, outcome: Callable[[Result], str], as_json: bool
) -> NoReturn:
    """Run a command that prints JSON; ends with 130 where it was interrupted, with 1 where one
    failed, else with 3 where one has conflicts."""
    from handoff_cli import fleet, projects

    folders = projects.known()
    if not folders:
        output.words().print("no project is on record: `handoff projects scan DIR` finds them")
    with output.progress(doing, len(folders)) as step:
        results = fleet.run(command, folders, lambda result: step(result.project.name))
    rows = [
        {
            "path": str(one.project),
            "result": "not begun" if one.code == fleet.INTERRUPTED else outcome(one),
            "error": one.error,
            command[0]: one.value,
        }
        for one in results
    ]
    if as_json:
        output.data(rows)
    elif rows:
        output.table(
            ("result", "project", "why"), [(r["result"], r["path"], r["error"]) for r in rows]
        )
    found = {row["result"] for row in rows}
    ends = {"not begun": fleet.INTERRUPTED, "failed": 1, "conflict": CONFLICTS}
    raise typer.Exit(next((code for name, code in ends.items() if name in found), 0))
