"""Droid's session files are named in its documentation, but their lines are not."""

from __future__ import annotations

from ..lines import unread as records

KEPT = False
FLUSH_SECONDS = 0.0

__all__ = ["FLUSH_SECONDS", "KEPT", "records"]
