"""`handoff demo`: the whole story in a scratch repository."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Annotated

import typer

from handoff_cli.errors import HandoffError


def demo(
    keep: Annotated[
        Path | None,
        typer.Option("--keep", help="Make the scratch repository in this new folder and keep it."),
    ] = None,
) -> None:
    """Play a recorded session through the installed hooks, and show what the next agent receives.

    In a scratch repository that is gone afterwards: no account, no network.

        handoff demo
        handoff demo --keep /tmp/handoff-demo
    """
    from handoff_cli.demo.show import show

    if keep is not None:
        if keep.exists():
            raise HandoffError(f"`{keep}` exists already", "give a folder that does not")
        show(keep.resolve())
        typer.echo(keep.resolve() / "parser-demo")
        return
    with tempfile.TemporaryDirectory(prefix="handoff-demo.") as folder:
        show(Path(folder).resolve())
