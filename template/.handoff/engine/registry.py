"""The runtimes, by name. Imported one module at a time: a hook pays only for what it uses."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, cast

from .errors import HandoffError

if TYPE_CHECKING:
    from .runtimes import base

RUNTIMES = {
    "claude-code": "claude_code",
    "codex": "codex",
}


def hooks(runtime: str) -> base.Hooks:
    return cast("base.Hooks", _module(runtime, "hooks"))


def transcript(runtime: str) -> base.Transcript:
    return cast("base.Transcript", _module(runtime, "transcript"))


def launch(runtime: str) -> base.Launch:
    return cast("base.Launch", _module(runtime, "launch"))


def _module(runtime: str, name: str) -> object:
    if runtime not in RUNTIMES:
        raise HandoffError(
            f"no runtime is called `{runtime}`", hint=f"use one of: {', '.join(RUNTIMES)}"
        )
    return import_module(f".runtimes.{RUNTIMES[runtime]}.{name}", __package__)
