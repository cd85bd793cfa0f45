from __future__ import annotations

import pytest

from engine import summary
from engine.model import Snapshot
from tests.engine.builders import changed, commit, config, git, run, session, snapshot


@pytest.mark.parametrize(
    ("given", "paragraph"),
    [
        (
            snapshot(),
            "A claude-code session on `main` towards “Make the parser accept empty lines”. "
            "No file differs from where it started. No command is on record. "
            "Nothing is left red; no acceptance command is configured.",
        ),
        (
            snapshot(
                git=git(
                    changed=(changed("a"), changed("b", committed=False)),
                    commits=(commit(),),
                    dirty=("b",),
                ),
                feedback=(run(exit_code=1), run(), run("sleep 9", None)),
                config=config(acceptance_commands=("pytest -q",)),
            ),
            "A claude-code session on `main` towards “Make the parser accept empty lines”. "
            "1 commit, 2 files changed, 1 of them not committed. "
            "3 commands on record: 1 passed, 1 failed, 1 with unknown end. "
            "Every acceptance command passed.",
        ),
        (
            snapshot(
                session=session(runtime="", native_id="", goal=None),
                git=git(branch=None, detached=True, base=None, changed=(changed(),)),
                config=config(acceptance_commands=("pytest -q", "make lint")),
                feedback=(run(),),
            ),
            "Work on a detached HEAD. 1 file changed, all committed. "
            "1 command on record: 1 passed, 0 failed. Not every acceptance command has run.",
        ),
    ],
)
def test_the_summary_counts_the_facts(given: Snapshot, paragraph: str) -> None:
    assert summary.paragraph(given) == paragraph


def test_what_is_red_is_named_and_the_rest_counted() -> None:
    feedback = tuple(run(f"./step{n}.sh", n) for n in range(1, 6))
    assert summary.paragraph(snapshot(feedback=feedback)).endswith(
        "Still red: `./step1.sh` (exit code 1), `./step2.sh` (exit code 2), "
        "`./step3.sh` (exit code 3) and 2 more."
    )


def test_a_long_goal_is_cut_to_its_first_line_with_a_mark() -> None:
    text = summary.paragraph(snapshot(session=session(goal="x" * 200 + "\nsecond")))
    assert f"“{'x' * 119}…”" in text
    assert "second" not in text
