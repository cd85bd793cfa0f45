"""Times as text."""

from __future__ import annotations

import time


def iso(seconds: float | None) -> str | None:
    """Epoch seconds as `2026-11-29T16:04:24Z`; None stays None."""
    if seconds is None or not 0 <= seconds < 4e9:
        return None
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(int(seconds)))


def epoch(text: str) -> float | None:
    """Epoch seconds of what `iso` wrote."""
    import calendar

    try:
        return float(calendar.timegm(time.strptime(text, "%Y-%m-%dT%H:%M:%SZ")))
    except ValueError:
        return None
