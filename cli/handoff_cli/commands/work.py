"""Running commands on the record: handed over to the repository's engine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, NoReturn

import typer

from handoff_cli import engine
from handoff_cli.commands.packets import Json, Project, Session
from handoff_cli.engine import flag, option

# Nothing after the first word of the command is ours.
VERBATIM = {"allow_interspersed_args": False}


def run(
    command: Annotated[
        list[str], typer.Argument(metavar="-- CMD…", help="A program, or shell text in quotes.")
    ],
    timeout: Annotated[
        float | None, typer.Option(metavar="S", help="End it after so many seconds, with 124.")
    ] = None,
    note: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Why it is run; goes into the record.")
    ] = None,
    session: Session = None,
    project: Project = Path(),
) -> None:
    """Run a command and record how it ended. Ends with the command's own exit code.

    Its output appears as always. The record has the exit code, both ends of the output without
    secrets, and which earlier run it repeats.

        handoff run -- pytest -q
        handoff run --timeout 600 -- 'set -o pipefail; make test | tee test.log'
    """
    limit = [] if timeout is None else ["--timeout", str(timeout)]
    _become(
        project,
        [
            "run",
            *limit,
            *option("--note", note),
            *option("--session", session),
            "--",
            *command,
        ],
    )


def verify(
    as_json: Json = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Judge by the recorded commands; write nothing.")
    ] = False,
    session: Session = None,
    project: Project = Path(),
) -> None:
    """Run the acceptance commands and write the verification report.

    Ends with 3 where it does not pass: a command failed, or the scope contract was broken.

        handoff verify
        handoff verify --dry-run --json | jq .findings
    """
    flags = [*flag("--json", as_json), *flag("--dry-run", dry_run)]
    _become(project, ["verify", *flags, *option("--session", session)])


def clean(
    as_json: Json = False,
    stash: Annotated[
        bool, typer.Option("--stash", help="Set uncommitted files aside; the packet says how back.")
    ] = False,
    excepted: Annotated[
        str | None, typer.Option("--except", metavar="CODE", help="Let a finding through.")
    ] = None,
    reason: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Why; needed with `--except`.")
    ] = None,
    session: Session = None,
    project: Project = Path(),
) -> None:
    """Check that the workbench is clean, and say how to mend what is not.

    Ends with 3 where a finding keeps the packet from being written.

        handoff clean
        handoff clean --stash
        handoff clean --except tree.dirty --reason 'half way on purpose'
    """
    flags = [*flag("--json", as_json), *flag("--stash", stash)]
    said = [*option("--except", excepted), *option("--reason", reason)]
    _become(project, ["clean", *flags, *said, *option("--session", session)])


def close(
    no_verify: Annotated[
        bool, typer.Option("--no-verify", help="Do not run the acceptance commands.")
    ] = False,
    session: Session = None,
    project: Project = Path(),
) -> None:
    """Close a session: clean, verify and generate in one go; tells what is left to mend.

    Ends with 3 where the packet is refused.

        handoff close
    """
    flags = flag("--no-verify", no_verify)
    _become(project, ["close", *flags, *option("--session", session)])


def _become(project: Project, arguments: list[str]) -> NoReturn:
    raise typer.Exit(engine.become(engine.project(project), arguments))
