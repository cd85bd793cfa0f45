"""The user's commands as a user runs them: through `run`, with pipes and in a real terminal."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path
from typing import Any

import pytest

from engine.output import MAX_TAIL_BYTES, Ends
from tests.repository import Repository, environment

DEADLINE_SECONDS = 60


def engine(project: Repository, *arguments: str) -> list[str]:
    return [sys.executable, "-I", "-S", "-B", str(project.path / ".handoff/engine"), *arguments]


def records(project: Repository) -> list[dict[str, Any]]:
    log = project.path / ".handoff/state/feedback_record.jsonl"
    return [json.loads(line) for line in log.read_text().splitlines()]


def start(project: Repository, *arguments: str, **more: Any) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        engine(project, *arguments),
        cwd=project.path,
        env=environment(project.path),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        **more,
    )


def in_terminal(
    project: Repository, *arguments: str, answer: tuple[bytes, bytes] = (b"", b"")
) -> tuple[int, bytes]:
    """Run the engine in a terminal of 33 rows and 111 columns; its exit code and what was shown.

    Once the first bytes of `answer` were shown, its second ones are typed.
    """
    child, screen = pty.fork()
    if child == 0:
        os.chdir(project.path)
        argv = engine(project, *arguments)
        os.execve(argv[0], argv, environment(project.path))
    fcntl.ioctl(screen, termios.TIOCSWINSZ, struct.pack("HHHH", 33, 111, 0, 0))
    shown, (cue, typed) = b"", answer
    until = time.monotonic() + DEADLINE_SECONDS
    with contextlib.suppress(OSError):  # the last one has left the terminal
        while time.monotonic() < until:
            if select.select([screen], [], [], 0.1)[0]:
                data = os.read(screen, 65_536)
                if not data:
                    break
                shown += data
            if typed and cue in shown:
                os.write(screen, typed)
                typed = b""
    os.close(screen)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status), shown


def wait_for(path: Path) -> str:
    until = time.monotonic() + DEADLINE_SECONDS
    while time.monotonic() < until:
        if path.exists() and path.read_text():
            return path.read_text()
        time.sleep(0.02)
    raise AssertionError(f"{path} never came")


def is_alive(process_id: int) -> bool:
    """Whether it runs; one that ended and that nobody asked for does not."""
    with contextlib.suppress(OSError):
        status = Path(f"/proc/{process_id}/stat").read_text()
        return status.rpartition(")")[2].split()[0] != "Z"
    return False


def test_both_outputs_arrive_apart_and_the_exit_code_is_the_commands_own(
    project: Repository,
) -> None:
    done = project.engine("run", "--", "sh", "-c", "echo out; echo err >&2; exit 7")
    assert (done.returncode, done.stdout, done.stderr) == (7, "out\n", "err\n")
    (entry,) = records(project)
    assert (entry["exit_code"], entry["stdout_tail"], entry["stderr_tail"]) == (7, "out", "err")


def test_standard_input_reaches_the_command(project: Repository) -> None:
    process = start(project, "run", "--", "tr", "a-z", "A-Z", stdin=subprocess.PIPE)
    assert process.communicate(b"said\n", timeout=DEADLINE_SECONDS)[0] == b"SAID\n"


def test_output_appears_while_the_command_still_runs(project: Repository) -> None:
    go_on = project.path / "go-on"
    script = f"echo first; while [ ! -e '{go_on}' ]; do sleep 0.05; done; echo last"
    process = start(project, "run", "--", script)
    assert process.stdout is not None
    assert process.stdout.readline() == b"first\n"
    go_on.touch()
    assert process.communicate(timeout=DEADLINE_SECONDS)[0] == b"last\n"


def test_a_command_runs_where_its_user_stands(project: Repository) -> None:
    done = subprocess.run(
        engine(project, "run", "--", "pwd"),
        cwd=project.path / "docs",
        env=environment(project.path),
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == str(project.path / "docs")


@pytest.mark.parametrize(
    ("command", "code", "why"),
    [
        ("nosuchprogram", 127, "could not be started: No such file or directory"),
        ("./app.py", 126, "could not be started: Permission denied"),
    ],
)
def test_a_command_that_cannot_start_has_no_exit_code_and_says_why(
    project: Repository, command: str, code: int, why: str
) -> None:
    done = project.engine("run", "--", command)
    assert done.returncode == code
    assert done.stderr == f"handoff: `{command}` {why}\n"
    (entry,) = records(project)
    assert (entry["exit_code"], entry["error"]) == (None, why)


def test_a_signal_is_an_exit_code_as_in_a_shell(project: Repository) -> None:
    done = project.engine("run", "--", "sh", "-c", "kill -9 $$")
    assert (done.returncode, records(project)[0]["exit_code"]) == (137, 137)


def test_a_time_out_ends_the_whole_process_group(project: Repository) -> None:
    script = "sleep 300 & echo $! > child; echo begun; trap '' TERM; while :; do sleep 1; done"
    done = project.engine("run", "--timeout", "1", "--", script)
    assert (done.returncode, done.stdout) == (124, "begun\n")
    assert "timed out after 1 s" in done.stderr
    (entry,) = records(project)
    assert (entry["exit_code"], entry["error"]) == (None, "timed out after 1 s")
    assert entry["stdout_tail"] == "begun"
    assert not is_alive(int((project.path / "child").read_text()))


def test_a_process_left_in_the_background_holds_nobody_up(project: Repository) -> None:
    before = time.monotonic()
    done = project.engine("run", "--", "sleep 30 & echo $! > child; echo done")
    assert (done.returncode, done.stdout) == (0, "done\n")
    assert time.monotonic() - before < 20  # seconds
    child = int((project.path / "child").read_text())
    assert is_alive(child)
    os.kill(child, signal.SIGKILL)


def test_a_command_whose_output_nobody_reads_any_more_ends(project: Repository) -> None:
    process = start(project, "run", "--", "yes")
    assert process.stdout is not None
    assert process.stdout.readline() == b"y\n"
    process.stdout.close()
    assert process.wait(DEADLINE_SECONDS) == 141
    assert records(project)[0]["exit_code"] == 141


def test_many_small_pieces_take_little_room() -> None:
    ends = Ends()
    for _ in range(400_000):
        ends.add(b"x\n")
    output = ends.output()
    assert len(output.tail) < MAX_TAIL_BYTES + 20_000
    assert output.lines_before + output.tail.count("\n") == 400_000


def test_output_is_kept_as_a_reader_saw_it_in_the_end() -> None:
    ends = Ends()
    ends.add(b"\x1b]0;title\x07\x1b[1;31mred\x1b[0m\r\n 10%\r 50%\r100%\r\nend\xff")
    assert ends.output().tail == "red\n100%\nend\ufffd"


def test_in_a_terminal_the_command_sees_one_of_the_same_size(project: Repository) -> None:
    script = "[ -t 0 ] && [ -t 1 ] && [ -t 2 ] && sleep 0.3 && stty size; exit 3"
    code, shown = in_terminal(project, "run", "--", "sh", "-c", script)
    assert (code, shown) == (3, b"33 111\r\n")
    assert records(project)[0]["stdout_tail"] == "33 111"


def test_ctrl_c_in_a_terminal_reaches_the_command_and_its_end_is_recorded(
    project: Repository,
) -> None:
    script = "trap 'echo stopped; exit 9' INT; echo ready; while :; do sleep 0.1; done"
    code, shown = in_terminal(project, "run", "--", script, answer=(b"ready", b"\x03"))
    assert code == 9
    assert b"stopped" in shown
    assert records(project)[0]["exit_code"] == 9


def test_what_is_typed_in_a_terminal_reaches_the_command(project: Repository) -> None:
    script = 'echo ready; read line; echo "got <$line>"'
    code, shown = in_terminal(project, "run", "--", script, answer=(b"ready", b"hello\r"))
    assert code == 0
    assert b"got <hello>" in shown
    assert "got <hello>" in records(project)[0]["stdout_tail"]


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_a_signal_to_us_goes_to_the_command_and_its_end_is_recorded(
    project: Repository, number: signal.Signals, code: int
) -> None:
    process = start(
        project,
        "run",
        "--",
        "echo x > ready; exec sleep 60",
        # A runner that was put in the background hands an ignored SIGINT down to its tests.
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),
    )
    wait_for(project.path / "ready")
    process.send_signal(number)
    process.communicate(timeout=DEADLINE_SECONDS)
    assert process.returncode == code
    assert records(project)[0]["exit_code"] == code


def test_an_output_without_an_end_takes_no_memory(project: Repository) -> None:
    argv = engine(project, "run", "--", "sh", "-c", "head -c 300000000 /dev/zero | tr '\\0' y")
    # A process counts the memory of the one that forked it: a small one measures it.
    measure = (
        "import resource, subprocess, sys; subprocess.check_call(sys.argv[1:], stdout=-3); "
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    most = subprocess.run(
        [sys.executable, "-c", measure, *argv],
        cwd=project.path,
        env=environment(project.path),
        stdout=subprocess.PIPE,
        check=True,
    )
    assert int(most.stdout) < 64_000  # KiB; the output has 300 MB
    assert records(project)[0]["stdout_tail"].endswith("yyy")


def test_ctrl_c_through_the_command_line_tool_is_recorded_too(project: Repository) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "handoff_cli", "run", "--", "echo x > ready; exec sleep 60"],
        cwd=project.path,
        env=environment(project.path),
        start_new_session=True,
    )
    wait_for(project.path / "ready")
    os.killpg(process.pid, signal.SIGINT)
    assert process.wait(DEADLINE_SECONDS) == 130
    assert records(project)[0]["exit_code"] == 130
