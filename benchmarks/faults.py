"""What the fault tests do in short, for long: hooks killed at every write and at random moments,
forty ends at once, a disk that is full, 100,000 untracked files. Stops at the first thing lost."""

from __future__ import annotations

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests import repository
from tests.engine import faults
from tests.engine.faults import Growing, expect_all, expect_whole, kill
from tests.repository import Repository

EVENTS = ("SessionStart", "UserPromptSubmit", "Stop", "PreCompact", "SessionEnd")


def begun(folder: Path) -> Growing:
    """A session after its first turn, in a project of its own."""
    project = repository.new(folder / "app")
    project.write("app.py", "print('hello')\n")
    project.commit("start")
    assert project.handoff("init", "--defaults").returncode == 0
    session = Growing(project)
    session.tell("SessionStart")
    session.grow()
    session.tell()
    expect_all(session)
    return session


def every_write(session: Growing, _: int) -> str:
    """Killed before each thing that it changes or starts, one after the other."""
    told = []
    for event in EVENTS:
        write = 1
        session.grow()
        while session.killed_at(write, event):
            expect_whole(session.project)
            session.tell()
            expect_all(session)
            session.grow()
            write += 1
        told.append(f"{event} {write - 1}")
    return "killed before every write: " + ", ".join(told)


def any_moment(session: Growing, rounds: int) -> str:
    """Killed with all its children at a random moment; the next event is let be."""
    moments = random.Random(rounds)
    taking = {}
    for event in EVENTS:
        start = time.monotonic()
        session.tell(event)
        taking[event] = time.monotonic() - start
    killed = 0
    for _ in range(rounds):
        session.grow()
        event = moments.choice(EVENTS)
        killed += kill(session.start(event), moments.uniform(0, taking[event]))
        expect_whole(session.project)
        session.tell()
        expect_all(session)
    return f"{rounds} random moments: {killed} killed before their end"


def at_once(session: Growing, rounds: int) -> str:
    """Forty sessions of one branch and topic end at the same time."""
    slowest = 0.0
    for number in range(rounds):
        others = [Growing(session.project, f"r{number}-{one}") for one in range(40)]
        for other in others:
            other.grow()
        start = time.monotonic()
        assert [process.wait(600) for process in [one.start() for one in others]] == [0] * 40
        slowest = max(slowest, time.monotonic() - start)
        expect_whole(session.project)
        assert {other.name for other in others} <= set(session.project.packets())
        states = [packet["status"] for packet in session.project.packets().values()]
        assert states.count("active") == 1
    return f"{rounds} times forty ends at once: all kept, {slowest:.1f} s at most"


def full_disk(session: Growing, rounds: int) -> str:
    """A disk of its own with a few kilobytes left, a little more each time (needs root)."""
    project, told = session.project, 0
    with tempfile.TemporaryDirectory() as place:
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "handoff", place], check=True)
        try:
            shutil.copytree(project.path, Path(place) / "app", symlinks=True)
            small = Growing(Repository(Path(place) / "app"), "s-2")
            small.transcript = project.path.parent / "s-2.jsonl"  # the agent's disk has room
            small.transcript.touch()
            for left in range(rounds):
                small.grow()
                free = shutil.disk_usage(place).free
                filler = Path(place) / "filler"
                filler.write_bytes(bytes(max(0, free - 4096 * left)))
                process = small.start()
                assert process.wait(60) == 0
                expect_whole(small.project)
                filler.unlink()
                small.tell()
                expect_all(small)
                told += 1
        finally:
            subprocess.run(["umount", "-l", place], check=False)
    return f"{told} times a disk with 0 to {4 * (rounds - 1)} kB left: the last packet stayed"


def many_files(session: Growing, rounds: int) -> str:
    """A folder with 100,000 untracked files, of which every name is odd."""
    folder = session.project.path / "new"
    folder.mkdir()
    raw = os.fsencode(folder)
    for number in range(100_000):
        os.close(os.open(raw + b'/\t"\n\xff%d' % number, os.O_CREAT | os.O_WRONLY))
    start = time.monotonic()
    session.grow()
    session.tell()
    took = time.monotonic() - start
    expect_all(session)
    begin = time.monotonic()
    subprocess.run(
        ["git", "status", "--porcelain", "-uall"],
        cwd=session.project.path,
        stdout=subprocess.DEVNULL,
        check=True,
    )
    alone = time.monotonic() - begin
    shutil.rmtree(folder)
    return (
        f"100,000 untracked files: the end of a turn {took:.1f} s, `git status` alone {alone:.1f}"
    )


def main() -> None:
    kinds: dict[str, tuple[Callable[[Growing, int], str], int]] = {
        "writes": (every_write, 1),
        "moments": (any_moment, 500),
        "crowd": (at_once, 5),
        "disk": (full_disk, 40),
        "files": (many_files, 1),
    }
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kinds", nargs="*", choices=[*kinds, []], help="default: all")
    parser.add_argument("--rounds", type=int, help="instead of each kind's own number")
    options = parser.parse_args()
    for name in options.kinds or kinds:
        what, rounds = kinds[name]
        with tempfile.TemporaryDirectory() as folder:
            session = begun(Path(folder))
            print(what(session, options.rounds or rounds), flush=True)
            left = faults.leftovers(session.project)
            print(f"  temporary files and locks left: {len(left)}", flush=True)


if __name__ == "__main__":
    main()
