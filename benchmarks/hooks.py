"""What a hook costs, beside what cannot be done without: whole processes, in turn, medians."""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from handoff_cli import setup
from handoff_cli.demo import play

BARE = [sys.executable, "-I", "-S", "-B", "-c", "import json, re"]
SETTINGS = ".claude/settings.json"
TYPER = "import typer; app = typer.Typer(); app.command()(lambda: None); app(['--help'])"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=30)
    runs = parser.parse_args().runs
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder) / "project"
        play.repository(project)
        with setup.prepared(project, {"runtimes": ["claude-code", "codex"]}) as prepared:
            setup.carry_out(project, prepared)
        last = [played.payload for played in play.session(project, "claude-code", SETTINGS)]
        engine = [sys.executable, "-I", "-S", "-B", str(project / ".handoff/engine/__main__.py")]
        events = {payload["hook_event_name"]: json.dumps(payload) for payload in last}
        cases: dict[str, Callable[[], object]] = {"bare interpreter": lambda: process(BARE)}
        for event in ("PostToolUse", "UserPromptSubmit", "Stop", "SessionStart", "SessionEnd"):
            cases[event] = lambda event=event: process(
                [*engine, "hook", "claude-code"], events[event]
            )
        compare(cases, runs)
    help_text = [sys.executable, "-m", "handoff_cli", "--help"]
    bare_typer = [sys.executable, "-c", TYPER]
    compare({"bare Typer": lambda: process(bare_typer), "--help": lambda: process(help_text)}, runs)


def process(command: list[str], stdin: str = "") -> None:
    subprocess.run(command, input=stdin, text=True, capture_output=True, check=True)


def compare(cases: dict[str, Callable[[], object]], runs: int) -> None:
    """Run all cases in turn; print each median, and its ratio to the first one's."""
    taken: dict[str, list[float]] = {name: [] for name in cases}
    for _ in range(runs):
        for name, case in cases.items():
            started = time.perf_counter()
            case()
            taken[name].append(time.perf_counter() - started)
    first = statistics.median(next(iter(taken.values())))
    for name, seconds in taken.items():
        median = statistics.median(seconds)
        print(f"{name:20} {median * 1000:8.1f} ms {median / first:7.2f} x")


if __name__ == "__main__":
    main()
