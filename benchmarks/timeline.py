"""`timeline` over a long conversation: 200 sessions of 50 turns, beside a bare Python."""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from engine import talks, timeline
from engine.timeline import COMMAND, PROMPT, REPLY, Entry, Talk
from tests import repository
from tests.repository import Repository

RUNTIMES = ("claude-code", "codex", "gemini", "opencode")
START = 1_796_000_000.0


def fill(project: Repository, sessions: int, turns: int) -> None:
    """A conversation in the ledger, one chunk a turn."""
    ledger = str(project.path / ".git" / "handoff" / "ledger.git")
    at = START
    for number in range(sessions):
        name = f"s{number:04}"
        chunks = {}
        for turn in range(turns):
            at += 60
            entries = (
                Entry(PROMPT, at, f"Question {turn} of {name}: " + "why is it so? " * 8),
                Entry(COMMAND, at + 5, "pytest -q", exit_code=turn % 3, output="1 passed\n" * 10),
                Entry(REPLY, at + 9, "Because of this and that. " * 20, model="a-model"),
            )
            chunks[f"{turn + 1:06}.jsonl"] = timeline.lines(entries)
        talk = Talk(name, RUNTIMES[number % 4], name, at - 60 * turns, at)
        talks.keep(
            ledger,
            talks.ref("main", None, "default", name),
            talk,
            list(chunks),
            chunks.get,
            int(at),
        )


def seconds(command: list[str], cwd: Path, runs: int) -> float:
    took = []
    for _ in range(runs):
        start = time.perf_counter()
        subprocess.run(command, cwd=cwd, check=True, capture_output=True)
        took.append(time.perf_counter() - start)
    return statistics.median(took)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sessions", type=int, default=200)
    parser.add_argument("--turns", type=int, default=50)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        project = repository.new(Path(folder) / "app")
        project.write("app.py", "print('hello')\n")
        project.commit("start")
        assert project.handoff("init", "--defaults").returncode == 0
        fill(project, options.sessions, options.turns)
        engine = [sys.executable, "-I", "-S", "-B", str(project.path / ".handoff/engine")]
        bare = seconds([sys.executable, "-I", "-S", "-B", "-c", ""], project.path, options.runs)
        print(f"bare Python: {bare:.3f} s")
        for arguments in (["timeline", "--json"], ["timeline", "-n", "20"]):
            took = seconds([*engine, *arguments], project.path, options.runs)
            print(f"{' '.join(arguments)}: {took:.2f} s")
        start = {"hook_event_name": "SessionStart", "session_id": "new", "source": "startup"}
        prompt = {"hook_event_name": "UserPromptSubmit", "session_id": "new", "prompt": "Go on"}
        for payload in (start, prompt):
            begun = time.perf_counter()
            project.hook("claude-code", {"transcript_path": "", **payload})
            print(f"{payload['hook_event_name']} hook: {time.perf_counter() - begun:.2f} s")
        size = len(project.engine("timeline", "--json").stdout)
        print(f"{options.sessions} sessions of {options.turns} turns, {size / 1e6:.1f} MB of JSON")


if __name__ == "__main__":
    main()
