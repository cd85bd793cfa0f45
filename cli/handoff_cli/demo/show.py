"""The demo as a person sees it."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING

from rich.markdown import Markdown
from rich.markup import escape
from rich.panel import Panel

from handoff_cli import engine, output, setup
from handoff_cli.demo import play

if TYPE_CHECKING:
    from rich.console import Console

PAUSE_SECONDS = 0.25  # between events, for somebody who watches


def show(folder: Path) -> None:
    """Tell the whole story in a new repository below `folder`."""
    console = output.words()
    repository = folder / "parser-demo"
    with console.status("setting a scratch repository up…"):
        play.repository(repository)
        answers = {"runtimes": ["claude-code", "codex"]}
        with setup.prepared(repository, answers) as prepared:
            setup.carry_out(repository, prepared)
    _title(console, "1", "A session in Claude Code, recorded; its hooks run as they are installed")
    for played in play.session(repository, "claude-code", ".claude/settings.json"):
        _event(console, played)
    packet = json.dumps(engine.ask(repository, ["show", "--json"]))
    _title(console, "2", "The packet that the hooks derived; nobody wrote it")
    _packet(console, repository)
    _title(console, "3", "The next session, in Codex, receives this at its start")
    for played in play.session(repository, "codex", ".codex/hooks.json"):
        console.print(Panel(escape(played.reply), border_style="green", expand=False))
    kilobytes = len(packet) / 1000
    console.print(
        f"That is the whole idea: {kilobytes:.0f} kB of facts, none of them written by hand or by "
        "a model.\nIn a repository of yours: [bold]handoff init[/]"
    )


def _title(console: Console, number: str, text: str) -> None:
    console.print()
    console.rule(f"[bold]{number}  {escape(text)}[/]", align="left", style="cyan")
    console.print()


def _event(console: Console, played: play.Played) -> None:
    line = _line(played)
    if not line:
        return
    console.print(f"  {line}")
    if console.is_terminal:
        time.sleep(PAUSE_SECONDS)


def _line(played: play.Played) -> str:
    payload, given = played.payload, played.payload.get("tool_input", {})
    if played.event == "UserPromptSubmit":
        return f"[bold]› {escape(payload['prompt'])}[/]"
    if payload.get("tool_name") == "Bash":
        failed = played.event == "PostToolUseFailure"
        mark = f"[red]✗ {payload['error'].splitlines()[0].lower()}[/]" if failed else "[green]✓[/]"
        return f"$ {escape(given['command'])}  {mark}"
    if payload.get("tool_name") in ("Edit", "Write"):
        return f"✎ {escape(Path(given['file_path']).name)}"
    if played.event == "Stop":
        return f"“{escape(payload['last_assistant_message'])}”"
    return ""


def _packet(console: Console, repository: Path) -> None:
    """The packet's Markdown, down to what a first look needs."""
    packet = next(iter(sorted(repository.glob("outputs/handoff/*/handoff.md"))))
    text = packet.read_text(encoding="utf-8").split("\n## Feedback tail")[0]
    console.print(Panel(Markdown(text), border_style="cyan"))
    console.print(f"  {packet.relative_to(repository)}, rendered from `handoff.json` beside it")
