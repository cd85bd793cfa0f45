"""Goose keeps its sessions in a database, whose shape was not seen here."""

from __future__ import annotations

from ..lines import unread as records

KEPT = False

__all__ = ["KEPT", "records"]
