"""The verbs for people and for the CLI: their options, and the one place that tells an error."""

from __future__ import annotations

import argparse
import os
import sys

from .errors import HandoffError
from .project import Project
from .verbs import generate, hooks_plan, show, status, validate


def run(root: str, argv: list[str]) -> int:
    """Run a verb; return its exit code."""
    options = _parser().parse_args(argv)
    try:
        return int(options.run(Project(root), options))
    except HandoffError as error:
        print(f"handoff: {error}", file=sys.stderr)
        if error.hint:
            print(f"  {error.hint}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _parser() -> argparse.ArgumentParser:
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
