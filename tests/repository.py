"""A real repository on disk: git with a fixed person and date, hooks as they are installed."""

from __future__ import annotations

import atexit
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests import opencode

SETTINGS = {
    "claude-code": ".claude/settings.json",
    "codex": ".codex/hooks.json",
    "gemini": ".gemini/settings.json",
    "qwen": ".qwen/settings.json",
    "copilot": ".github/hooks/handoff.json",
    "opencode": ".opencode/plugins/handoff.js",
    "pi": ".pi/extensions/handoff.ts",
}
RECORDED = Path(__file__).parent / "data" / "recorded"
RENDERINGS = tempfile.mkdtemp(prefix="handoff-renderings-")
atexit.register(shutil.rmtree, RENDERINGS, ignore_errors=True)
DATE = "2026-01-05T09:00:00+00:00"


@dataclass(frozen=True)
class Repository:
    path: Path

    def git(self, *arguments: str, stdin: str = "") -> str:
        done = subprocess.run(
            ["git", *arguments],
            cwd=self.path,
            env=environment(self.path),
            input=stdin,
            text=True,
            capture_output=True,
            check=True,
        )
        return done.stdout

    def write(self, name: str, text: str) -> Path:
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def commit(self, subject: str, *paths: str) -> str:
        self.git("add", *(paths or ["."]))
        self.git("commit", "--quiet", "-m", subject)
        return self.git("rev-parse", "HEAD").strip()

    def configure(self, **keys: Any) -> None:
        """Set keys of the configuration, as an editor would; objects are merged."""
        path = self.path / ".handoff" / "config.json"
        config = json.loads(path.read_text(encoding="utf-8"))
        for key, value in keys.items():
            config[key] = {**config[key], **value} if isinstance(value, dict) else value
        path.write_text(json.dumps(config, indent=2), encoding="utf-8")

    def handoff(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run the `handoff` command here; each rendering of the template is made once."""
        command = [sys.executable, "-m", "handoff_cli", *arguments]
        return run(command, self.path, HANDOFF_RENDERINGS=RENDERINGS)

    def engine(self, *arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        """Run the repository's own engine."""
        engine = str(self.path / ".handoff" / "engine")
        return run([sys.executable, "-I", "-S", "-B", engine, *arguments], self.path, stdin)

    def hook_commands(self, runtime: str, event: str, tool: str | None = None) -> list[str]:
        """The commands that the runtime's settings file has for an event, literally."""
        if SETTINGS[runtime].endswith((".js", ".ts")):  # code, which starts the engine itself
            engine = self.path / ".handoff" / "engine" / "__main__.py"
            return [shlex.join([sys.executable, "-I", "-S", "-B", str(engine), "hook", runtime])]
        settings = json.loads((self.path / SETTINGS[runtime]).read_text(encoding="utf-8"))
        groups = settings["hooks"].get(event, [])
        return [
            handler["command"]
            for group in groups
            if tool is None or tool in group.get("matcher", tool).split("|")
            for handler in group.get("hooks", [group])
        ]

    def hook(self, runtime: str, payload: dict[str, Any], cwd: Path | None = None) -> str:
        """Feed a payload to the installed hook; return its stdout. Its exit code must be 0."""
        said = ""
        event, tool = payload["hook_event_name"], payload.get("tool_name")
        for command in self.hook_commands(runtime, event, tool):
            done = shell(command, json.dumps(payload), cwd or self.path)
            assert (done.returncode, done.stderr) == (0, "")
            said += done.stdout
        return said

    def play(self, runtime: str, name: str = "", session_id: str | None = None) -> list[str]:
        """Play a recorded session; return what each hook said."""
        folder = next(RECORDED.glob(f"{runtime}-*")) / name
        said = []
        for line in (folder / "hooks.jsonl").read_text(encoding="utf-8").splitlines():
            payload = json.loads(line)
            payload["cwd"] = str(self.path)
            if payload.get("transcript_path"):
                payload["transcript_path"] = str(folder / "transcript.jsonl")
            if session_id:
                payload["session_id"] = session_id
            if payload.get("database"):
                path = self.path.parent / "home" / Path(payload["database"]).name
                opencode.keep(
                    path, payload["session_id"], (folder / "transcript.jsonl").read_bytes()
                )
                payload["database"] = str(path)
            said.append(self.hook(runtime, payload))
        return said

    def packets(self) -> dict[str, dict[str, Any]]:
        """The packets in the outputs folder, by session."""
        found = sorted(self.path.glob("outputs/handoff/*/handoff.json"))
        return {path.parent.name: json.loads(path.read_text(encoding="utf-8")) for path in found}

    def active(self) -> dict[str, Any]:
        """The active packet, from the ledger."""
        shown = self.engine("show", "--json")
        assert shown.returncode == 0, shown.stderr
        value: dict[str, Any] = json.loads(shown.stdout)
        return value

    def hook_log(self) -> str:
        path = self.path / ".handoff" / "state" / "hook.log"
        return path.read_text(encoding="utf-8") if path.exists() else ""


def new(path: Path, branch: str = "main") -> Repository:
    """An empty repository."""
    path.mkdir(parents=True)
    repository = Repository(path)
    repository.git("init", "--quiet", f"--initial-branch={branch}")
    return repository


def environment(project: Path) -> dict[str, str]:
    """What a runtime's hook may count on, and nothing of the machine's own configuration."""
    identity = {
        f"GIT_{role}_{key}": value
        for role in ("AUTHOR", "COMMITTER")
        for key, value in {"NAME": "Test", "EMAIL": "test@localhost", "DATE": DATE}.items()
    }
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(project.parent / "home"),
        "LANG": "C.UTF-8",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "CLAUDE_PROJECT_DIR": str(project),
        **identity,
    }


def run(
    command: list[str], cwd: Path, stdin: str = "", **variables: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        cwd=cwd,
        env=environment(cwd) | variables,
        input=stdin,
        text=True,
        capture_output=True,
        check=False,
        timeout=120,
    )


def shell(command: str, stdin: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return run(["sh", "-c", command], cwd, stdin)
