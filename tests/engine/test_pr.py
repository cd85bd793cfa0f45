"""`handoff pr`: the active packet as the body of a pull request."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from engine import pullrequest
from tests.repository import Repository


def section(text: str, title: str) -> list[str]:
    body = text.partition(f"## {title}\n\n")[2].partition("\n\n## ")[0]
    return [line for line in body.splitlines() if line]


def test_the_body_tells_what_changed_and_what_was_verified(project: Repository) -> None:
    project.play("claude-code")
    project.write("new|file.py", "x = 1\n")
    project.write("app.py", "print('changed')\n")
    project.engine("state", "add", "question", "which release?")
    project.engine("state", "add", "assumption", "no line holds a tab")
    project.engine("generate")
    done = project.handoff("pr")
    assert done.returncode == 0, done.stderr
    packet = project.active()
    assert packet["summary"].split(".")[0] in done.stdout.replace("\\", "")
    changes = section(done.stdout, "Changes")
    assert "- `app.py` +1 −1, **not committed: not part of this pull request**" in changes
    assert any(line.startswith("- `new|file.py` +1 −0") for line in changes)
    assert changes.index("Modified:") < changes.index("Untracked:")
    assert section(done.stdout, "Verification") == [
        "| Result | Exit code | Command |",
        "|---|---|---|",
        "| passed | 0 | `python3 -m unittest -q` |",
    ]
    boxes = section(done.stdout, "To settle before merging")
    assert "- [ ] Question: which release?" in boxes
    assert "- [ ] Assumption to check: no line holds a tab" in boxes
    assert len(boxes) == len(packet["open_risks"]) + 2
    origin = "\n".join(section(done.stdout, "How this was derived"))
    assert packet["digest"] in origin
    assert packet["session"]["id"] in origin
    assert str(project.path) not in done.stdout


def test_the_same_packet_gives_the_same_bytes_in_a_file(project: Repository) -> None:
    project.play("claude-code")
    printed = project.handoff("pr").stdout
    for told in ("written", "already there"):
        done = project.handoff("pr", "--output", "docs/body.md")
        assert (done.returncode, done.stdout) == (0, "")
        assert told in done.stderr
    assert (project.path / "docs/body.md").read_text(encoding="utf-8") == printed


def test_nothing_is_written_outside_the_repository(project: Repository, tmp_path: Path) -> None:
    project.play("claude-code")
    (project.path / "link.md").symlink_to(tmp_path / "outside.md")
    for name in ("../body.md", str(tmp_path / "body.md"), "link.md", ".git/hooks/x", "docs"):
        done = project.engine("pr", "--output", name)
        assert (done.returncode, done.stdout) == (1, ""), name
    assert not list(tmp_path.glob("*.md"))
    assert not (project.path / ".git/hooks/x").exists()


def test_without_a_packet_it_says_what_to_do(project: Repository) -> None:
    done = project.handoff("pr")
    assert (done.returncode, done.stdout) == (1, "")
    assert "no active packet" in done.stderr


def test_each_topic_has_a_body_of_its_own(project: Repository) -> None:
    project.play("claude-code")
    project.handoff("topic", "use", "parser")
    assert project.handoff("pr").returncode == 1
    assert project.handoff("pr", "--topic", "default").returncode == 0


def value(**changes: Any) -> dict[str, Any]:
    whole: dict[str, Any] = {
        "session": {"id": "s", "runtime": None},
        "task": {"goal": None},
        "branch": None,
        "head_commit": None,
        "base_commit": None,
        "summary": "Work.",
        "changed_files": [],
        "commits": [],
        "commands_run": [],
        "open_risks": [],
        "questions_for_human": [],
        "assumptions_to_validate": [],
        "sources": [],
        "truncated": {},
        "digest": "d",
    }
    return json.loads(json.dumps({**whole, **changes})) or {}


def test_what_a_packet_says_is_text_and_no_markup() -> None:
    said = "fixes #12, ping @boss <img src=x> [x](http://y) `a @b #1` \x1b[1m\u202e\n# Title"
    text = pullrequest.body(value(questions_for_human=[said], task={"goal": said}))
    (box,) = section(text, "To settle before merging")
    assert box == (
        "- [ ] Question: fixes #<!-- -->12, ping @<!-- -->boss &lt;img src=x&gt; "
        "\\[x\\](http://y) `a @b #1` \\\\x1b\\[1m\\\\u202e # Title"
    )
    assert "#12" not in text
    assert "\n# Title" not in text


def test_only_the_last_run_of_each_check_counts() -> None:
    runs = [
        {"command": command, "exit_code": code, "counts_as_verification": checks}
        for command, code, checks in (
            ("pytest | tee x", 1, True),
            ("ruff check `x`", 1, True),
            ("ruff check `x`", None, True),
            ("pytest | tee x", 0, True),
            ("mypy", 2, True),
            ("ls", 0, False),
        )
    ]
    assert section(pullrequest.body(value(commands_run=runs)), "Verification")[2:] == [
        "| passed | 0 | `pytest \\| tee x` |",
        "| unknown | unknown | `` ruff check `x` `` |",
        "| failed | 2 | `mypy` |",
    ]


def test_an_empty_packet_says_that_nothing_is_there() -> None:
    text = pullrequest.body(value())
    assert "No file differs" in text
    assert "No check of the project is on record" in text
    assert "no open risk, no question, no assumption" in text
