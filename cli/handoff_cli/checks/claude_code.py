"""Claude Code: hooks switched off, and sessions started below the root."""

from __future__ import annotations

import re
from collections.abc import Iterator

from handoff_cli.checks import jsonfile
from handoff_cli.checks.finding import BROKEN, WARN, Finding, Place


def findings(place: Place) -> Iterator[Finding]:
    claude = place.project / ".claude"
    for path in (
        claude / "settings.json",
        claude / "settings.local.json",
        place.home / ".claude" / "settings.json",
    ):
        if jsonfile.read(path).get("disableAllHooks") is True:
            yield Finding(
                BROKEN, "claude.hooks-off", f"`{path}` says `disableAllHooks`", "take that out"
            )
    slug = re.sub(r"[^A-Za-z0-9]", "-", str(place.project.resolve()))
    below = sorted((place.home / ".claude" / "projects").glob(f"{slug}-*"))
    inside = [one.name for one in below if _folder(place, one.name[len(slug) + 1 :])]
    if inside:
        yield Finding(
            WARN,
            "claude.below-root",
            f"Claude Code was started below the repository's root, such as in `{inside[0]}`: there "
            "it does not read the project's settings",
            "start it at the root, or install for yourself: `handoff hooks install --scope user`",
        )


def _folder(place: Place, name: str) -> bool:
    """Whether the project has a folder that Claude Code would file under this name."""
    folders = [path for path in place.project.glob("*/**/") if ".git" not in path.parts]
    names = (str(path.relative_to(place.project)) for path in folders[:5_000])
    return any(re.sub(r"[^A-Za-z0-9]", "-", one) == name for one in names)
