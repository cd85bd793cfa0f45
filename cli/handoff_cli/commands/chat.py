"""`handoff chat`: one place to talk with several agents in turn."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from handoff_cli import engine
from handoff_cli.commands.packets import Project, Topic


def chat(
    agent: Annotated[str, typer.Option("--agent", metavar="NAME", help="The agent to begin with.")],
    topic: Topic = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Lines of JSON on stdin and stdout.")
    ] = False,
    take_over: Annotated[
        bool, typer.Option("--take-over", help="End the client that holds it, and go on here.")
    ] = False,
    watch: Annotated[
        bool, typer.Option("--watch", help="Only show what another client does.")
    ] = False,
    project: Project = Path(),
) -> None:
    """Talk with agents in turn: one conversation, and each agent keeps a session of its own.

    With `--json`, orders are `{"prompt": "…", "files": […]}`, `{"switch": "codex"}`, `{"answer":
    ID, "option": ID}`, `{"cancel": true}` and `{"close": true}`.

        echo '{"prompt": "What is left?"}' | handoff chat --agent gemini --json
    """
    from handoff_cli.chat import holder, pipe

    folder = engine.project(project)
    if watch:
        pipe.watch(folder, topic)
        return
    if not as_json:
        raise typer.BadParameter("there is no screen yet: give `--json`")
    with holder.held(folder, take_over):
        pipe.run(folder, topic, agent)
