"""One HTML page of a timeline, complete in itself. Values in, text out.

Nothing in a timeline is trusted: Jinja escapes all of it, and the page's own policy lets the
browser run and load only what is in the package.
"""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from collections.abc import Callable
from datetime import datetime, tzinfo
from functools import cache
from importlib.resources import files
from typing import Any

import jinja2
from markupsafe import Markup

from handoff_cli.pages import plot, prose, turns
from handoff_cli.pages.timeline import Timeline

MARK = '<meta name="generator" content="handoff view">'  # a file with it is ours to replace
HUES = 8  # colours and signs; the ninth agent takes the first again, and has its name as always
_LONG_LINES, _LONG_CHARS = 28, 2400  # words beyond are folded
_SHORT_COMMAND_CHARS = 90
_NAME_CHARS = 32  # as much of a name as stands on a phone's line
_SIZES = (6, 16, 40, 100)  # lines; a browser guesses by these how high a turn will be


def html(timeline: Timeline, zone: tzinfo | None = None, version: str | None = None) -> str:
    """The page, with times in `zone` (default: this machine's). With a `version` it asks the server
    that it came from for a newer one."""
    agents = turns.agents(timeline)
    rows = turns.rows(timeline.entries)
    told = turns.turns(timeline, rows)
    made = turns.milestones(timeline, told)
    count = Counter(row.kind for row in rows)
    count["packet"] = len(made)
    environment = _environment()
    environment.filters |= _times(zone)
    return environment.get_template("page.html.jinja").render(
        timeline=timeline,
        agents=[_short(name) for name in agents],
        names={name: slot for slot, name in enumerate(agents)},
        flow=turns.flow(told, made),
        made=made,
        plot=plot.plot(made),
        frame=plot,
        count=count,
        kinds=turns.KINDS,
        turns=len(told),
        fixed=sum(1 for row in rows if row.fixed_by),
        changed=_changed(made),
        version=version,
        policy=policy(live=version is not None),
        css=Markup(_file("page.css")),
        scripts=[Markup(_file(name)) for name in _scripts(version is not None)],
        mark=Markup(MARK),
        hues=HUES,
    )


def policy(*, live: bool) -> str:
    """What the browser may do on the page: its own style, its own script, and nothing else."""
    return "; ".join(
        [
            "default-src 'none'",
            f"script-src {' '.join(map(_digest, _scripts(live)))}",
            f"style-src {_digest('page.css')}",
            "img-src data:",  # its icon
            *(["connect-src 'self'"] if live else []),
            "base-uri 'none'",
            "form-action 'none'",
            "require-trusted-types-for 'script'",
            "trusted-types 'none'",
        ]
    )


def _scripts(live: bool) -> list[str]:
    return ["page.js", *(["live.js"] if live else [])]


def _digest(name: str) -> str:
    digest = hashlib.sha256(_file(name).encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


@cache
def _file(name: str) -> str:
    return files("handoff_cli.pages").joinpath(name).read_text(encoding="utf-8")


def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(_file),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "segments": prose.segments,
        "is_long": lambda text: len(text) > _LONG_CHARS or text.count("\n") > _LONG_LINES,
        "is_short": lambda text: len(text) <= _SHORT_COMMAND_CHARS and "\n" not in text,
        "first_line": lambda text: text.partition("\n")[0],
        "size": lambda lines: sum(lines > limit for limit in _SIZES),
        "many": _many,
    }
    return environment


def _short(name: str) -> str:
    return name if len(name) <= _NAME_CHARS else f"{name[:_NAME_CHARS]}…"


def _many(number: int, one: str, more: str = "") -> str:
    return f"{number:,} {one if number == 1 else more or one + 's'}"


def _times(zone: tzinfo | None) -> dict[str, Callable[[datetime], str]]:
    def day(at: datetime) -> str:
        here = at.astimezone(zone)
        return f"{here:%A}, {here.day} {here:%B %Y}"

    def stamp(at: datetime) -> str:
        here = at.astimezone(zone)
        return f"{here.day} {here:%b %Y, %H:%M}"

    return {
        "day": day,
        "stamp": stamp,
        "clock": lambda at: f"{at.astimezone(zone):%H:%M}",
        "zone": lambda at: at.astimezone(zone).isoformat()[-6:].replace("+00:00", "UTC"),
    }


def _changed(made: list[turns.Milestone]) -> dict[str, list[tuple[turns.Milestone, str]]]:
    """The changed files by path, each with the packets that tell of it."""
    found: dict[str, list[tuple[turns.Milestone, Any]]] = {}
    for one in made:
        for path, change in one.packet.changed_files:
            found.setdefault(path, []).append((one, change))
    return dict(sorted(found.items()))
