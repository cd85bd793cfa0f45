"""Tell which hook entries belong into which settings file."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from .. import hookplan, registry
from ..runtimes import base

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from ..project import Project


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--runtime", action="append", metavar="NAME", help="only this one")
    parser.add_argument(
        "--scope", default="project", choices=("project", "local", "user"), help="whose settings"
    )
    parser.add_argument("--json", action="store_true", help="print it as JSON (the only form)")


def run(project: Project, options: Namespace) -> int:
    plans: list[dict[str, object]] = []
    others = []
    for runtime in options.runtime or project.config.runtimes:
        hooks = registry.hooks(runtime)
        if options.scope not in hooks.SETTINGS:
            others.append(runtime)
            continue
        plan = {"runtime": runtime, "settings": hooks.SETTINGS[options.scope]}
        if hooks.SHAPE == base.PLUGIN:
            plans.append({**plan, "file": registry.plugin(runtime).TEXT})
            continue
        entries = list(hookplan.entries(runtime, hooks))
        reader = {
            "comments": hooks.COMMENTS,
            "fresh": dict(hooks.FRESH),
            "under": list(hooks.UNDER),
        }
        plans.append({**plan, **reader, "entries": entries})
    value = {"mark": hookplan.MARK, "plans": plans, "without_scope": others}
    print(json.dumps(value, indent=2))
    return 0
