"""Which agents speak the Agent Client Protocol (https://agentclientprotocol.com), and how each is
started so that it does."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, NamedTuple

from handoff_cli.errors import HandoffError

# Those of the runtimes themselves, then adapters from npm.
KNOWN = {
    "gemini": ("gemini", "--acp"),
    "opencode": ("opencode", "acp"),
    "copilot": ("copilot", "--acp"),
    "qwen": ("qwen", "--acp"),
    "claude-code": ("claude-agent-acp",),
    "codex": ("codex-acp",),
}
INSTALL = {
    "gemini": "npm install -g @google/gemini-cli",
    "opencode": "npm install -g opencode-ai",
    "copilot": "npm install -g @github/copilot",
    "qwen": "npm install -g @qwen-code/qwen-code",
    "claude-code": "npm install -g @agentclientprotocol/claude-agent-acp",
    "codex": "npm install -g @agentclientprotocol/codex-acp",
}
# Where starting the adapter by itself leads to no login.
LOGIN = {
    "claude-code": "log in with `claude`",
    "codex": "log in with `codex login`",
}
# A guess at the next prompt, after every turn and at the price of a request: we do not show it.
UNUSED = {"claude-code": (("CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION", "false"),)}


class Agent(NamedTuple):
    """How an agent is started."""

    name: str
    command: tuple[str, ...]
    environment: tuple[tuple[str, str], ...] = ()  # besides the user's own
    runtime: str = ""  # whose hooks it runs; without any, the chat reports of it itself


def settings_file() -> Path:
    """Where further agents are configured, by the user alone: no repository may name a program."""
    from platformdirs import user_config_path

    return user_config_path("handoff") / "agents.toml"


def agent(name: str) -> Agent:
    """The agent of that name; one in the user's settings goes before a known one.

    Raises: HandoffError where there is none.
    """
    configured = _configured()
    if name in configured:
        return configured[name]
    if name in KNOWN:
        return Agent(name, KNOWN[name], UNUSED.get(name, ()), runtime=name)
    raise HandoffError(
        f"no agent is called `{name}`",
        f"known are {', '.join(names())}; more go into `{settings_file()}`",
    )


def names() -> list[str]:
    """Whom a chat can be held with."""
    return sorted({*KNOWN, *_configured()})


def _configured() -> dict[str, Agent]:
    """The agents in the user's settings: `[agents.NAME]` with command, arguments, environment and
    the runtime whose hooks it runs."""
    import tomlkit
    from tomlkit.exceptions import ParseError

    file = settings_file()
    try:
        value: dict[str, Any] = tomlkit.parse(file.read_text(encoding="utf-8")).unwrap()
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError, ParseError) as error:
        raise HandoffError(f"`{file}` cannot be read: {error}", "mend it by hand") from None
    found = {}
    for name, one in (value.get("agents") or {}).items():
        try:
            command = (str(one["command"]), *map(str, one.get("arguments", ())))
            variables = tuple((str(k), str(v)) for k, v in one.get("environment", {}).items())
            runtime = str(one.get("runtime", name if name in KNOWN else ""))
        except (KeyError, TypeError, AttributeError) as error:
            raise HandoffError(
                f"`{file}`: agent `{name}` lacks a command or has another shape: {error}",
                'such as: [agents.mine] command = "my-agent", arguments = ["--acp"]',
            ) from None
        found[name] = Agent(name, command, variables, runtime)
    return found


def environment(one: Agent) -> dict[str, str]:
    """The user's own environment, logins and all, with what is configured for the agent."""
    return {**os.environ, **dict(one.environment)}
