"""GitHub Copilot CLI: hooks switched off, and what it asks for before project hooks run."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from handoff_cli.checks import jsonfile
from handoff_cli.checks.finding import BROKEN, WARN, Finding, Place


def findings(place: Place) -> Iterator[Finding]:
    home = Path(os.environ.get("COPILOT_HOME") or place.home / ".copilot")
    if jsonfile.read(place.hooks).get("disableAllHooks") is True:
        yield Finding(
            BROKEN, "copilot.hooks-off", f"`{place.hooks}` says `disableAllHooks`", "take that out"
        )
    folders = jsonfile.read(home / "config.json").get("trustedFolders")
    here = place.project.resolve()
    known = [Path(one) for one in folders if isinstance(one, str)] if folders else []
    if not any(here.is_relative_to(one) for one in known):
        yield Finding(
            WARN,
            "copilot.folder",
            "Copilot does not trust this folder yet: with `-p` its hooks do not run",
            "start `copilot` in it and trust it; without a person set "
            "`GITHUB_COPILOT_PROMPT_MODE_REPO_HOOKS=true`",
        )
