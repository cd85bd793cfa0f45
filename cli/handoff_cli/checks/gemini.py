"""Gemini CLI: hooks switched off, and a folder that is not trusted."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from handoff_cli.checks import jsonfile
from handoff_cli.checks.finding import BROKEN, Finding, Place


def findings(place: Place) -> Iterator[Finding]:
    theirs = place.home / ".gemini" / "settings.json"
    for path in (place.project / ".gemini" / "settings.json", theirs):
        config = jsonfile.inner(jsonfile.read(path), "hooksConfig") or {}
        if config.get("enabled") is False:
            yield Finding(
                BROKEN,
                "gemini.hooks-off",
                f"`{path}` says `hooksConfig.enabled: false`",
                "set it to true",
            )
        if jsonfile.inner(jsonfile.read(path), "tools", "enableHooks") is False:
            yield Finding(
                BROKEN,
                "gemini.hooks-off",
                f"`{path}` says `tools.enableHooks: false`",
                "set it to true",
            )
        if "handoff" in (config.get("disabled") or []):
            yield Finding(
                BROKEN,
                "gemini.hook-off",
                f"`{path}` has `handoff` among its `hooksConfig.disabled`",
                "take it out, or type `/hooks enable handoff`",
            )
    wanted = jsonfile.inner(jsonfile.read(theirs), "security", "folderTrust", "enabled")
    if wanted is not False and not _is_trusted(place):
        yield Finding(
            BROKEN,
            "gemini.folder",
            "Gemini does not trust this folder: its hooks do not run",
            "start `gemini` in it and trust it; without a person set "
            "`GEMINI_CLI_TRUST_WORKSPACE=true`",
        )


def _is_trusted(place: Place) -> bool:
    folder = place.project.resolve()
    for name, level in jsonfile.read(place.home / ".gemini" / "trustedFolders.json").items():
        rule = Path(name).parent if level == "TRUST_PARENT" else Path(name)
        if level in ("TRUST_FOLDER", "TRUST_PARENT") and folder.is_relative_to(rule):
            return True
    return False
