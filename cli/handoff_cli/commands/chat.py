"""`handoff chat`: one place to talk with several agents in turn."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from handoff_cli import engine, output
from handoff_cli.commands import completion
from handoff_cli.commands.packets import Project, Topic
from handoff_cli.errors import HandoffError


def chat(
    agent: Annotated[
        str | None,
        typer.Option(
            "--agent",
            metavar="NAME",
            help="The agent to begin with (default: the last).",
            autocompletion=completion.agents,
        ),
    ] = None,
    topic: Topic = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Lines of JSON on stdin and stdout.")
    ] = False,
    budget: Annotated[
        int | None,
        typer.Option("--budget", metavar="TOKENS", help="At most so much told to another agent."),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Also where a session was killed in its turn.")
    ] = False,
    take_over: Annotated[
        bool, typer.Option("--take-over", help="End the client that holds it, and go on here.")
    ] = False,
    watch: Annotated[
        bool, typer.Option("--watch", help="Only show what others say there.")
    ] = False,
    project: Project = Path(),
) -> None:
    """Talk with agents in turn: one conversation, and each agent keeps a session of its own.

    Type a message, or `/help`. With `--json`, orders are `{"prompt": "…", "files": […]}`,
    `{"switch": "codex"}`, `{"answer": ID, "option": ID}`, `{"cancel": true}`, `{"close": true}`.

        handoff chat --agent gemini
        echo '{"prompt": "What is left?"}' | handoff chat --agent gemini --json
    """
    from handoff_cli.chat import holder, pipe
    from handoff_cli.chat.conversation import Start

    folder = engine.project(project)
    if watch:
        _watch(folder, topic, as_json)
        return
    talk = pipe.run
    if not as_json:
        from handoff_cli.chat import screen

        talk = screen.run
    with holder.held(folder, take_over):
        talk(folder, Start(agent or _last(folder, topic), topic, budget, force))
        taker = holder.taker(folder)
    if taker:
        output.words().print(f"another client took this conversation over (process {taker})")


def _watch(project: Path, topic: str | None, as_json: bool) -> None:
    from handoff_cli.chat import pipe

    follow = pipe.watch
    if not as_json:
        from handoff_cli.chat import watch

        follow = watch.run
    follow(project, topic)


def _last(project: Path, topic: str | None) -> str:
    """The agent that spoke last in the conversation. Raises: HandoffError where none has."""
    from handoff_cli.chat import history, recorder

    entries = history.timeline(project, topic, 1)["entries"]
    if not entries:
        raise HandoffError("nobody has spoken here yet", "give `--agent NAME`, such as `gemini`")
    return recorder.name(entries[-1]["runtime"])
