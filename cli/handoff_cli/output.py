"""What people see: words on stderr, data on stdout."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

from handoff_cli.errors import HandoffError

if TYPE_CHECKING:
    from rich.console import Console


def words() -> Console:
    """The console for words; Rich is loaded when the first is said."""
    from rich.console import Console

    return Console(stderr=True, highlight=False)


def error(error: HandoffError) -> None:
    from rich.markup import escape

    console = words()
    console.print(f"[bold red]handoff:[/] {escape(str(error))}")
    if error.hint:
        console.print(f"  {escape(error.hint)}")


def data(value: Any) -> None:
    """One JSON value on stdout."""
    sys.stdout.write(json.dumps(value, indent=2, ensure_ascii=False) + "\n")
