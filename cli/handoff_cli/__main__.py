"""Run as `handoff` or `python -m handoff_cli`."""

from __future__ import annotations

import io
import sys

from handoff_cli import output
from handoff_cli.errors import HandoffError


def main() -> None:
    from handoff_cli.app import app

    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a code page that lacks a character shows it so
            stream.reconfigure(errors="backslashreplace")
    try:
        app()
    except HandoffError as error:
        output.error(error)
        sys.exit(1)


if __name__ == "__main__":
    main()
