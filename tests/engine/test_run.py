"""What `run` records, and how the log of it grows."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from engine import logs, rotation
from tests.repository import Repository

ROOT = Path(__file__).parents[2]
KEYS = {
    "command_id", "parent_command_id", "command", "stdout_tail", "stderr_tail", "exit_code",
    "duration_ms", "started_at", "agent_note", "error", "truncations", "redactions",
}  # fmt: skip


def records(project: Repository) -> list[dict[str, Any]]:
    log = str(project.path / ".handoff/state/feedback_record.jsonl")
    return [json.loads(line) for line in rotation.lines(log)]


def test_a_run_has_the_keys_of_the_workbench(project: Repository) -> None:
    project.engine("run", "--note", "does it start?", "--", "echo", "two words", "$HOME")
    (entry,) = records(project)
    assert set(entry) >= KEYS
    assert entry["command"] == "echo 'two words' '$HOME'"
    assert (entry["source"], entry["agent_note"]) == ("runner", "does it start?")
    assert entry["duration_ms"] >= 0
    assert (entry["stdout_tail"], entry["error"]) == ("two words $HOME", None)


def test_one_argument_is_shell_text(project: Repository) -> None:
    done = project.engine("run", "--", "set -o pipefail; false | cat")
    assert done.returncode == 1
    assert records(project)[0]["command"] == "set -o pipefail; false | cat"


@pytest.mark.parametrize("through", ["engine", "handoff"])
def test_what_follows_the_dashes_is_left_alone(project: Repository, through: str) -> None:
    start = getattr(project, through)
    done = start("run", "--", "printf", "%s|", "--json", "--", "-h", "", "a  b")
    assert (done.returncode, done.stdout) == (0, "--json|--|-h||a  b|")


@pytest.mark.parametrize("given", [[], ["--"], ["ls"], ["--timeout", "0", "--", "ls"]])
def test_a_run_of_nothing_is_wrong_usage(project: Repository, given: list[str]) -> None:
    assert project.engine("run", *given).returncode == 2
    assert not (project.path / ".handoff/state/feedback_record.jsonl").exists()


def test_retries_form_a_chain(project: Repository) -> None:
    for command in ("false", "true", "false", "false"):
        project.engine("run", "--", command)
    first, other, second, third = records(project)
    assert first["parent_command_id"] is None
    assert other["parent_command_id"] is None
    assert second["parent_command_id"] == first["command_id"]
    assert third["parent_command_id"] == second["command_id"]
    assert len({entry["command_id"] for entry in records(project)}) == 4


def test_a_run_belongs_to_the_newest_session_unless_told(project: Repository) -> None:
    project.engine("run", "--", "true")
    for session in ("s-1", "s-2"):
        start = {"hook_event_name": "SessionStart", "session_id": session, "source": "startup"}
        project.hook("claude-code", start)
    project.engine("run", "--", "true")
    project.engine("run", "--session", "s-1", "--", "true")
    assert [entry["session_id"] for entry in records(project)] == ["manual", "s-2", "s-1"]
    assert {entry["parent_command_id"] for entry in records(project)} == {None}
    done = project.engine("run", "--session", "nobody", "--", "true")
    assert (done.returncode, "no session `nobody`" in done.stderr) == (1, True)


def test_a_run_is_in_the_packet(project: Repository) -> None:
    project.write("app.py", "print('changed')\n")
    project.engine("run", "--", "echo no >&2; exit 4")
    project.engine("generate")
    packet = project.active()
    (run,) = packet["commands_run"]
    assert (run["exit_code"], run["source"]) == (4, "runner")
    (attempt,) = packet["failed_attempts"]
    assert attempt["why"] == "no"


def test_a_secret_reaches_the_screen_and_no_file(project: Repository) -> None:
    secret = "ghp_" + "a1B2" * 9
    text = f"echo token {secret}; seq 100; echo {secret} >&2"
    done = project.engine("run", "--note", f"with {secret}", "--", text)
    assert secret in done.stdout
    (entry,) = records(project)
    assert secret not in json.dumps(entry)
    assert entry["stdout_head"].split("\n")[0] == "token [redacted:github-token]"
    assert entry["redactions"] == {"command": 2, "stdout": 1, "stderr": 1}


def test_both_ends_of_an_output_are_kept_and_what_is_between_is_counted(
    project: Repository,
) -> None:
    project.engine("run", "--", "seq 100")
    (entry,) = records(project)
    assert entry["stdout_head"].split("\n") == [str(n) for n in range(1, 11)]
    assert entry["stdout_tail"].split("\n") == [str(n) for n in range(71, 101)]
    assert entry["truncations"] == {"stdout": 60, "stderr": 0}


@pytest.mark.parametrize("lines", [1, 30, 31, 39, 40, 41])
def test_no_line_is_kept_twice(project: Repository, lines: int) -> None:
    project.engine("run", "--", f"seq {lines}")
    (entry,) = records(project)
    kept = [*entry.get("stdout_head", "").split("\n"), *entry["stdout_tail"].split("\n")]
    assert [line for line in kept if line] == [str(n) for n in range(1, lines + 1)][:10] + [
        str(n) for n in range(max(11, lines - 29), lines + 1)
    ] or lines < 40
    assert len([line for line in kept if line]) + entry["truncations"]["stdout"] == lines


def test_the_log_moves_aside_at_one_megabyte_and_nothing_of_a_session_is_missed(
    project: Repository,
) -> None:
    log = project.path / ".handoff/state/feedback_record.jsonl"
    project.engine("run", "--", "echo first")
    old = records(project)[0]
    filler = json.dumps(old | {"command_id": "other", "session_id": "other", "pad": "x" * 990_000})
    for _ in range(4):
        with log.open("a") as file:
            file.write(filler + "\n")
        project.engine("run", "--", "seq 3000 && echo " + "x" * 1_900)
        project.engine("run", "--", "seq 3000 && echo " + "y" * 1_900)
        project.engine("run", "--", "seq 3000 && echo " + "z" * 1_900)
    names = sorted(path.name for path in log.parent.glob("feedback_record.jsonl*"))
    assert names[-1] == "feedback_record.jsonl.4"
    assert log.with_name("feedback_record.jsonl.4").stat().st_size > 1_000_000
    assert records(project)[0] == old
    project.write("app.py", "print('changed')\n")
    project.engine("generate")
    assert len(project.active()["commands_run"]) == 13


def test_the_sixth_file_is_let_go(tmp_path: Path) -> None:
    log = str(tmp_path / "log")
    for number in range(9):
        logs.append(log, b"%d\n" % number, str(tmp_path), max_bytes=1)
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == [f"log.{number}" for number in range(1, 6)]
    assert list(rotation.lines(log)) == [b"%d\n" % number for number in range(4, 9)]


def test_a_hole_in_the_row_of_files_is_filled_before_any_is_let_go(tmp_path: Path) -> None:
    log = str(tmp_path / "log")
    for number in (1, 2, 4, 5):
        (tmp_path / f"log.{number}").write_bytes(b"%d\n" % number)
    logs.append(log, b"0\n", str(tmp_path), max_bytes=1)
    assert list(rotation.lines(log)) == [b"5\n", b"4\n", b"2\n", b"1\n", b"0\n"]


def test_a_line_that_is_still_being_written_waits(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_bytes(b"whole\nhal")
    assert list(rotation.lines(str(log))) == [b"whole\n"]


def test_writers_at_once_lose_nothing_and_no_reader_misses_what_was_there(
    tmp_path: Path,
) -> None:
    code = """
import sys
sys.path.insert(0, sys.argv[1])
from engine import logs, rotation
for number in range(150):
    line = f"{sys.argv[3]} {number} ".encode() + b"x" * 100 + b"\\n"
    logs.append(sys.argv[2] + "/log", line, sys.argv[2], max_bytes=30_000)
"""
    writers = [
        subprocess.Popen([sys.executable, "-c", code, str(ROOT), str(tmp_path), str(name)])
        for name in range(8)
    ]
    seen: set[bytes] = set()
    while any(writer.poll() is None for writer in writers):
        now = list(rotation.lines(str(tmp_path / "log")))
        assert len(now) == len(set(now))
        assert seen <= set(now)
        seen = set(now)
    assert {writer.returncode for writer in writers} == {0}
    found = list(rotation.lines(str(tmp_path / "log")))
    assert len(found) == len(set(found)) == 8 * 150
    assert (tmp_path / "log.3").exists()
