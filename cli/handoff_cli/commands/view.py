"""`handoff view`: the conversation as a page for people."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from handoff_cli import engine, output
from handoff_cli.commands.packets import Project, Topic
from handoff_cli.engine import option
from handoff_cli.errors import HandoffError

NAME = "timeline.html"
STANDARD = "-"
HEAD_BYTES = 4096  # of a page, where its mark stands


def view(
    topic: Topic = None,
    file: Annotated[
        str | None,
        typer.Option(
            "--output", metavar="FILE", help="Write it there; `-` is stdout (default: a new file)."
        ),
    ] = None,
    open_it: Annotated[bool, typer.Option("--open", help="Show it in the browser.")] = False,
    serve: Annotated[
        bool,
        typer.Option("--serve", help="Keep it up to date on 127.0.0.1 until interrupted."),
    ] = False,
    from_file: Annotated[
        str | None,
        typer.Option(
            "--from", metavar="FILE", help="Show a timeline in JSON; `-` reads standard input."
        ),
    ] = None,
    project: Project = Path(),
) -> None:
    """Make one HTML page of this branch's conversation, across agents and sessions.

    It holds all that it needs: no network, no server. What it shows cannot run in it. The file's
    path, or with `--serve` the address, is printed.

        handoff view --open
        handoff view --serve --open
        handoff timeline --json | handoff view --from - --output timeline.html
    """
    if serve and (file is not None or from_file == STANDARD):
        raise typer.BadParameter("`--serve` goes with neither `--output` nor `--from -`")
    if open_it and file == STANDARD:
        raise typer.BadParameter("`--open` needs a file")
    ask = _source(from_file, project, option("--topic", topic))
    if serve:
        _serve(ask, open_it)
        return
    page = _page(ask())
    if file == STANDARD:
        sys.stdout.buffer.write(page)
        return
    path = _written(page, file)
    typer.echo(path)
    if open_it:
        _open(path.as_uri())


def _source(from_file: str | None, project: Path, topic: list[str]) -> Callable[[], Any]:
    if from_file is not None:
        return lambda: _read(from_file)
    folder = engine.project(project)
    return lambda: engine.ask(folder, ["timeline", "--json", *topic])


def _read(file: str) -> Any:
    try:
        text = sys.stdin.buffer.read() if file == STANDARD else Path(file).read_bytes()
        return json.loads(text)
    except OSError as error:
        raise HandoffError(f"cannot read `{file}`: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        hint = "make one with `handoff timeline --json`"
        raise HandoffError(f"`{file}` is not valid JSON", hint) from error


def _page(value: Any) -> bytes:
    from handoff_cli import page
    from handoff_cli.pages import timeline

    return page.html(timeline.parse(value)).encode()


def _written(page: bytes, file: str | None) -> Path:
    from handoff_cli import settings_files
    from handoff_cli.page import MARK

    if file is None:
        path = Path(tempfile.mkdtemp(prefix="handoff-view.")) / NAME
    else:
        path = Path(file).resolve()
        before = settings_files.read(path)
        if before and MARK.encode() not in before[:HEAD_BYTES]:
            raise HandoffError(f"`{path}` is no page of handoff's", "give `--output` another name")
    settings_files.write(path, page)
    return path


def _serve(ask: Callable[[], Any], open_it: bool) -> None:
    from handoff_cli import serve

    def announce(address: str) -> None:
        typer.echo(address)
        sys.stdout.flush()
        if sys.stderr.isatty():
            output.words().print("serving until Ctrl-C")
        if open_it:
            _open(address)

    try:
        serve.serve(ask, announce)
    except KeyboardInterrupt:
        return


def _open(address: str) -> None:
    import webbrowser

    if not webbrowser.open(address):
        output.words().print("no browser could be started: open it by hand", markup=False)
