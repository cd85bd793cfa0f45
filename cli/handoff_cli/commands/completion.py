"""What a shell offers behind an option: names that handoff knows."""

from __future__ import annotations


def runtimes(incomplete: str) -> list[str]:
    from handoff_cli import detect

    return [name for name in detect.RUNTIMES if name.startswith(incomplete)]


def agents(incomplete: str) -> list[str]:
    """Agents that a chat drives, the user's own among them."""
    from handoff_cli.chat import agents as chat
    from handoff_cli.errors import HandoffError

    try:
        names = chat.names()
    except HandoffError:  # a file to mend, of which a completion is not the place to tell
        names = list(chat.KNOWN)
    return [name for name in names if name.startswith(incomplete)]
