"""One headless run of a real agent: a prompt, the steps its model plays, and what came of it."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import programs, sandbox

PROMPT = "Carry out the script"
UUID_LENGTH = 36

CLAUDE_ENVIRONMENT = {
    "ANTHROPIC_BASE_URL": sandbox.MODEL_URL,
    "ANTHROPIC_API_KEY": "sk-test",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "CLAUDE_CODE_ENABLE_TODO_TOOLS": "1",  # off for the newest models unless asked for
    "DISABLE_AUTOUPDATER": "1",
    "IS_SANDBOX": "1",  # permissions may be skipped by root in here
}
CODEX_ENVIRONMENT = {"SCRIPTED_KEY": "sk-test"}
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


@dataclass(frozen=True)
class AgentRun(sandbox.Finished):
    session_id: str | None
    transcript: Path | None


def run_claude(
    repo: Path,
    home: Path,
    steps: Sequence[Mapping[str, Any]],
    *,
    prompt: str = PROMPT,
    resume: str | None = None,
    kill_after: Path | None = None,
    kill_signal: signal.Signals = signal.SIGKILL,
    arguments: Sequence[str] = (),
    env: Mapping[str, str] | None = None,
    timeout_seconds: int = 120,
) -> AgentRun:
    """A run of Claude Code in `repo`; with `kill_after`, signalled once that file is there."""
    claude = _require(programs.CLAUDE_CODE)
    command: list[str | Path] = [
        claude,
        "-p",
        prompt,
        "--dangerously-skip-permissions",
        "--output-format",
        "json",
    ]
    if resume is not None:
        command += ["--resume", resume]
    finished = sandbox.run(
        [*command, *arguments],
        cwd=repo,
        home=home,
        prompt=prompt,
        steps=steps,
        env=CLAUDE_ENVIRONMENT | dict(env or {}),
        kill=_kill(kill_after, kill_signal, programs.CLAUDE_CODE),
        timeout_seconds=timeout_seconds,
    )
    transcript = _newest(home / ".claude" / "projects", "*/*.jsonl")
    session_id = transcript.stem if transcript else None
    return AgentRun(**vars(finished), session_id=session_id, transcript=transcript)


def run_codex(
    repo: Path,
    home: Path,
    steps: Sequence[Mapping[str, Any]],
    *,
    prompt: str = PROMPT,
    resume: str | None = None,
    kill_after: Path | None = None,
    kill_signal: signal.Signals = signal.SIGTERM,
    arguments: Sequence[str] = (),
    env: Mapping[str, str] | None = None,
    timeout_seconds: int = 120,
) -> AgentRun:
    """A run of Codex in `repo`; with `kill_after`, signalled once that file is there."""
    codex = _require(programs.CODEX)
    configure_codex(home, repo)
    bypasses = ["--dangerously-bypass-approvals-and-sandbox", "--dangerously-bypass-hook-trust"]
    command: list[str | Path] = [codex, "exec", *bypasses, *arguments]
    if resume is not None:
        command += ["resume", resume]
    finished = sandbox.run(
        [*command, prompt],
        cwd=repo,
        home=home,
        prompt=prompt,
        steps=steps,
        env=CODEX_ENVIRONMENT | dict(env or {}),
        kill=_kill(kill_after, kill_signal, programs.CODEX),
        timeout_seconds=timeout_seconds,
    )
    transcript = _newest(home / ".codex" / "sessions", "*/*/*/rollout-*.jsonl")
    session_id = transcript.stem[-UUID_LENGTH:] if transcript else None
    return AgentRun(**vars(finished), session_id=session_id, transcript=transcript)


def configure_codex(home: Path, repo: Path) -> None:
    """Point Codex at the scripted model and trust the project; what else the file says stays."""
    config = home / ".codex" / "config.toml"
    text = config.read_text(encoding="utf-8") if config.exists() else CODEX_CONFIG
    project = f"[projects.{json.dumps(str(repo.resolve()))}]"
    if project not in text:
        text += f'\n{project}\ntrust_level = "trusted"\n'
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text(text, encoding="utf-8")


def _require(program: programs.Program) -> Path:
    try:
        sandbox.namespaces()
    except programs.UnavailableError as reason:
        programs.give_up(str(reason))
    return programs.require(program)


def _kill(
    marker: Path | None, kill_signal: signal.Signals, program: programs.Program
) -> sandbox.Kill | None:
    return None if marker is None else sandbox.Kill(marker, kill_signal, program.native)


def _newest(folder: Path, pattern: str) -> Path | None:
    found = sorted(folder.glob(pattern), key=lambda path: path.stat().st_mtime_ns)
    return found[-1] if found else None


RUN: dict[str, Callable[..., AgentRun]] = {"claude-code": run_claude, "codex": run_codex}
PAIRS = [("claude-code", "codex"), ("codex", "claude-code")]
