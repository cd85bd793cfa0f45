"""OpenCode keeps its sessions in a database, and our plugin tells everything while it happens."""

from __future__ import annotations

from ..lines import unread as records

KEPT = False

__all__ = ["KEPT", "records"]
