"""The engine's own verbs, passed on to the repository's engine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, NoReturn

import typer

from handoff_cli import engine
from handoff_cli.engine import flag, option

Project = Annotated[
    Path, typer.Option("--project", help="A folder in the project.", file_okay=False, exists=True)
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Session = Annotated[str | None, typer.Option("--session", metavar="ID", help="Of this session.")]
Topic = Annotated[
    str | None,
    typer.Option("--topic", metavar="NAME", help="The line of work (default: the current one)."),
]


def generate(
    session: Session = None,
    topic: Topic = None,
    as_json: Json = False,
    project: Project = Path(),
) -> None:
    """Derive the packet of the newest session, or of `--session`, and make it the active one.

    Ends with 3 where it is refused: then `blocked.json` holds the reasons and all that was derived.

        handoff generate
        handoff generate --session 6d349e0a-273a-4435-aa9e-9758ae143686 --json
    """
    options = option("--session", session) + option("--topic", topic)
    pass_on(project, "generate", *options, *flag("--json", as_json))


def show(
    session: Session = None,
    as_json: Json = False,
    context: Annotated[
        bool, typer.Option("--context", help="Print what a new session receives.")
    ] = False,
    topic: Topic = None,
    project: Project = Path(),
) -> None:
    """Show the active packet of this branch, or that of `--session`: as Markdown, unless told.

    handoff show
    handoff show --json | jq .next_action
    """
    form = flag("--json", as_json) or flag("--context", context)
    pass_on(project, "show", *option("--session", session), *option("--topic", topic), *form)


def status(topic: Topic = None, as_json: Json = False, project: Project = Path()) -> None:
    """Tell where things stand: the active packet, the sessions on record, the last hook error.

    handoff status --json | jq .active.next_action
    """
    pass_on(project, "status", *option("--topic", topic), *flag("--json", as_json))


def validate(
    file: Annotated[str, typer.Argument(help="A `handoff.json`; `-` reads standard input.")],
    as_json: Json = False,
    project: Project = Path(),
) -> None:
    """Check a packet file against this project's schema and its own digest.

    handoff validate outputs/handoff/6d349e0a-273a-4435-aa9e-9758ae143686/handoff.json
    """
    pass_on(project, "validate", file, *flag("--json", as_json))


def pass_on(project: Path, *arguments: str) -> NoReturn:
    """Run a verb of the project's engine, and end with its exit code."""
    raise typer.Exit(engine.run(engine.project(project), list(arguments)))
