"""The one error type that reaches a person."""


class HandoffError(Exception):
    """What happened, and in `hint` what to do about it."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint
