"""Copies of other people's settings files, from before our first change to them."""

from __future__ import annotations

import datetime
import re
from pathlib import Path

from handoff_cli import settings_files, state

FOLDER = "backups"


def keep(path: Path, data: bytes, name: str, project: Path | None) -> Path | None:
    """Write a dated copy; where it lies, or None where this very content is kept already.

    A project's copies lie in its state folder, which git ignores; those of files in the user's home
    in the platform's state folder.
    """
    folder = state.file(project, FOLDER) if project else _of_the_user()
    plain = re.sub(r"[^A-Za-z0-9.]+", "-", name).strip("-.")
    for there in folder.glob(f"*-{plain}") if folder.is_dir() else ():
        if settings_files.read(there) == data:
            return None
    today = datetime.datetime.now(tz=datetime.timezone.utc).strftime("%Y-%m-%dT%H%M%SZ")
    copy = folder / f"{today}-{plain}"
    settings_files.write(copy, data)
    copy.chmod(path.stat().st_mode & 0o7777)
    return copy


def _of_the_user() -> Path:
    import platformdirs

    return platformdirs.user_state_path("handoff") / "backups"
