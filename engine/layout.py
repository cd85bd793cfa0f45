"""The few places that every event needs, found without reading the whole configuration."""

from __future__ import annotations

import json
import os

from . import logs
from .errors import HandoffError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

CONFIG = ".handoff/config.json"
STATE_FOLDER = ".handoff/state"
MAX_LOG_BYTES = 256_000
MAX_FEEDBACK_BYTES = 1_000_000


def not_secrets(root: str) -> tuple[str, ...]:
    """The texts that the project says are no secrets; none where it does not say it well."""
    try:
        given = _configuration(root)["not_secrets"]
        return tuple(given) if all(isinstance(text, str) for text in given) else ()
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return ()


def _configuration(root: str) -> Any:
    with open(os.path.join(root, CONFIG), encoding="utf-8-sig") as file:
        return json.load(file)


def feedback_log(root: str) -> str:
    """The path of the project's feedback log. Raises: HandoffError where none is configured."""
    try:
        return os.path.join(root, _configuration(root)["artifacts"]["feedback"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise HandoffError(
            f"`{CONFIG}` does not tell the path of the feedback log: {error!r}",
            hint="restore it from git, or run `handoff init` again",
        ) from None


def session(session_id: str) -> str:
    """Where a session's record lies, from the root; `session_id` as `names.folder` gives it."""
    return f"{STATE_FOLDER}/sessions/{session_id}.json"


def append_feedback(root: str, lines: bytes) -> None:
    """Add entries to the feedback log; the state folder hides itself from git."""
    if lines:
        hide(root)
        logs.append(feedback_log(root), lines, root, MAX_FEEDBACK_BYTES)


def log(root: str, text: str) -> None:
    """One entry in `hook.log`, which starts anew when it has grown."""
    name = os.path.join(root, STATE_FOLDER, "hook.log")
    hide(root)
    if os.path.exists(name) and os.path.getsize(name) > MAX_LOG_BYTES:
        os.replace(name, f"{name}.1")
    logs.append(name, text.encode("utf-8", "replace") + b"\n", root)


def hide(root: str) -> None:
    """Make git ignore the state folder from the inside."""
    name = os.path.join(root, STATE_FOLDER, ".gitignore")
    if not os.path.exists(name):
        logs.append(name, b"*\n", root)
