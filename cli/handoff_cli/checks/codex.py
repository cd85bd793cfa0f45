"""Codex: whether the folder is trusted, and each of our hooks."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from handoff_cli import settings_files
from handoff_cli.checks import jsonfile
from handoff_cli.checks.finding import BROKEN, Finding, Place
from handoff_cli.errors import HandoffError

ACCEPT = "start `codex` in the repository and trust what it asks about, or type `/hooks` in it"
INTERRUPT_SECONDS = 3  # Codex gives its hook no longer, and hashes that
KNOWN_KEYS = {"description", "hooks"}


def findings(place: Place) -> Iterator[Finding]:
    unknown = sorted(set(jsonfile.read(place.hooks)) - KNOWN_KEYS)
    if unknown:
        yield Finding(
            BROKEN,
            "codex.unknown-key",
            f"Codex drops the whole of `{place.hooks.name}` for its key `{unknown[0]}`",
            "take that key out",
        )
    path = home(place) / "config.toml"
    try:
        config = _config(path)
    except HandoffError as error:
        yield Finding(BROKEN, "codex.config", str(error), error.hint or "")
        return
    if not _is_trusted(config, place.project):
        yield Finding(
            BROKEN, "codex.folder", "Codex does not trust this folder: its hooks do not run", ACCEPT
        )
    hashes = trust(place)
    state = jsonfile.inner(config, "hooks", "state") or {}
    missing = [key for key, found in hashes.items() if _told(state, key) != found]
    if missing:
        yield Finding(
            BROKEN,
            "codex.untrusted",
            f"{len(missing)} of {len(hashes)} hooks were not accepted in Codex: it skips them "
            "without a word",
            f"{ACCEPT}; or `handoff doctor --trust-codex` accepts them for you",
        )


def home(place: Place) -> Path:
    return Path(os.environ.get("CODEX_HOME") or place.home / ".codex")


def trust(place: Place) -> dict[str, str]:
    """The key and the hash that Codex's configuration has for each accepted hook of ours.

    Found out on Codex 0.171: the hash is that of the hook's canonical JSON, the key its place.
    """
    found = {}
    events = jsonfile.read(place.hooks).get("hooks")
    for event, groups in events.items() if isinstance(events, dict) else ():
        name = re.sub(r"(?<!^)(?=[A-Z])", "_", event).lower()
        for at, group in enumerate(groups if isinstance(groups, list) else ()):
            handlers = group.get("hooks") if isinstance(group, dict) else None
            for number, handler in enumerate(handlers if isinstance(handlers, list) else ()):
                if isinstance(handler, dict) and place.mark in str(handler.get("command")):
                    key = f"{place.hooks.resolve()}:{name}:{at}:{number}"
                    found[key] = _hash(name, group, handler)
    return found


def accept(place: Place) -> list[str]:
    """Write into Codex's configuration that our hooks are accepted; their keys."""
    path = home(place) / "config.toml"
    config = _config(path)
    hooks = config.setdefault("hooks", tomlkit.table(is_super_table=True))
    state = hooks.setdefault("state", tomlkit.table(is_super_table=True))
    hashes = trust(place)
    for key, found in hashes.items():
        entry = state.setdefault(key, tomlkit.table())
        entry["trusted_hash"] = found
    settings_files.write(path, tomlkit.dumps(config).encode())
    return list(hashes)


def _hash(event: str, group: dict[str, Any], handler: dict[str, Any]) -> str:
    default = 1 if event == "session_end" else 600
    hook = {"async": False, "timeout": default, **handler}
    if event == "interrupt":
        hook["timeout"] = min(hook["timeout"], INTERRUPT_SECONDS)
    value = {"event_name": event, "hooks": [hook]}
    if "matcher" in group:
        value["matcher"] = group["matcher"]
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def _told(state: Any, key: str) -> Any:
    entry = state.get(key) if isinstance(state, dict) else None
    return entry.get("trusted_hash") if isinstance(entry, dict) else None


def _is_trusted(config: dict[str, Any], project: Path) -> bool:
    """Whether Codex trusts the folder; it asks for that of the repository's root."""
    projects = config.get("projects")
    folders = (project.resolve(), *project.resolve().parents)
    known = [projects[str(one)] for one in folders if str(one) in projects] if projects else []
    return any(one.get("trust_level") == "trusted" for one in known if isinstance(one, dict))


def _config(path: Path) -> Any:
    data = settings_files.read(path)
    try:
        return tomlkit.parse((data or b"").decode("utf-8"))
    except (TOMLKitError, UnicodeDecodeError) as error:
        raise HandoffError(
            f"`{path}` is not valid TOML: {error}", "mend it by hand; it was left untouched"
        ) from None
