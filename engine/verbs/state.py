"""Note down what the next session has to know: next action, blockers, assumptions, questions."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING, Any

from .. import git, layout, notes, redact, steps
from ..errors import HandoffError
from . import ours, snapshot

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from ..jsontext import Document
    from ..project import Project


def arguments(parser: ArgumentParser) -> None:
    acts = parser.add_subparsers(dest="act", required=True, metavar="ACT")
    show = acts.add_parser("show", help="print what is noted")
    show.add_argument("--json", action="store_true", help="print it as JSON")
    setting = acts.add_parser("set", help="set the next action or the active task")
    setting.add_argument("key", choices=("next_action", "active_task"))
    setting.add_argument("text", help="one concrete step; the id of a task")
    clear = acts.add_parser("clear", help="take the next action or the active task back")
    clear.add_argument("key", choices=("next_action", "active_task"))
    add = acts.add_parser("add", help="note a blocker, an assumption or a question")
    add.add_argument("key", choices=tuple(notes.LISTS))
    add.add_argument("text", help="one line")
    drop = acts.add_parser("drop", help="take a note back")
    drop.add_argument("key", choices=tuple(notes.LISTS))
    drop.add_argument("text", metavar="number-or-text", help="as `state show` numbers it")


def run(project: Project, options: Namespace) -> int:
    path = project.config.artifacts["state"]
    if options.act == "show":
        return _show(project, path, options.json)
    with project.exclusive():
        before = notes.opened(path, existing(project, path))
        after = _changed(project, before, options)
        if after.text == before.text:
            print(f"nothing to change in `{path}`", file=sys.stderr)
            return 0
        save(project, path, after.text)
    print(f"{_told(options)} in `{path}`", file=sys.stderr)
    return 0


def _changed(project: Project, before: Document, options: Namespace) -> Document:
    act, key = options.act, options.key
    if act == "clear":
        if key == "active_task":
            return notes.with_active_task(before, None)
        return notes.without_next_action(before)
    if act == "drop":
        return notes.without_note(before, key, redact.redacted(options.text))
    words = notes.said(key, options.text, steps.MAX_CHARS if act == "set" else notes.MAX_CHARS)
    for remark in words.remarks:
        print(f"{key}: {remark}", file=sys.stderr)
    if act == "add":
        return notes.with_note(before, key, words.text)
    if key == "active_task":
        return notes.with_active_task(before, words.text)
    return notes.with_next_action(before, words.text, project.current_session().id)


def existing(project: Project, path: str) -> bytes | None:
    """The bytes of an artifact, or None where there is none.

    Raises: HandoffError where something is there that cannot be read: it must not be replaced.
    """
    data = project.read(path)
    if data is None and os.path.lexists(project.path(path)):
        raise HandoffError(f"`{path}` cannot be read", hint="look at what it is; it was left alone")
    return data


def save(project: Project, path: str, text: str) -> bool:
    """Write an artifact that the project may have in git; whether anything changed.

    A file that nobody else had changed is no uncommitted work because we write to it: how we left
    it is remembered.
    """
    if path.startswith(f"{layout.STATE_FOLDER}/"):
        layout.hide(project.root)
    at = git.place(project.root)
    unchanged = at is not None and not ours.is_dirty(project, at, path)
    changed = project.write(path, text.encode("utf-8"))
    if unchanged:
        ours.remember(project, path)
    return changed


def _told(options: Namespace) -> str:
    done = {"set": "set", "clear": "cleared", "add": "noted", "drop": "dropped"}
    return f"{options.key} {done[options.act]}"


def _show(project: Project, path: str, as_json: bool) -> int:
    data = existing(project, path)
    value = notes.opened(path, data).value
    shown: dict[str, Any] = {
        "path": path,
        "active_task": value.get("active_task_id"),
        "next_action": value.get("next_action") or None,
        "set_in_this_session": bool(value.get("next_action"))
        and snapshot.is_new(project, project.current_session(), value),
        **{key: value.get(key, []) for key in (*notes.LISTS.values(), "touched_files")},
    }
    print(json.dumps(shown, indent=2) if as_json else "\n".join(_lines(shown)))
    return 0


def _lines(shown: dict[str, Any]) -> list[str]:
    older = "" if shown["set_in_this_session"] else " (set before this session)"
    action = f"{shown['next_action']}{older}" if shown["next_action"] else "not set"
    lines = [f"next action: {action}", f"active task: {shown['active_task'] or 'none'}"]
    for key in notes.LISTS.values():
        lines.append(f"{key}: {len(shown[key]) or 'none'}")
        lines += [f"  {number}. {note}" for number, note in enumerate(shown[key], 1)]
    return lines
