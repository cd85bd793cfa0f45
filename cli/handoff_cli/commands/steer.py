"""What steers the work: state, board, topics, the ledger; passed on to the repository's engine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from handoff_cli.commands.examples import Group
from handoff_cli.commands.packets import Json, Project, Topic, pass_on
from handoff_cli.engine import flag, option

Kind = Annotated[Literal["blocker", "assumption", "question"], typer.Argument()]
Key = Annotated[Literal["next_action", "active_task"], typer.Argument()]
Text = Annotated[str, typer.Argument(metavar="TEXT", help="One line.")]
Id = Annotated[str, typer.Argument(metavar="ID", help="As `handoff board show` lists it.")]

state = typer.Typer(
    cls=Group,
    no_args_is_help=True,
    help="Note down what the next session has to know, in the state file.",
)
board = typer.Typer(
    cls=Group, no_args_is_help=True, help="Keep the board of features; at most one is in progress."
)
topic = typer.Typer(
    cls=Group, help="Tell this branch's topics, or choose the one of later sessions."
)


@state.command("show")
def show_state(as_json: Json = False, project: Project = Path()) -> None:
    """Print what is noted.

    handoff state show --json | jq .next_action
    """
    pass_on(project, "state", "show", *flag("--json", as_json))


@state.command("set")
def set_state(key: Key, text: Text, project: Project = Path()) -> None:
    """Set the next action of this session, or the task that is worked on.

    handoff state set next_action 'make `pytest -q tests/test_parser.py` pass'
    """
    pass_on(project, "state", "set", "--", key, text)


@state.command("clear")
def clear_state(key: Key, project: Project = Path()) -> None:
    """Take the next action, or the active task, back.

    handoff state clear next_action
    """
    pass_on(project, "state", "clear", key)


@state.command("add")
def add_note(kind: Kind, text: Text, project: Project = Path()) -> None:
    """Note a blocker, an assumption or a question.

    handoff state add assumption 'empty lines never carry a comment'
    """
    pass_on(project, "state", "add", "--", kind, text)


@state.command("drop")
def drop_note(
    kind: Kind,
    note: Annotated[str, typer.Argument(metavar="N-OR-TEXT", help="Its number or its words.")],
    project: Project = Path(),
) -> None:
    """Take a blocker, an assumption or a question back.

    handoff state drop blocker 1
    """
    pass_on(project, "state", "drop", "--", kind, note)


@board.command("show")
def show_board(as_json: Json = False, project: Project = Path()) -> None:
    """Print the features.

    handoff board show
    """
    pass_on(project, "board", "show", *flag("--json", as_json))


@board.command("add")
def add_feature(
    goal: Annotated[str, typer.Argument(metavar="GOAL", help="One line.")],
    wanted: Annotated[
        str | None, typer.Option("--id", metavar="ID", help="Its id (default: the next free one).")
    ] = None,
    done_when: Annotated[
        str | None, typer.Option("--done-when", metavar="CMD", help="The command that proves it.")
    ] = None,
    project: Project = Path(),
) -> None:
    """Add a feature; prints its id.

    handoff board add 'Accept empty lines' --done-when 'pytest -q tests/test_parser.py'
    """
    options = [*option("--id", wanted), *option("--done-when", done_when)]
    pass_on(project, "board", "add", *options, "--", goal)


@board.command("start")
def start_feature(feature: Id, project: Project = Path()) -> None:
    """A feature is in progress from now on; refused while another one is.

    handoff board start F-1
    """
    pass_on(project, "board", "start", "--", feature)


@board.command("finish")
def finish_feature(feature: Id, project: Project = Path()) -> None:
    """A feature is done.

    handoff board finish F-1
    """
    pass_on(project, "board", "finish", "--", feature)


@board.command("block")
def block_feature(
    feature: Id,
    reason: Annotated[
        str | None, typer.Option("--reason", metavar="TEXT", help="What is in the way.")
    ] = None,
    project: Project = Path(),
) -> None:
    """A feature cannot go on.

    handoff board block F-1 --reason 'the staging key has expired'
    """
    pass_on(project, "board", "block", *option("--reason", reason), "--", feature)


@topic.callback(invoke_without_command=True)
def show_topic(context: typer.Context, as_json: Json = False, project: Project = Path()) -> None:
    """Tell the topic of this branch, and the active packet of each of its topics.

    handoff topic
    """
    if context.invoked_subcommand is None:
        pass_on(project, "topic", *flag("--json", as_json))


@topic.command("use")
def use_topic(
    name: Annotated[str, typer.Argument(metavar="NAME", help="`default` is the first one.")],
    project: Project = Path(),
) -> None:
    """Later sessions on this branch, in this work tree, file their packets under NAME.

    handoff topic use parser
    """
    pass_on(project, "topic", "use", "--", name)


def log(
    topic: Topic = None,
    most: Annotated[int, typer.Option("-n", metavar="N", help="At most so many.", min=1)] = 20,
    as_json: Json = False,
    project: Project = Path(),
) -> None:
    """List the packets of this branch and topic, the newest first.

    handoff log -n 5
    """
    pass_on(
        project,
        "log",
        "-n",
        str(most),
        *option("--topic", topic),
        *flag("--json", as_json),
    )


def archive(
    topic: Topic = None,
    gone: Annotated[bool, typer.Option("--gone", help="Of every branch that is no more.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what would be archived.")
    ] = False,
    project: Project = Path(),
) -> None:
    """Archive the active packet of this branch and topic: no session starts from it any more.

    handoff archive
    handoff archive --gone --dry-run
    """
    flags = [*flag("--gone", gone), *flag("--dry-run", dry_run)]
    pass_on(project, "archive", *option("--topic", topic), *flags)


def sync(
    way: Annotated[str, typer.Argument(metavar="push|pull", help="To the remote, or from it.")],
    remote: Annotated[
        str | None, typer.Argument(help="A remote's name or URL (default: the branch's own).")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Of all branches, not of this one.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would happen.")] = False,
    as_json: Json = False,
    project: Project = Path(),
) -> None:
    """Share packets and conversations with other machines, through a git remote.

    They go to refs of their own (`refs/handoff/…`), which no clone or fetch brings by itself.

        handoff sync push
        handoff sync pull origin --dry-run
    """
    flags = [*flag("--all", every), *flag("--dry-run", dry_run), *flag("--json", as_json)]
    pass_on(project, "sync", *flags, "--", way, *([remote] if remote else []))


def pr(
    output: Annotated[
        str | None,
        typer.Option("--output", metavar="FILE", help="Write it there, inside the repository."),
    ] = None,
    topic: Topic = None,
    project: Project = Path(),
) -> None:
    """Print the active packet as the body of a pull request.

    handoff pr | gh pr create --title 'Accept empty lines' --body-file -
    """
    pass_on(project, "pr", *option("--output", output), *option("--topic", topic))
