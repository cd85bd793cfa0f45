"""What an agent notes down for the next session: changes to `agent_state.json`, as values."""

from __future__ import annotations

import re
import unicodedata
from typing import Any, NamedTuple

from . import jsontext, steps, workbench
from .errors import HandoffError
from .jsontext import Document
from .redact import redact

SCHEMA_VERSION = 1
MAX_CHARS = 1_000
LISTS = {"blocker": "blockers", "assumption": "assumptions", "question": "questions"}
SESSION = workbench.NEXT_ACTION_SESSION
_EMPTY: dict[str, Any] = {
    "schema_version": SCHEMA_VERSION,
    "active_task_id": None,
    "touched_files": [],
    "assumptions": [],
    "blockers": [],
    "questions": [],
    "next_action": "",
    SESSION: "",
}
_PLACEHOLDER = re.compile(
    r"(?:to ?do|tbd|tba|fixme|xxx|n/?a|none|null|nothing|placeholder|text|next action|next step"
    r"|[\W_]*|<[^<>]*>|\[[^\[\]]*\]|\{[^{}]*\})",
    re.IGNORECASE,
)


class Said(NamedTuple):
    """Words for a note, as they may be written."""

    text: str
    remarks: tuple[str, ...]  # what was changed about them


def said(what: str, words: str, max_chars: int = MAX_CHARS) -> Said:
    """`words` on one line, without secrets and without what nobody can see.

    Raises: HandoffError where they are empty, several lines, too long or a placeholder.
    """
    seen = "".join(c for c in words.strip() if c in "\n\r\t" or unicodedata.category(c)[0] != "C")
    lines = [line for line in seen.splitlines() if line.strip()]
    if len(lines) > 1:
        raise HandoffError(f"{what} has {len(lines)} lines", hint="say it in one line")
    text = " ".join(seen.split())
    if not text:
        raise HandoffError(f"{what} is empty", hint="say what it is, in one line")
    if _PLACEHOLDER.fullmatch(text.rstrip(".!?:… ")):
        raise HandoffError(f"{what} {text!r} is a placeholder", hint="say what it really is")
    text, hits = redact(text)
    if len(text) > max_chars:
        raise HandoffError(
            f"{what} has {len(text)} characters", hint=f"say it in {max_chars} or fewer"
        )
    remarks = [f"{steps.counted(hits, 'secret')} replaced by a marker"] if hits else []
    if seen != words.strip():
        remarks.append("characters that nobody can see were left out")
    return Said(text, tuple(remarks))


def command(what: str, words: str) -> str:
    """A command as it was typed, secrets left out. Raises: HandoffError where it is no one line."""
    text = words.strip()
    if not text or not text.isprintable():
        raise HandoffError(f"{what} is not one printable line", hint="give one command")
    return redact(text)[0]


def opened(path: str, data: bytes | None) -> Document:
    """The state file, or a new one where there is none.

    Raises: HandoffError naming the key that is not what it has to be.
    """
    document = jsontext.parse(path, data) if data is not None else jsontext.fresh(path, _EMPTY)
    reader = workbench.Reader(path)
    workbench.agent_state(reader, document.value, current=False)
    value = document.value if isinstance(document.value, dict) else {}
    version = value.get("schema_version", SCHEMA_VERSION)
    if type(version) is not int or version != SCHEMA_VERSION:
        reader.wrong("schema_version", str(SCHEMA_VERSION))
    reader.texts(value, "touched_files")
    reader.text(value, SESSION)
    if reader.problems:
        told = "; ".join(problem.detail for problem in reader.problems)
        raise HandoffError(told, hint=jsontext.UNTOUCHED)
    return document


def with_next_action(document: Document, text: str, session_id: str) -> Document:
    """With the next action, and the session that it was set in."""
    document = _with(document, "next_action", text)
    return _with(document, SESSION, session_id)


def without_next_action(document: Document) -> Document:
    for key in ("next_action", SESSION):
        if document.value.get(key):
            document = _with(document, key, "")
    return document


def with_active_task(document: Document, task: str | None) -> Document:
    return _with(document, "active_task_id", task)


def with_note(document: Document, kind: str, text: str) -> Document:
    """With one more blocker, assumption or question, unless it is there already."""
    key = LISTS[kind]
    there = document.value.get(key)
    if there is None:
        return jsontext.replaced(document, (key,), [text])
    return document if text in there else jsontext.appended(document, (key,), text)


def without_note(document: Document, kind: str, wanted: str) -> Document:
    """Without the note of these words or, where none has them, of this number.

    Raises: HandoffError for a number that there is not.
    """
    there = document.value.get(LISTS[kind], [])
    words = " ".join(wanted.split())
    places = [place for place, note in enumerate(there) if " ".join(note.split()) == words]
    if not places and words.isdecimal():
        if not 1 <= int(words) <= len(there):
            number = steps.counted(len(there), kind)
            raise HandoffError(
                f"there is no {kind} {words}: {number} noted", hint="see `handoff state show`"
            )
        places = [int(words) - 1]
    return jsontext.removed(document, (LISTS[kind],), places[0]) if places else document


def _with(document: Document, key: str, new: str | None) -> Document:
    if key in document.value and document.value[key] == new:
        return document
    return jsontext.replaced(document, (key,), new)
