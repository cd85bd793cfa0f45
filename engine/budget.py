"""How full the agent's context window is, and what it is told about it."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .config import Config
    from .session import Session

_SOON_BYTES = 2_000  # until the next look, where the model did not answer yet
_LATER_BYTES = 100_000  # and where its window is unknown
_CLOSE = "`python3 .handoff/engine close`"


def window_tokens(session: Session, config: Config) -> int | None:
    """The window that the project has for the session's model, else the known one."""
    for pattern, tokens in config.context_windows.items():
        if fnmatchcase(session.model or "", pattern):
            return tokens
    return session.window_tokens


def percent(session: Session, config: Config) -> int | None:
    used, window = session.used_tokens, window_tokens(session, config)
    return 100 * used // window if used is not None and window else None


def looked_at(session: Session, config: Config, size: int) -> tuple[Session, str]:
    """The session after a look at its context use, and what the agent is to be told, if anything.

    `size` is the transcript's, in bytes. No token takes less than a byte of it, so the next limit
    cannot be reached before it has grown by the tokens that are left; until then no command looks.
    Where there is no transcript it is the tokens used.
    """
    share, window = percent(session, config), window_tokens(session, config)
    if share is None or window is None:
        later = _SOON_BYTES if session.used_tokens is None else _LATER_BYTES
        return session._replace(look_at_bytes=size + later), ""
    limits = (config.notice_percent, config.wrap_up_percent)
    reached = max((limit for limit in limits if limit <= share), default=0)
    if not reached:  # it was emptied, whether or not anybody said so
        session = session._replace(told_percent=0)
    beyond = [limit for limit in limits if limit > max(share, session.told_percent)]
    left = window * min(beyond, default=100 + limits[-1]) // 100 - (session.used_tokens or 0)
    new = reached if reached > session.told_percent else 0
    session = session._replace(
        told_percent=max(reached, session.told_percent), look_at_bytes=size + max(left, 0)
    )
    return session, _words(share, firmly=new == config.wrap_up_percent) if new else ""


def reason_to_hold(session: Session, config: Config) -> str:
    """Why the turn may not end yet, where the project's policy wants that; else nothing."""
    share = percent(session, config)
    if config.stop_gate == "off" or session.held or session.closed:
        return ""
    if share is None or share < config.wrap_up_percent:
        return ""
    return (
        f"handoff: {share} % of the context window is used and the session is not closed. Run "
        f"{_CLOSE}, mend what it names, and end the turn then."
    )


def _words(share: int, firmly: bool) -> str:
    if not firmly:
        return (
            f"handoff: {share} % of the context window is used; keep the next step on record with "
            "`python3 .handoff/engine state set next_action '…'`, so that another session can go "
            "on from here."
        )
    return (
        f"handoff: {share} % of the context window is used. Wrap up now: finish or set aside the "
        f"step at hand, start nothing new, commit, then run {_CLOSE} and mend what it names."
    )
