"""`handoff chat`: one place to talk with several agents in turn."""

from __future__ import annotations

import asyncio
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
    project: Project = Path(),
) -> None:
    """Talk with agents in turn: one conversation, and each agent keeps a session of its own.

    Orders are `{"prompt": "…", "files": […]}`, `{"switch": "codex"}`, `{"answer": ID, "option":
    ID}`, `{"cancel": true}` and `{"close": true}`.

        echo '{"prompt": "What is left?"}' | handoff chat --agent gemini --json
    """
    from handoff_cli.chat import pipe

    if not as_json:
        raise typer.BadParameter("there is no screen yet: give `--json`")
    asyncio.run(pipe.talk(engine.project(project), topic, agent))
