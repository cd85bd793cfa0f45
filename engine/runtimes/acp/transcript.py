"""Nothing to read: whatever the agent keeps of a session is its own; the chat tells all."""

from __future__ import annotations

from ..lines import unread as records

KEPT = False
FLUSH_SECONDS = 0.0

__all__ = ["FLUSH_SECONDS", "KEPT", "records"]
