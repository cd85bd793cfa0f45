"""Headless runs of the real agents: a prompt, the steps its model plays, and what came of it."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from . import programs, sandbox

PROMPT = "Carry out the script"
UUID_LENGTH = 36
CODEX_CONFIG = f"""\
model = "gpt-5.5"
model_provider = "scripted"

[model_providers.scripted]
name = "scripted"
base_url = "{sandbox.MODEL_URL}/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
supports_websockets = false
request_max_retries = 0
stream_max_retries = 0

[analytics]
enabled = false

[tools.update_plan]
enabled = true
"""
OPENCODE_CONFIG = {
    "model": "scripted/scripted-model",
    "small_model": "scripted/scripted-model",
    "autoupdate": False,
    "share": "disabled",
    "provider": {
        "scripted": {
            "npm": "@ai-sdk/openai-compatible",
            "name": "Scripted",
            "options": {"baseURL": f"{sandbox.MODEL_URL}/v1", "apiKey": "sk-test"},
            "models": {
                "scripted-model": {
                    "name": "Scripted",
                    "tool_call": True,
                    "limit": {"context": 200_000, "output": 8_000},
                }
            },
        }
    },
}


@dataclass(frozen=True)
class AgentRun(sandbox.Finished):
    session_id: str | None
    transcript: Path | None


@dataclass(frozen=True)
class Agent:
    """How one program is started without a person, an account or a network."""

    program: programs.Program
    arguments: Callable[[str, str | None, Sequence[str]], list[str]]  # prompt, session, more
    environment: Mapping[str, str]
    transcripts: str  # a pattern below the home folder
    session_id: Callable[[Path], str]
    prepare: Callable[[Path, Path], None] = lambda home, repo: None
    kill_signal: signal.Signals = signal.SIGTERM

    def kill(self, marker: Path | None, number: signal.Signals | None) -> sandbox.Kill | None:
        if marker is None:
            return None
        return sandbox.Kill(marker, number or self.kill_signal, self.program.native)


@dataclass(frozen=True)
class Started:
    """An agent, called like the function that starts it."""

    agent: Agent = field(repr=False)

    def __call__(
        self,
        repo: Path,
        home: Path,
        steps: Sequence[Mapping[str, Any]],
        *,
        prompt: str = PROMPT,
        resume: str | None = None,
        kill_after: Path | None = None,
        kill_signal: signal.Signals | None = None,
        arguments: Sequence[str] = (),
        env: Mapping[str, str] | None = None,
        timeout_seconds: int = 120,
    ) -> AgentRun:
        """A run in `repo`; with `kill_after`, signalled once that file is there."""
        agent = self.agent
        try:
            sandbox.namespaces()
        except programs.UnavailableError as reason:
            programs.give_up(str(reason))
        program = programs.require(agent.program)
        agent.prepare(home, repo)
        finished = sandbox.run(
            [*program, *agent.arguments(prompt, resume, arguments)],
            cwd=repo,
            home=home,
            prompt=prompt,
            steps=steps,
            env={**agent.environment, **(env or {})},
            kill=agent.kill(kill_after, kill_signal),
            timeout_seconds=timeout_seconds,
        )
        transcript = _newest(home, agent.transcripts)
        session_id = agent.session_id(transcript) if transcript else None
        return AgentRun(**vars(finished), session_id=session_id, transcript=transcript)


def _claude_arguments(prompt: str, resume: str | None, more: Sequence[str]) -> list[str]:
    command = ["-p", prompt, "--dangerously-skip-permissions", "--output-format", "json"]
    return [*command, *(["--resume", resume] if resume else []), *more]


def _codex_arguments(prompt: str, resume: str | None, more: Sequence[str]) -> list[str]:
    bypasses = ["--dangerously-bypass-approvals-and-sandbox", "--dangerously-bypass-hook-trust"]
    return ["exec", *bypasses, *more, *(["resume", resume] if resume else []), prompt]


def _gemini_arguments(prompt: str, resume: str | None, more: Sequence[str]) -> list[str]:
    return ["--yolo", *(["--resume", resume] if resume else []), *more, "-p", prompt]


def _qwen_arguments(prompt: str, resume: str | None, more: Sequence[str]) -> list[str]:
    known = ["--auth-type", "openai", "--yolo"]
    return [*known, *(["--resume", resume] if resume else []), *more, "-p", prompt]


def _copilot_arguments(prompt: str, resume: str | None, more: Sequence[str]) -> list[str]:
    return ["-p", prompt, "--allow-all", *([f"--resume={resume}"] if resume else []), *more]


def _opencode_arguments(prompt: str, resume: str | None, more: Sequence[str]) -> list[str]:
    return ["run", "--auto", *(["-s", resume] if resume else []), *more, prompt]


def _pi_arguments(prompt: str, resume: str | None, more: Sequence[str]) -> list[str]:
    model = ["--provider", "scripted", "--model", "scripted-model"]
    return [*model, *(["--session", resume] if resume else []), *more, "-p", prompt]


def configure_codex(home: Path, repo: Path) -> None:
    """Point Codex at the scripted model and trust the project; what else the file says stays."""
    config = home / ".codex" / "config.toml"
    text = config.read_text(encoding="utf-8") if config.exists() else CODEX_CONFIG
    project = f"[projects.{json.dumps(str(repo.resolve()))}]"
    if project not in text:
        text += f'\n{project}\ntrust_level = "trusted"\n'
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text(text, encoding="utf-8")


def _configure_gemini(home: Path, repo: Path) -> None:
    auth = {"security": {"auth": {"selectedType": "gemini-api-key"}}}
    _configure(home / ".gemini" / "settings.json", auth)


def _configure_opencode(home: Path, repo: Path) -> None:
    _configure(home / ".config" / "opencode" / "opencode.json", OPENCODE_CONFIG)


def _configure_pi(home: Path, repo: Path) -> None:
    model = {"id": "scripted-model", "contextWindow": 200_000, "maxTokens": 8_000}
    api = {"api": "openai-completions", "apiKey": "sk-test", "models": [model]}
    provider = {"baseUrl": f"{sandbox.MODEL_URL}/v1", **api}
    _configure(home / ".pi" / "agent" / "models.json", {"providers": {"scripted": provider}})


def _configure(path: Path, value: dict[str, Any]) -> None:
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(value), encoding="utf-8")


def _first_line(path: Path) -> dict[str, Any]:
    with path.open(encoding="utf-8") as file:
        value: dict[str, Any] = json.loads(file.readline())
    return value


def _newest(home: Path, pattern: str) -> Path | None:
    found = sorted(home.glob(pattern), key=lambda path: path.stat().st_mtime_ns)
    return found[-1] if found else None


CLAUDE = Agent(
    programs.CLAUDE_CODE,
    _claude_arguments,
    {
        "ANTHROPIC_BASE_URL": sandbox.MODEL_URL,
        "ANTHROPIC_API_KEY": "sk-test",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "CLAUDE_CODE_ENABLE_TODO_TOOLS": "1",  # off for the newest models unless asked for
        "DISABLE_AUTOUPDATER": "1",
        "IS_SANDBOX": "1",  # permissions may be skipped by root in here
    },
    ".claude/projects/*/*.jsonl",
    lambda path: path.stem,
    kill_signal=signal.SIGKILL,
)
CODEX = Agent(
    programs.CODEX,
    _codex_arguments,
    {"SCRIPTED_KEY": "sk-test"},
    ".codex/sessions/*/*/*/rollout-*.jsonl",
    lambda path: path.stem[-UUID_LENGTH:],
    configure_codex,
)
GEMINI = Agent(
    programs.GEMINI,
    _gemini_arguments,
    {
        "GEMINI_API_KEY": "sk-test",
        "GOOGLE_GEMINI_BASE_URL": sandbox.MODEL_URL,
        "GEMINI_CLI_TRUST_WORKSPACE": "true",  # project hooks run in trusted folders only
        "NO_COLOR": "1",
    },
    ".gemini/tmp/*/chats/session-*.jsonl",
    lambda path: str(_first_line(path)["sessionId"]),
    _configure_gemini,
)
QWEN = Agent(
    programs.QWEN,
    _qwen_arguments,
    {
        "OPENAI_API_KEY": "sk-test",
        "OPENAI_BASE_URL": f"{sandbox.MODEL_URL}/v1",
        "OPENAI_MODEL": "scripted-model",
        "NO_COLOR": "1",
    },
    ".qwen/projects/*/chats/*.jsonl",
    lambda path: path.stem,
)
COPILOT = Agent(
    programs.COPILOT,
    _copilot_arguments,
    {
        "COPILOT_OFFLINE": "true",
        "COPILOT_AUTO_UPDATE": "false",
        "COPILOT_PROVIDER_BASE_URL": f"{sandbox.MODEL_URL}/v1",
        "COPILOT_PROVIDER_API_KEY": "sk-test",
        "COPILOT_MODEL": "scripted-model",
        "COPILOT_ALLOW_ALL": "true",  # project hooks run in trusted folders only
    },
    ".copilot/session-state/*/events.jsonl",
    lambda path: path.parent.name,
)
OPENCODE = Agent(
    programs.OPENCODE,
    _opencode_arguments,
    {
        "OPENCODE_DISABLE_AUTOUPDATE": "1",
        "OPENCODE_DISABLE_MODELS_FETCH": "1",
        "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
        "npm_config_fetch_retries": "0",  # it wants to fetch its plugin package at every start
    },
    ".local/share/opencode/opencode.db",
    lambda path: "",  # all its sessions are in one database
    _configure_opencode,
)

PI = Agent(
    programs.PI,
    _pi_arguments,
    {"PI_OFFLINE": "1"},
    ".pi/agent/sessions/*/*.jsonl",
    lambda path: path.stem[-UUID_LENGTH:],
    _configure_pi,
)

AGENTS = {
    "claude-code": CLAUDE,
    "codex": CODEX,
    "gemini": GEMINI,
    "qwen": QWEN,
    "copilot": COPILOT,
    "opencode": OPENCODE,
    "pi": PI,
}
RUN: dict[str, Callable[..., AgentRun]] = {name: Started(one) for name, one in AGENTS.items()}
run_claude, run_codex = RUN["claude-code"], RUN["codex"]
PAIRS = [("claude-code", "codex"), ("codex", "claude-code")]
