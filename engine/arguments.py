"""The verbs for people and for the CLI: their options, and the one place that tells an error."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from typing import Any, TextIO

from .errors import HandoffError
from .project import Project
from .verbs import (
    archive,
    board,
    clean,
    close,
    generate,
    hooks_plan,
    log,
    pr,
    show,
    state,
    status,
    switch,
    sync,
    timeline,
    topic,
    validate,
    verify,
)
from .verbs import run as runner
from .visible import visible


class Visible:
    """A stream on which all that is written can be seen, and nothing is obeyed by a terminal."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        return self._stream.write(visible(text))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def run(root: str, argv: list[str]) -> int:
    """Run a verb; return its exit code."""
    # What follows `--` belongs to a command that is run: no parser may touch it.
    end = argv.index("--") if argv[:1] == ["run"] and "--" in argv else len(argv)
    parser = _parser()
    options = parser.parse_args(argv[:end])
    options.command_line = argv[end + 1 :]
    out: Any = Visible(sys.stdout)
    words: Any = Visible(sys.stderr)
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(words):
        return _run(root, parser, options)


def _run(root: str, parser: argparse.ArgumentParser, options: argparse.Namespace) -> int:
    if options.verb == "run" and not any(options.command_line):
        parser.error("run: give the command after `--`: run -- CMD…")
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
    for module in (
        generate,
        runner,
        verify,
        clean,
        close,
        show,
        status,
        validate,
        state,
        board,
        topic,
        log,
        timeline,
        switch,
        sync,
        archive,
        pr,
        hooks_plan,
    ):
        name = module.__name__.rpartition(".")[2].replace("_", "-")
        about = (module.__doc__ or "").split("\n")[0]
        verb = verbs.add_parser(name, help=about, description=about)
        module.arguments(verb)
        verb.set_defaults(run=module.run)
    return parser
