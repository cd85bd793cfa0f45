"""What a shell offers."""

from __future__ import annotations

import sys

import pytest

from tests.repository import Repository, run

from .chats import configure


def offered(project: Repository, words: str) -> list[str]:
    """What bash is given where the cursor stands behind these words."""
    number = words.count(" ")
    asked = {"_HANDOFF_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(number)}
    program = "import sys; from handoff_cli.app import app; sys.argv[0] = 'handoff'; app()"
    done = run([sys.executable, "-c", program], project.path, **asked)
    return done.stdout.split()


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("handoff swi", ["switch"]),
        ("handoff switch co", ["codex", "copilot"]),
        ("handoff init --runtime ge", ["gemini"]),
        ("handoff hooks install --runtime cla", ["claude-code"]),
        ("handoff chat --agent o", ["opencode", "our-own"]),
    ],
)
def test_names_that_handoff_knows_are_offered(
    project: Repository, words: str, wanted: list[str]
) -> None:
    configure(project, "our-own")
    assert offered(project, words) == wanted
