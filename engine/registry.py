"""The runtimes, by name. Imported one module at a time: a hook pays only for what it uses."""

from __future__ import annotations

from importlib import import_module

from .errors import HandoffError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .runtimes import protocol

RUNTIMES = {
    "claude-code": "claude_code",
    "codex": "codex",
    "gemini": "gemini",
    "qwen": "qwen",
    "copilot": "copilot",
    "opencode": "opencode",
    "pi": "pi",
    "droid": "droid",
    "devin": "devin",
    "goose": "goose",
    "cursor": "cursor",
}
CHATTED = "acp:"  # and a name: an agent that has no hooks, of which `handoff chat` reports instead


def hooks(runtime: str) -> protocol.Hooks:
    module: protocol.Hooks = _module(runtime, "hooks")
    return module


def transcript(runtime: str) -> protocol.Transcript:
    module: protocol.Transcript = _module(runtime, "transcript")
    return module


def plugin(runtime: str) -> protocol.Plugin:
    module: protocol.Plugin = _module(runtime, "plugin")
    return module


def database(runtime: str) -> protocol.Database:
    module: protocol.Database = _module(runtime, "database")
    return module


def launch(runtime: str) -> protocol.Launch:
    module = _module(runtime, "launch")
    found: protocol.Launch = module
    if is_chatted(runtime):
        found = module.Launch(runtime[len(CHATTED) :])
    return found


def is_chatted(runtime: str) -> bool:
    return runtime.startswith(CHATTED) and len(runtime) > len(CHATTED)


def _module(runtime: str, name: str) -> Any:
    if is_chatted(runtime):
        return import_module(f".runtimes.acp.{name}", __package__)
    if runtime not in RUNTIMES:
        raise HandoffError(
            f"no runtime is called `{runtime}`", hint=f"use one of: {', '.join(RUNTIMES)}"
        )
    return import_module(f".runtimes.{RUNTIMES[runtime]}.{name}", __package__)
