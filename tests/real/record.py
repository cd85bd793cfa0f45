"""Record the story anew: hook payloads and transcript of a real session, for `tests/data/recorded`.

    python -m tests.real.record gemini qwen copilot opencode

Each runtime works in a scratch repository whose engine only writes down what the hooks hand it.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from engine import registry, store
from handoff_cli.demo import play
from tests.repository import RECORDED, Repository

from .agents import AGENTS, RUN

PROMPT = "Make the parser accept empty lines"
LOOP = "    for line in text.splitlines():\n"
STEPS: Sequence[Mapping[str, Any]] = [
    {"bash": "python3 -m unittest -q"},
    {"edit": ["parser.py", LOOP, f"{LOOP}        if not line.strip():\n            continue\n"]},
    {"bash": "python3 -m unittest -q"},
    {"write": ["CHANGES.md", "# Changes\n\n- The parser accepts empty lines.\n"]},
    {"bash": "python3 lint.py"},
    {"bash": "git add parser.py CHANGES.md && git commit -q -m 'Accept empty lines'"},
    {"text": "The parser accepts empty lines. All tests pass."},
]
LOGGER = """\
import os, sys
root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
with open(root + "/.handoff/state/payloads.jsonl", "ab") as file:
    file.write(sys.stdin.buffer.read().strip() + b"\\n")
"""


def main(runtimes: list[str]) -> None:
    for runtime in runtimes:
        with tempfile.TemporaryDirectory() as name:
            folder = record(runtime, Path(name))
        print(f"{runtime}: recorded in {folder}")


def record(runtime: str, scratch: Path) -> Path:
    """Play the story with the runtime, and write down what it told; the folder of the recording."""
    play.repository(scratch / "repo")
    repository, home = Repository(scratch / "repo"), scratch / "home"
    repository.git("config", "user.name", "demo")
    repository.git("config", "user.email", "demo@localhost")
    given = ["--defaults", "--data", f"runtimes=[{runtime}]"]
    done = repository.handoff("init", *given)
    assert done.returncode == 0, done.stderr
    repository.write(".handoff/engine/__main__.py", LOGGER)
    run = RUN[runtime](repository.path, home, STEPS, prompt=PROMPT)
    assert run.returncode == 0, run.stderr
    program = AGENTS[runtime].program
    folder = RECORDED / f"{runtime}-{program.version}"
    folder.mkdir(parents=True, exist_ok=True)
    payloads = (repository.path / ".handoff/state/payloads.jsonl").read_text(encoding="utf-8")
    transcript = kept(runtime, run.transcript, json.loads(payloads.splitlines()[0]))
    for name, text in (("hooks.jsonl", payloads), ("transcript.jsonl", transcript)):
        (folder / name).write_text(plain(text, repository.path, home), encoding="utf-8")
    return folder


def kept(runtime: str, path: Path | None, payload: dict[str, Any]) -> str:
    """The lines that the runtime keeps of the session, or its database has."""
    if path is None or path.suffix == ".jsonl":
        return path.read_text(encoding="utf-8") if path else ""
    native_id = payload[registry.hooks(runtime).SESSION_KEY]
    with closing(registry.database(runtime).Messages(str(path), native_id, 0, store)) as lines:
        return b"".join(lines).decode()


def plain(text: str, repo: Path, home: Path) -> str:
    """Without the paths of the machine it was recorded on."""
    for path, name in ((repo, "/repo"), (home, "/home/user"), (repo.parent, "/scratch")):
        slug, shown = str(path).replace("/", "-"), name.replace("/", "-")
        text = text.replace(str(path), name).replace(slug, shown)
    return text


if __name__ == "__main__":
    main(sys.argv[1:])
