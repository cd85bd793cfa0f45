"""What a transcript says, whichever runtime wrote it: the values its reader yields, in order."""

from __future__ import annotations

from typing import NamedTuple, Union

BACKGROUND = "background"  # the note of a call that goes on while the agent does other things


class Prompt(NamedTuple):
    """The human's words; never a wrapper, a reminder or injected text."""

    text: str
    at: float | None  # epoch seconds


class Reply(NamedTuple):
    """What the agent said to the human."""

    text: str
    at: float | None


class Call(NamedTuple):
    """A shell command the agent asked for."""

    id: str
    command: str
    at: float | None
    note: str | None = None  # "subagent" where another agent of the session asked, or BACKGROUND


class Use(NamedTuple):
    """A tool other than the shell that the agent called."""

    id: str
    tool: str
    subject: str  # a path, a query, a question: what it was called for
    at: float | None
    note: str | None = None  # as of a call


class Result(NamedTuple):
    """The end of a call or use. `exit_code` comes from structure; None where there is none."""

    id: str
    exit_code: int | None
    stdout: str
    stderr: str
    at: float | None
    error: str | None = None
    succeeded: bool | None = None  # of a use, which has no exit code
    running: bool = False  # it was sent to the background, and another result is to come


class Interrupted(NamedTuple):
    """A person stopped what the agent did: of what was running there is no other end."""

    at: float | None


class Step(NamedTuple):
    """One entry of the agent's own to-do list."""

    key: str
    text: str
    status: str  # open, in_progress or done


class Plan(NamedTuple):
    """The whole to-do list, replacing any earlier one."""

    steps: tuple[Step, ...]


class PlanChange(NamedTuple):
    """One step added or changed; an empty `text` or `status` keeps what was there, and the status
    `deleted` takes the step away."""

    step: Step


class Usage(NamedTuple):
    """How full the context is; the window as the runtime tells it, or as its model is known."""

    used_tokens: int
    window_tokens: int | None
    model: str | None = None


class Skipped(NamedTuple):
    """A line that could not be used."""

    reason: str


Record = Union[Prompt, Reply, Call, Use, Result, Interrupted, Plan, PlanChange, Usage, Skipped]
