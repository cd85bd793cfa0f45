"""Where a door may write: nowhere outside the folder it was given, symlinks included."""

from __future__ import annotations

import os

from .errors import HandoffError


def inside(path: str, within: str) -> str:
    """The real path of `path`. Raises: HandoffError where that lies outside `within`."""
    real, root = os.path.realpath(path), os.path.realpath(within)
    if real != root and not real.startswith(root.rstrip(os.sep) + os.sep):
        raise HandoffError(
            f"`{path}` leads out of `{within}`",
            hint="nothing is written there: remove the link",
        )
    return real
