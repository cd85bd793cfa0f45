"""Record the screen of `handoff chat` for its guide: real agents, a scripted model, real keys.

python -m tests.real.record_chat docs/guides/chat.svg
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from handoff_cli.demo import play
from tests.repository import Repository

from . import film, sandbox
from .test_chat import at_hand

LOOP = "    for line in text.splitlines():\n"
TESTS = {"bash": "python3 -m unittest -q"}
SAID: dict[str, list[dict[str, Any]]] = {
    "What is broken here?": [
        TESTS,
        {"text": "`test_empty_lines` fails: **the parser takes an empty line for a word.**"},
    ],
    "Mend it": [
        {
            "edit": [
                "parser.py",
                LOOP,
                f"{LOOP}        if not line.strip():\n            continue\n",
            ]
        },
        TESTS,
        {"text": "An empty line is passed over now, and the tests pass."},
    ],
    "Do you agree?": [
        {"text": "Yes. OpenCode's change is small, and the test that I saw fail passes."}
    ],
}
KEYS: list[list[str | None]] = [
    ["gemini · ready", "What is broken here?"],
    ["gemini asks", "2"],
    ["for a word.", ""],
    ["gemini · ready", "/switch opencode"],
    ["opencode · ready", "Mend it"],
    ["the tests pass.", ""],
    ["opencode · ready", "/switch gemini"],
    ["gemini · ready", "Do you agree?"],
    ["fail passes.", ""],
    ["gemini · ready", "/quit"],
]
SIZE = {"COLUMNS": "92", "LINES": "34"}


def main(picture: Path) -> int:
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        play.repository(scratch / "words")
        project, home = Repository(scratch / "words"), scratch / "home"
        project.git("config", "user.name", "demo")
        project.git("config", "user.email", "demo@localhost")
        done = project.handoff("init", "--defaults", "--data", "runtimes=[gemini, opencode]")
        assert done.returncode == 0, done.stderr
        project.commit("handoff")
        cast = scratch / "chat.cast"
        variables = at_hand(project, home, scratch / "tools") | SIZE
        del variables["NO_COLOR"]
        variables |= {"TYPIST_CAST": str(cast), "COLORTERM": "truecolor"}
        chat = [sys.executable, "-m", "handoff_cli", "chat", "--agent", "gemini"]
        run = sandbox.run(
            [sys.executable, "-m", "tests.real.typist", json.dumps(KEYS), *chat],
            cwd=project.path,
            home=home,
            prompts=SAID,
            env=variables,
        )
        sys.stderr.write(run.stderr)
        if run.returncode == 0:
            lines = cast.read_text(encoding="utf-8").splitlines()
            picture.write_text(film.svg(lines), encoding="utf-8")
    return run.returncode


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
