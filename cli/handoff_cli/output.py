"""What people see: words on stderr, data on stdout."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from handoff_cli.errors import HandoffError

if TYPE_CHECKING:
    from rich.console import Console


def words() -> Console:
    """The console for words; Rich is loaded when the first is said. Where no terminal shows them,
    no path is broken into lines."""
    from rich.console import Console

    return Console(stderr=True, highlight=False, soft_wrap=not sys.stderr.isatty())


def error(error: HandoffError) -> None:
    from rich.markup import escape

    console = words()
    console.print(f"[bold red]handoff:[/] {escape(str(error))}")
    if error.hint:
        console.print(f"  {escape(error.hint)}")


@contextmanager
def progress(what: str, total: int) -> Iterator[Callable[[str], None]]:
    """A bar on stderr, where that is a terminal; call what is given once for each step done."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    bars = (TextColumn(what), BarColumn(), MofNCompleteColumn())
    name = TextColumn("{task.description}")
    with Progress(*bars, name, console=words(), transient=True) as bar:
        task = bar.add_task("", total=total)
        yield lambda done: bar.update(task, advance=1, description=done)


def table(titles: tuple[str, ...], rows: list[tuple[object, ...]]) -> None:
    """A table on stdout."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    shown = Table(*titles, box=None, pad_edge=False, header_style="bold")
    for row in rows:
        shown.add_row(*(escape(str(cell)) for cell in row))
    Console(highlight=False, soft_wrap=True).print(shown)


def data(value: Any) -> None:
    """One JSON value on stdout."""
    sys.stdout.write(json.dumps(value, indent=2, ensure_ascii=False) + "\n")
