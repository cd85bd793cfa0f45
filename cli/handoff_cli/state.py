"""Files of our own in a project's state folder: nothing is written there through a link that came
with the repository."""

from __future__ import annotations

from pathlib import Path

from handoff_cli.errors import HandoffError

FOLDER = ".handoff/state"
IGNORE = b"*\n"  # the `.gitignore` with which a folder of ours hides itself


def file(project: Path, name: str) -> Path:
    """Where a file of ours lies; its folder is there, and hidden from git.

    Raises: HandoffError where a link leads elsewhere.
    """
    folder = project / FOLDER
    for place in (folder, folder / name, folder / ".gitignore"):
        linked = place != folder and place.is_symlink()
        if linked or not place.resolve().is_relative_to(project.resolve()):
            raise HandoffError(
                f"`{place}` is a link to `{place.resolve()}`", "remove it; nothing was written"
            )
    folder.mkdir(parents=True, exist_ok=True)
    ignored = folder / ".gitignore"
    if not ignored.exists():
        ignored.write_bytes(IGNORE)
    return folder / name
