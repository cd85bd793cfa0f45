"""Devin's session file is written when it ends, in a shape that was not seen here."""

from __future__ import annotations

from ..lines import unread as records

KEPT = False

__all__ = ["KEPT", "records"]
