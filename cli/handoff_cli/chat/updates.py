"""What an agent sends over ACP, as events of a chat."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from handoff_cli.chat.edits import Edit, edit
from handoff_cli.chat.events import Event, Option

MAX_OUTPUT_CHARS = 20_000  # of a tool, shown; all of it is the agent's
MAX_DIFFS = 20  # of one call; edits after those are counted


def events(agent: str, update: Any) -> Iterator[Event]:
    """The events in a session update; none in one that is no business of a reader."""
    kind = update.session_update
    if kind == "agent_message_chunk":
        said = _text(update.content)
        if said:
            yield Event("reply", agent, said)
    elif kind in ("tool_call", "tool_call_update"):
        yield _tool(agent, update)
    elif kind == "plan":
        steps = tuple((entry.content, entry.status) for entry in update.entries)
        yield Event("plan", agent, steps=steps)
    elif kind == "usage_update":
        yield Event("usage", agent, used_tokens=update.used, window_tokens=update.size)


def model(options: Any) -> str | None:
    """The model that an agent's settings of a session name, where they name one."""
    for option in options or ():
        if option.category == "model" and option.type == "select":
            groups = (getattr(one, "options", None) or [one] for one in option.options)
            named = {one.value: one.name for group in groups for one in group}
            return str(named.get(option.current_value, option.current_value))
    return None


def permission(agent: str, number: str, call: Any, options: Any) -> Event:
    """The event in a request for a permission."""
    offered = tuple(Option(one.option_id, one.kind, one.name) for one in options)
    title = call.title or command(call.raw_input) or call.kind or "a tool"
    return Event("permission", agent, title, id=number, options=offered, edits=_edits(call))


def command(given: Any) -> str | None:
    """The shell command in a tool's arguments, where there is one."""
    found = given.get("command") if isinstance(given, dict) else None
    if isinstance(found, list):
        return " ".join(map(str, found))
    return found if isinstance(found, str) else None


def _tool(agent: str, update: Any) -> Event:
    output = "\n".join(filter(None, map(_content, update.content or ())))
    return Event(
        "tool",
        agent,
        command(update.raw_input) or update.title or None,
        id=update.tool_call_id,
        status=update.status,
        exit_code=_exit_code(update.raw_output, update.field_meta),
        output=_shortened(output) if output else None,
        tool="execute" if command(update.raw_input) else update.kind,
        edits=_edits(update),
    )


def _edits(call: Any) -> tuple[Edit, ...]:
    told = [part for part in call.content or () if part.type == "diff"]
    found = [edit(one.path, one.old_text, one.new_text) for one in told]
    return (*found[:MAX_DIFFS], *(one._replace(diff=()) for one in found[MAX_DIFFS:]))


def _exit_code(raw: Any, about: Any) -> int | None:
    """A command's exit code, from the structure in which agents put it: in the result, in what is
    said about it, or in the list of shells of either."""
    given = raw if isinstance(raw, dict) else {}
    meta = about if isinstance(about, dict) else {}
    shells = given.get("contents")
    places = [given, given.get("metadata"), meta.get("terminal_exit")]
    for place in (*places, *(shells if isinstance(shells, list) else ())):
        for key in ("exitCode", "exit_code", "exit"):
            code = place.get(key) if isinstance(place, dict) else None
            if type(code) is int:
                return code
    return None


def _content(part: Any) -> str:
    return _text(part.content) if part.type == "content" else ""


def _text(block: Any) -> str:
    return block.text if getattr(block, "type", "") == "text" else ""


def _shortened(text: str) -> str:
    cut = len(text) - MAX_OUTPUT_CHARS
    return text if cut <= 0 else f"[{cut} characters cut]\n{text[-MAX_OUTPUT_CHARS:]}"
