"""Timelines as `handoff timeline --json` prints them: believable, hostile, and very long."""

from __future__ import annotations

import json
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1] / "data" / "timelines"
FACTS = ("kind", "at", "made_at", "started_at", "ended_at")
ATTACKS = (
    "<script>window.__pwned = 1</script>",
    "</script><script>window.__pwned = 2</script>",
    "<img src=x onerror='window.__pwned = 3'>",
    "<img src=http://203.0.113.7/a.png><link rel=stylesheet href=//203.0.113.7/a.css>",
    "</style></textarea></title><svg onload='window.__pwned = 4'>",
    '" onmouseover="window.__pwned = 5" autofocus onfocus=\'window.__pwned = 6\' x="',
    "<a href='javascript:window.__pwned = 7'>click</a> [x](javascript:window.__pwned=8)",
    "javascript:window.__pwned = 9",
    "<meta http-equiv=refresh content='0;url=http://203.0.113.7/'>",
    "<base href=//203.0.113.7/><iframe srcdoc='<script>parent.__pwned = 10</script>'></iframe>",
    "<form action=//203.0.113.7/><button id=query>x</button><input name=agent></form>",
    "--><!--<script>",
    "{{ 7 * 7 }}{% raw %}${window.__pwned = 11}`",
    "```\n</pre><script>window.__pwned = 12</script>\n```",
    "`</code><script>window.__pwned = 13</script>`",
    "\x1b[31mred\x1b[0m \x1b]0;title\x07 \x1b]8;;http://203.0.113.7\x1b\\link \x00\x08\x7f\x9b2J",
    "safe \u202e gnissim si elif \u2066 hidden \U000e0041 tags \u2028 lines",
    "half \ud800 of a character",
    "\r\rover\rwritten",
    "unbroken" * 400,
)
STRANGE_ENTRIES: tuple[Any, ...] = (
    None,
    7,
    "text",
    {},
    {"kind": None},
    {"kind": "dream", "text": {"a": 1}, "at": 5, "output": "seen"},
    {"kind": "command", "exit_code": 10**400, "at": "0001-01-01T00:00:00+14:00"},
    {"kind": "command", "exit_code": True, "at": "9999-12-31T23:59:59-14:00"},
    {"kind": "prompt", "session": ["x"], "text": "a" * 100_000, "at": "not a time"},
)
STRANGE_PACKETS: tuple[Any, ...] = (
    None,
    {},
    {"context_usage": {"percent": -(10**12)}, "changed_files": [7, {}], "open_risks": "many"},
    {"context_usage": [], "changed_files": {}, "failed_attempts": [None]},
)


def conversation() -> dict[str, Any]:
    """Three agents on one parser: a failing test and its fix, a lint error left over, a crash."""
    value: dict[str, Any] = json.loads((FOLDER / "conversation.json").read_text(encoding="utf-8"))
    return value


def hostile() -> dict[str, Any]:
    """Once for each attack the conversation, every text of it the attack; then stranger shapes."""
    whole: dict[str, Any] = {"newer": {"key": 1}, "truncated": {"entries": {"kept": "many"}}}
    for attack in ATTACKS:
        told = _twisted(conversation(), attack)
        told["entries"].append({**told["entries"][-1], "kind": attack})
        for key in ("branch", "topic"):
            whole[key] = told[key]
        for key in ("sessions", "entries", "packets"):
            whole[key] = [*whole.get(key, []), *told[key]]
    whole["entries"] += STRANGE_ENTRIES
    whole["packets"] += STRANGE_PACKETS
    return whole


def _twisted(value: Any, attack: str, key: str = "") -> Any:
    if isinstance(value, dict):
        return {name: _twisted(one, attack, name) for name, one in value.items()}
    if isinstance(value, list):
        return [_twisted(one, attack, key) for one in value]
    return value if key in FACTS or not isinstance(value, str | None) else attack


def large(sessions: int = 200, turns: int = 50) -> dict[str, Any]:
    """A prompt, a reply and a command a turn, in the words of the conversation."""
    told = conversation()
    by_kind = [_of(told, kind) for kind in ("prompt", "reply", "command")]
    runtimes = [one["runtime"] for one in told["sessions"]]
    now = datetime(2026, 1, 5, 9, 0, tzinfo=timezone.utc)
    whole: dict[str, Any] = {**told, "sessions": [], "entries": [], "packets": []}
    for number in range(sessions):
        who = {"session": f"session-{number}", "runtime": runtimes[number % len(runtimes)]}
        for turn in range(turns):
            for texts in by_kind:
                now += timedelta(seconds=35)
                entry = texts[(number + turn) % len(texts)]
                text = entry["text"]
                if entry["kind"] != "command":
                    text += f" That is case {turn} of {number}."
                whole["entries"].append({**entry, **who, "at": now.isoformat(), "text": text})
        session = {**told["sessions"][0], **who, "id": who["session"], "turns": turns}
        whole["sessions"].append({**session, "started_at": now.isoformat()})
        packet = {**told["packets"][number % 4], **who, "made_at": now.isoformat()}
        before = f"session-{number - 1}" if number else None
        whole["packets"].append({**packet, "supersedes": before, "status": "superseded"})
    return whole


def _of(told: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    return [entry for entry in told["entries"] if entry["kind"] == kind]
