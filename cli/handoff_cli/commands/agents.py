"""`handoff timeline` and `handoff switch`: one conversation across agents."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from handoff_cli import engine, output
from handoff_cli.commands import completion
from handoff_cli.commands.packets import Json, Project, Topic, pass_on
from handoff_cli.engine import flag, option
from handoff_cli.errors import HandoffError

VERSION_SECONDS = 20


def timeline(
    topic: Topic = None,
    most: Annotated[
        int | None, typer.Option("-n", metavar="N", help="Only the newest N entries.")
    ] = None,
    as_json: Json = False,
    project: Project = Path(),
) -> None:
    """Show the conversation of this branch across agents: words, replies, commands, exit codes.

    It is kept in the ledger, so it outlives the agents' own transcripts.

        handoff timeline -n 20
        handoff timeline --json | jq '.entries[] | select(.exit_code == 1)'
    """
    options = option("--topic", topic) + (["-n", str(most)] if most is not None else [])
    pass_on(project, "timeline", *options, *flag("--json", as_json))


def switch(
    runtime: Annotated[
        str,
        typer.Argument(
            help="The agent to go on in, such as `codex`.", autocompletion=completion.runtimes
        ),
    ],
    topic: Topic = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Begin a new session, also where it has one.")
    ] = False,
    budget: Annotated[
        int | None,
        typer.Option("--budget", metavar="TOKENS", help="At most so much of the conversation."),
    ] = None,
    force: Annotated[
        bool,
        typer.Option("--force", help="Also out of a turn, where the agent was killed."),
    ] = False,
    only_print: Annotated[
        bool, typer.Option("--print", help="Print the command instead of starting it.")
    ] = False,
    project: Project = Path(),
) -> None:
    """Close the session at hand and go on in another agent, with the conversation.

    An agent that took part before gets its own session back and is told what happened since, with
    your next message; a new one is told the packet and the conversation. No task is started: your
    next message does that. Refused while a turn is running.

        handoff switch codex
        handoff switch claude-code --print
    """
    folder = engine.project(project)
    verb = ["switch", runtime, "--json", *option("--topic", topic), *flag("--fresh", fresh)]
    verb += [*(["--budget", str(budget)] if budget is not None else []), *flag("--force", force)]
    plan = engine.ask(folder, [*verb, *flag("--print", only_print)])
    for note in plan["notes"]:
        output.words().print(note, markup=False)
    if only_print:
        typer.echo(f"cd {shlex.quote(plan['folder'])} && {plan['command']}")
        return
    if older := _older(plan):
        output.words().print(older, markup=False)
    raise typer.Exit(_started(folder, plan))


def _older(plan: dict[str, Any]) -> str:
    """That the installed agent is older than what was seen working, where it is."""
    import re

    from packaging.version import Version

    program = shlex.split(plan["command"])[0]
    try:
        asked = subprocess.run(
            [program, "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=VERSION_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    found = re.search(r"\d+(?:\.\d+){1,3}", asked.stdout)
    if not plan["proved"] or not found or Version(found[0]) >= Version(plan["proved"]):
        return ""
    return (
        f"`{program}` is {found[0]}, older than {plan['proved']}, with which its hooks were seen "
        "working: if it is told nothing, update it"
    )


def _started(project: Path, plan: dict[str, Any]) -> int:
    """Run the agent in the foreground; its exit code.

    Raises: HandoffError where it ended at once: then the conversation is where it was.
    """
    begun = time.time()
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # a Ctrl-C is for the agent
    try:
        done = subprocess.run(
            shlex.split(plan["command"]),
            cwd=plan["folder"],
            env={**os.environ, "PWD": plan["folder"]},
            check=False,
        )
    except OSError as error:
        raise HandoffError(
            f"`{plan['command']}` could not be started: {error.strerror}",
            "the conversation is where it was",
        ) from None
    finally:
        signal.signal(signal.SIGINT, before)
    if done.returncode and not _has_spoken(project, plan["runtime"], begun):
        raise HandoffError(
            f"`{plan['command']}` ended with {done.returncode} before a session began",
            "the conversation is where it was; `--fresh` begins a new session there",
        )
    return done.returncode


def _has_spoken(project: Path, runtime: str, since: float) -> bool:
    """Whether a hook of the runtime was called since then (epoch seconds)."""
    from datetime import datetime

    told = engine.ask(project, ["status", "--json"])["last_event_at"].get(runtime)
    at = datetime.fromisoformat(told.replace("Z", "+00:00")) if told else None
    return at is not None and at.timestamp() >= int(since)
