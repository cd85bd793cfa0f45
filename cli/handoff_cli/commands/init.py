"""`handoff init`: set a repository up."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from handoff_cli import output
from handoff_cli.commands import completion
from handoff_cli.commands.data import Data, answers_given

if TYPE_CHECKING:
    from rich.console import Console

    from handoff_cli.setup import Setup


def init(
    path: Annotated[Path, typer.Argument(help="The repository, or a folder in it.")] = Path(),
    defaults: Annotated[
        bool, typer.Option("--defaults", help="Take what was detected and never ask.")
    ] = False,
    data: Data = None,
    runtime: Annotated[
        list[str] | None,
        typer.Option(
            "--runtime",
            metavar="NAME",
            help="An agent in use; may be repeated.",
            autocompletion=completion.runtimes,
        ),
    ] = None,
    ask_all: Annotated[
        bool, typer.Option("--ask-all", help="Ask every question, not only the main ones.")
    ] = False,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace files of the same name that differ.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be done and write nothing.")
    ] = False,
) -> None:
    """Set the generator up in a repository and install the hooks.

    Detects the workbench artifacts, the test command and the agents in use, asks to confirm the
    main ones, and changes no file of yours beyond splicing hook entries into the agents' settings.
    Run again, it changes nothing; with `--data` it changes that answer and keeps what you edited.

        handoff init
        handoff init --defaults --runtime claude-code
        handoff init --defaults --data 'acceptance_commands=["pytest -q"]' --dry-run
    """
    from handoff_cli import projects, setup

    project = path.resolve()
    given = answers_given(data or [])
    if runtime:
        given["runtimes"] = runtime
    ask = setup.Ask.EVERYTHING if ask_all else setup.Ask.MAIN
    if defaults or not sys.stdin.isatty():
        ask = setup.Ask.NOTHING
    console = output.words()
    with setup.prepared(project, given, ask=ask, overwrite=overwrite) as found:
        if dry_run:
            _preview(console, found)
            return
        setup.carry_out(project, found)
        projects.add(project)
        _report(console, project, found)


def _preview(console: Console, found: Setup) -> None:
    for title, paths in (("would create", found.create), ("would replace", found.replace)):
        for path in paths:
            typer.echo(f"{title} {path}")
    for path in found.kept:
        typer.echo(f"would keep your edits in {path}")
    for change in found.hooks:
        typer.echo(change.diff(), nl=False)
    if not found.changes:
        console.print("nothing to change")


def _report(console: Console, project: Path, found: Setup) -> None:
    from rich.markup import escape

    if not found.changes:
        console.print("nothing to change: handoff is set up here")
        return
    every = (*found.create, *found.replace, *found.same, *found.kept)
    size = sum((project / path).stat().st_size for path in every)
    console.print(f"[bold green]handoff is set up[/] in {escape(str(project))}")
    console.print(
        f"  {len(every)} files, {size / 1000:.0f} kB; `.handoff/README.md` says whose each is"
    )
    for key, value in found.suggested.items():
        console.print(f"  detected {key}: {escape(str(value))}")
    for path in found.kept:
        console.print(f"  kept your edits in {escape(path)}")
    for change in found.hooks:
        done = "installed in" if change.changes else "already in"
        console.print(f"  hooks for {change.plan.runtime} {done} {change.plan.settings}")
    console.print("\n[bold]What to do next[/]")
    console.print("  1. work a turn in your agent: the packet is written when it stops")
    if any(change.plan.runtime == "codex" for change in found.hooks):
        console.print(
            "     (Codex runs new hooks only once you accepted them: start it, or type /hooks)"
        )
    console.print("  2. `handoff show` reads it; the next session receives it by itself")
    console.print("  3. commit what was created, so that your team has it too")
