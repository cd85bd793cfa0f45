"""Joins the commands. What a command needs beyond Typer it imports when it runs."""

from __future__ import annotations

from typing import Annotated

import typer

from handoff_cli import __version__
from handoff_cli.commands import (
    agents,
    chat,
    demo,
    doctor,
    hooks,
    init,
    packets,
    paths,
    projects,
    remove,
    steer,
    update,
    view,
    work,
)
from handoff_cli.commands.examples import Group

app = typer.Typer(
    cls=Group,
    name="handoff",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    help="Hand a coding agent's work over: what a session really did, as a packet for the next.",
    epilog="Start with `handoff demo`, then `handoff init` in a repository of yours.",
)
app.command("init")(init.init)
app.add_typer(hooks.app, name="hooks")
app.add_typer(paths.app, name="paths")
app.add_typer(projects.app, name="projects")
app.command("update")(update.update)
app.command("regenerate")(update.regenerate)
app.command("remove")(remove.remove)
app.command("doctor")(doctor.doctor)
app.command("generate")(packets.generate)
app.command("run", context_settings=work.VERBATIM)(work.run)
app.command("verify")(work.verify)
app.command("clean")(work.clean)
app.command("close")(work.close)
app.command("show")(packets.show)
app.command("status")(packets.status)
app.command("validate")(packets.validate)
app.add_typer(steer.state, name="state")
app.add_typer(steer.board, name="board")
app.add_typer(steer.topic, name="topic")
app.command("log")(steer.log)
app.command("archive")(steer.archive)
app.command("sync")(steer.sync)
app.command("pr")(steer.pr)
app.command("timeline")(agents.timeline)
app.command("view")(view.view)
app.command("switch")(agents.switch)
app.command("chat")(chat.chat)
app.command("demo")(demo.demo)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"handoff {__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass
