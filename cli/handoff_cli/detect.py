"""What a repository already has: workbench artifacts, a test command, agents in use."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

# For each artifact, where the agent workbench and its relatives put it.
ARTIFACTS = {
    "state": ("agent_state.json", "outputs/agent_state.json"),
    "board": ("feature_list.json", "task_board.json"),
    "feedback": ("feedback_record.jsonl", "outputs/feedback_record.jsonl", "logs/feedback.jsonl"),
    "verification": ("outputs/verification", "verification_report.json"),
    "review": ("outputs/review", "review_report.json"),
    "scope": ("scope_contract.json",),
    "rules": ("outputs/rule_report.json",),
    "clean_state": ("clean_state.json",),
}
# For each runtime, what shows that it is in use here, and its program.
RUNTIMES = {
    "claude-code": ((".claude", "CLAUDE.md"), "claude"),
    "codex": ((".codex",), "codex"),
    "gemini": ((".gemini", "GEMINI.md"), "gemini"),
    "qwen": ((".qwen", "QWEN.md"), "qwen"),
    "copilot": ((".github/copilot-instructions.md", ".github/hooks"), "copilot"),
    "opencode": ((".opencode", "opencode.json", "opencode.jsonc"), "opencode"),
    "pi": ((".pi",), "pi"),
    "droid": ((".factory",), "droid"),
    "devin": ((".devin",), "devin"),
    "goose": ((".goosehints",), "goose"),
    "cursor": ((".cursor", ".cursorrules"), "agent"),
}


def suggestions(project: Path) -> dict[str, Any]:
    """Answers to the template's questions that this repository suggests."""
    found: dict[str, Any] = {}
    for key, places in ARTIFACTS.items():
        for place in places:
            if (project / place).exists():
                found[f"path_{key}"] = place
                break
    command = _test_command(project)
    if command:
        found["acceptance_commands"] = [command]
    runtimes = _runtimes(project)
    if runtimes:
        found["runtimes"] = runtimes
    return found


def _runtimes(project: Path) -> list[str]:
    """The runtimes that left traces here; without any, those that are installed."""
    traced = [
        name
        for name, (traces, _) in RUNTIMES.items()
        if any((project / trace).exists() for trace in traces)
    ]
    return traced or programs()


def programs() -> list[str]:
    """The runtimes whose program is on the path."""
    return [name for name, (_, program) in RUNTIMES.items() if shutil.which(program)]


def _test_command(project: Path) -> str | None:
    """The command that runs the project's tests, where its files leave no doubt."""
    if re.search(r"^test\s*:", _text(project / "Makefile"), re.MULTILINE):
        return "make test"
    if _python_tests(project):
        return "python3 -m pytest -q"
    script = _mapping(_mapping(_json(project / "package.json")).get("scripts")).get("test")
    if isinstance(script, str) and "no test specified" not in script:
        return "npm test"
    for marker, command in (
        ("Cargo.toml", "cargo test"),
        ("go.mod", "go test ./..."),
        ("mix.exs", "mix test"),
        ("deno.json", "deno test"),
    ):
        if (project / marker).exists():
            return command
    return None


def _python_tests(project: Path) -> bool:
    configured = (
        "[pytest]" in _text(project / "pytest.ini")
        or "[tool.pytest" in _text(project / "pyproject.toml")
        or "[tool:pytest]" in _text(project / "setup.cfg")
        or "pytest" in _text(project / "tox.ini")
    )
    folder = project / "tests"
    return configured or (
        "pytest" in _text(project / "pyproject.toml")
        and folder.is_dir()
        and any(folder.glob("test_*.py"))
    )


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
    except OSError:
        return ""


def _json(path: Path) -> Any:
    try:
        return json.loads(_text(path) or "null")
    except ValueError:
        return None


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
