"""The project itself: its engine, what it needs to run, what it says of its own troubles."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from handoff_cli import engine, setup
from handoff_cli.checks.finding import BROKEN, OK, WARN, Finding
from handoff_cli.errors import HandoffError

MARKERS = ("<<<<<<< ", ">>>>>>> ")


def grounds(project: Path) -> Iterator[Finding]:
    """What the engine needs to run at all."""
    yield from _python()
    yield from _conflicts(project)


def findings(project: Path, status: dict[str, Any]) -> Iterator[Finding]:
    """What is wrong with the project itself; `status` is what its engine tells."""
    if not status["git"]:
        yield Finding(BROKEN, "git", "this is no git repository", "run `git init`")
        return
    if status["last_hook_error"]:
        yield Finding(
            WARN,
            "hook.error",
            f"the last error of a hook: {status['last_hook_error']}",
            "see `.handoff/state/hook.log`; delete it once that is mended",
        )
    yield from _unread(status["sessions"])
    yield from _configuration(project)
    yield from _branches(project)


def _python() -> Iterator[Finding]:
    found = engine.python_of_hooks()
    if found is not None:
        name, version = found
        yield Finding(OK, "python", f"hooks run on `{name}` {'.'.join(map(str, version))}")
        return
    yield Finding(
        BROKEN,
        "python",
        "there is neither a `python3` nor a `python` of 3.9 or newer on the path: hooks do nothing",
        "install Python, and see that agents are started with it on the path",
    )


def _conflicts(project: Path) -> Iterator[Finding]:
    for path in sorted((project / ".handoff").rglob("*")):
        if not path.is_file() or path.is_relative_to(project / ".handoff" / "state"):
            continue
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
        if any(line.startswith(MARKERS) for line in lines):
            name = path.relative_to(project)
            detail = f"`{name}` has conflict markers in it"
            yield Finding(BROKEN, "conflict", detail, "resolve the conflict, then commit")


def _unread(sessions: list[dict[str, Any]]) -> Iterator[Finding]:
    """Sessions that are at work, or whose end nobody reported."""
    for one in sessions:
        if one.get("unread"):
            yield Finding(
                WARN,
                "session.unread",
                f"{one['runtime']} session {one['id']} did more than its packet tells: it is at "
                "work, or was killed",
                "the next session to start takes it up, or `handoff generate --session "
                f"{one['id']}`",
            )


def _configuration(project: Path) -> Iterator[Finding]:
    """Files that differ from what the project's answers give."""
    try:
        with setup.prepared(project, {}) as prepared:
            kept, missing = prepared.kept, prepared.create
    except HandoffError as error:
        yield Finding(WARN, "answers", str(error), error.hint or "")
        return
    for path in kept:
        level = WARN if path.startswith(".handoff/") else OK
        mend = f"change it by `handoff regenerate --data …`, or delete `{path}` and run "
        yield Finding(
            level, "edited", f"`{path}` differs from what the answers give", f"{mend}`handoff init`"
        )
    if missing:
        yield Finding(
            WARN,
            "missing",
            f"{len(missing)} of our files are missing, such as `{missing[0]}`",
            "run `handoff init`, or `handoff doctor --fix`",
            fix=lambda: _set_up_again(project),
        )


def _set_up_again(project: Path) -> None:
    with setup.prepared(project, {}) as prepared:
        setup.carry_out(project, prepared)


def _branches(project: Path) -> Iterator[Finding]:
    gone = _archive(project, "--dry-run").splitlines()
    if gone:
        yield Finding(
            WARN,
            "branch.gone",
            f"packets of branches that are gone: {len(gone)}",
            "`handoff archive --gone`, or `handoff doctor --fix`",
            fix=lambda: _archive(project),
        )


def _archive(project: Path, *more: str) -> Any:
    command = engine.command(project, ["archive", "--gone", *more])
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60).stdout
