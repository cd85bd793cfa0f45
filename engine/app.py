"""argv in, exit code out. A hook goes first, past every parser that could exit with 2."""

from __future__ import annotations

import sys

from . import layout, redact


def main(root: str, argv: list[str]) -> int:
    """Run one command line in the project whose folder is `root`."""
    if argv[:1] == ["hook"]:
        return _hook(root, argv[1] if len(argv) > 1 else "")
    from .arguments import run

    redact.allow(layout.not_secrets(root))
    return run(root, argv)


def _hook(root: str, runtime: str) -> int:
    """Answer a runtime. Whatever happens, its session goes on: exit 0, errors to `hook.log`."""
    try:
        from .verbs import hook

        redact.allow(layout.not_secrets(root))
        sys.stdout.buffer.write(hook.answer(root, runtime, sys.stdin.buffer.read()))
        sys.stdout.buffer.flush()
    except Exception as error:
        _log(root, runtime, error)
    return 0


def _log(root: str, runtime: str, error: Exception) -> None:
    import contextlib
    import time
    import traceback

    from .errors import HandoffError

    said = traceback.format_exc()
    if isinstance(error, HandoffError):
        said = f"{error} ({error.hint})" if error.hint else str(error)
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    with contextlib.suppress(OSError, HandoffError):  # a read-only disk: nowhere to say it
        layout.log(root, redact.redacted(f"{now} {runtime}: {said}"))
