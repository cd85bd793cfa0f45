"""`handoff demo`, as a newcomer runs it."""

from __future__ import annotations

from pathlib import Path

from tests.repository import Repository


def test_the_demo_tells_the_whole_story_and_leaves_nothing(tmp_path: Path) -> None:
    done = Repository(tmp_path).handoff("demo")
    assert done.returncode == 0, done.stderr
    for told in (
        "› Make the parser accept empty lines",
        "✗ exit code 1",
        "$ python3 lint.py",
        "Make lint.py pass (from: plan)",
        "NEXT ACTION (from plan): Make lint.py pass",
    ):
        assert told in done.stderr, told
    assert list(tmp_path.iterdir()) == []


def test_the_scratch_repository_can_be_kept(tmp_path: Path) -> None:
    done = Repository(tmp_path).handoff("demo", "--keep", "here")
    assert done.returncode == 0, done.stderr
    kept = Repository(Path(done.stdout.strip()))
    assert kept.path.parent == (tmp_path / "here").resolve()
    assert kept.active()["next_action"] == "Make lint.py pass"
    again = Repository(tmp_path).handoff("demo", "--keep", "here")
    assert again.returncode == 1
