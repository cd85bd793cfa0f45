"""`handoff demo`: the whole story in a scratch repository."""

from __future__ import annotations


def demo() -> None:
    """Play a recorded session through the installed hooks, and show what the next agent receives.

    In a scratch repository that is gone afterwards: no account, no network.
    """
    raise NotImplementedError
