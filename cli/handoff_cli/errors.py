"""The one error that reaches a person."""

from __future__ import annotations


class HandoffError(Exception):
    """What happened, and in `hint` what to do about it."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint
