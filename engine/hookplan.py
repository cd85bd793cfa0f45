"""Which hook entries go into which settings file, and the command they run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from .runtimes import base

if TYPE_CHECKING:
    from .runtimes.protocol import Hooks

# Ends every command we write: what carries it is ours, and nothing else is.
MARK = "# handoff-hook"


def command(runtime: str, hooks: Hooks) -> str:
    """The shell command of a hook: no machine path and no version, so that its text never changes.

    It looks for the engine from the project's folder upwards, and is silent success where there is
    no engine, no working Python, or where another program reads this runtime's settings. Only a
    Python that ran the engine to its end is heard; one that a signal ended had read the input, so
    that no other is tried.
    """
    others = "".join("${" + name + "-}" for name in hooks.UNLESS)
    return (
        f'{f"""[ -z "{others}" ] || exit 0; """ if others else ""}'
        f'd="{hooks.PROJECT_DIR}"; '
        'until [ -f "$d/.handoff/engine/__main__.py" ]; do '
        'case "$d" in */*) d="${d%/*}";; *) exit 0;; esac; done; '
        "for p in python3 python; do "
        f'o=$("$p" -I -S -B "$d/.handoff/engine/__main__.py" hook {runtime} 2>/dev/null); c=$?; '
        "[ $c = 0 ] && printf '%s' \"$o\"; case $c in 0|12[89]|1[3-9]?) break;; esac; done; "
        f"exit 0 {MARK}"
    )


def entries(runtime: str, hooks: Hooks) -> Iterator[dict[str, Any]]:
    """`{"event": theirs, "group": …}` for each hook of a runtime's settings file."""
    text = command(runtime, hooks)
    for ours, theirs in hooks.EVENTS.items():
        for event in theirs:
            handler = {"type": "command", **hooks.HANDLER, "command": text}
            handler[hooks.TIMEOUT_KEY] = hooks.TIMEOUTS[ours]
            matcher = {"matcher": hooks.MATCHERS[event]} if event in hooks.MATCHERS else {}
            flat = hooks.SHAPE == base.FLAT
            group = {**matcher, **handler} if flat else {**matcher, "hooks": [handler]}
            yield {"event": event, "group": group}
