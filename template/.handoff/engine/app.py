"""argv in, exit code out. A hook goes first, past every parser that could exit with 2."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from .project import Project

if TYPE_CHECKING:
    from argparse import ArgumentParser

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def main(argv: list[str]) -> int:
    project = Project(ROOT)
    if argv[:1] == ["hook"]:
        return _hook(project, argv[1] if len(argv) > 1 else "")
    return _verb(project, argv)


def _hook(project: Project, runtime: str) -> int:
    """Answer a runtime. Whatever happens, its session goes on: exit 0, errors to `hook.log`."""
    try:
        from .verbs import hook

        reply = hook.answer(project, runtime, sys.stdin.buffer.read())
        sys.stdout.buffer.write(reply)
        sys.stdout.buffer.flush()
    except Exception as error:
        _log(project, runtime, error)
    return 0


def _log(project: Project, runtime: str, error: Exception) -> None:
    import contextlib
    import time
    import traceback

    from .errors import HandoffError
    from .redact import redacted

    told = isinstance(error, HandoffError)
    said = str(error) if told else traceback.format_exc()
    with contextlib.suppress(OSError, HandoffError):  # a read-only disk: nowhere to say it
        project.log(
            redacted(f"{time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime())} {runtime}: {said}")
        )


def _verb(project: Project, argv: list[str]) -> int:
    from .errors import HandoffError

    options = _parser().parse_args(argv)
    try:
        return int(options.run(project, options))
    except HandoffError as error:
        print(f"handoff: {error}", file=sys.stderr)
        if error.hint:
            print(f"  {error.hint}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _parser() -> ArgumentParser:
    import argparse

    from .verbs import generate, hooks_plan, show, status, validate

    parser = argparse.ArgumentParser(
        prog="python3 .handoff/engine",
        description="derive handoff packets from what really happened, and read them",
    )
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
    for module in (generate, show, status, validate, hooks_plan):
        name = module.__name__.rpartition(".")[2].replace("_", "-")
        about = (module.__doc__ or "").split("\n")[0]
        verb = verbs.add_parser(name, help=about, description=about)
        module.arguments(verb)
        verb.set_defaults(run=module.run)
    return parser
