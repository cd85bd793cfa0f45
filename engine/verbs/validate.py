"""Check a packet file against this project's schema and its own digest."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

from .. import render, schema, store
from ..errors import HandoffError

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from ..project import Project

SCHEMA = "handoff.schema.json"
_OLDER_FORM = {"task_id", "summary", "next_action"}


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("file", help="a `handoff.json`; `-` reads standard input")
    parser.add_argument("--json", action="store_true", help="print the problems as JSON")


def run(project: Project, options: Namespace) -> int:
    found = problems(_read(options.file), project.json(SCHEMA))
    if options.json:
        print(json.dumps({"valid": not found, "problems": found}, indent=2))
    elif found:
        print("\n".join(found))
    else:
        print("valid", file=sys.stderr)
    return 1 if found else 0


def problems(value: Any, rules: dict[str, Any]) -> list[str]:
    """Everything that is wrong with a packet's value."""
    if isinstance(value, dict) and "schema_version" not in value and set(value) >= _OLDER_FORM:
        return [
            "this is the older form of a packet (an agent workbench's, without `schema_version`)"
        ]
    found = list(schema.problems(value, rules))
    if not found and value["digest"] != render.digest(value):
        found.append("packet.digest: does not match the content: it was changed after it was made")
    return found


def _read(name: str) -> Any:
    data = sys.stdin.buffer.read() if name == "-" else store.read(name)
    if data is None:
        raise HandoffError(f"`{name}` cannot be read", hint="give the path of a `handoff.json`")
    try:
        return json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise HandoffError(f"`{name}` is not valid JSON: {error}") from None
