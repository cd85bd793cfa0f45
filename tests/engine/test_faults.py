"""Hooks that are killed, crowded, or have no disk: the last good packet stays, nothing is lost.

`benchmarks/faults.py` does the same for longer.
"""

from __future__ import annotations

import json
import os
import random
import resource
import shlex
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from engine import bare
from tests.repository import Repository, environment

from .faults import (
    RUNTIME,
    Growing,
    active,
    expect_all,
    expect_whole,
    kill,
    ledger_of,
    leftovers,
)


@pytest.fixture
def growing(project: Repository) -> Growing:
    """A session after its first turn, with a packet."""
    session = Growing(project)
    session.tell("SessionStart")
    session.grow()
    session.tell("UserPromptSubmit")
    session.tell()
    expect_all(session)
    return session


@pytest.mark.parametrize("event", ["Stop", "SessionStart"])
def test_killed_before_a_write(growing: Growing, event: str) -> None:
    killed = 0
    for write in range(3, 200, 17):
        growing.grow()
        if not growing.killed_at(write, event):
            break
        killed += 1
        expect_whole(growing.project)
        growing.tell()
        expect_all(growing)
    assert killed > 0  # else nothing was tried
    assert killed < 18


def test_killed_at_any_moment(growing: Growing) -> None:
    moments = random.Random(1)
    begun = time.monotonic()
    growing.tell()
    whole = time.monotonic() - begun
    killed = 0
    for _ in range(8):
        growing.grow()
        killed += kill(growing.start(), moments.uniform(0, whole))
        expect_whole(growing.project)
        growing.tell()
        expect_all(growing)
    assert killed > 0


def test_what_killed_writers_left_is_tidied(growing: Growing) -> None:
    places = ("outputs/handoff/s-1", ".handoff/state/sessions", ".handoff/state/timeline/s-1")
    old = [growing.project.write(f"{place}/.x.{'0' * 12}.tmp", "half") for place in places]
    for path in old:
        os.utime(path, (1, 1))
    fresh = growing.project.write(f"{places[0]}/.x.{'1' * 12}.tmp", "another writer's")
    growing.grow()
    growing.tell()
    assert leftovers(growing.project) == [fresh]


@pytest.mark.parametrize(
    "lock",
    [
        "refs/handoff/active/main/default.lock",
        "refs/handoff/timeline/main/default/s-1.lock",
        "packed-refs.lock",
    ],
)
def test_a_lock_that_a_killed_git_left_holds_up_one_event_only(growing: Growing, lock: str) -> None:
    path = Path(ledger_of(growing.project)) / lock
    path.touch()
    growing.grow()
    growing.tell()
    expect_all(growing)
    bare.git(ledger_of(growing.project), "update-ref", "-d", "refs/handoff/active/main/default")
    assert not path.exists()


def test_a_lock_outside_the_ledger_is_nobody_s_to_break(tmp_path: Path) -> None:
    lock = tmp_path / "elsewhere.lock"
    lock.touch()
    os.utime(lock, (1, 1))
    said = f"fatal: Unable to create '{lock}': File exists."
    with pytest.raises(Exception, match="leads out of"):
        bare.is_locked(str(tmp_path / "ledger.git"), said)
    assert lock.exists()


def test_a_first_packet_killed_while_the_ledger_is_made(growing: Growing) -> None:
    for write in range(1, 8, 3):
        shutil.rmtree(growing.project.path / ".git/handoff")
        growing.grow()
        assert growing.killed_at(write)
        growing.tell()
        expect_all(growing)


def test_forty_ends_at_once(project: Repository) -> None:
    sessions = [Growing(project, f"s-{number}") for number in range(40)]
    for session in sessions:
        session.grow()
    running = [session.start() for session in sessions]
    assert [process.wait(240) for process in running] == [0] * 40
    assert project.hook_log() == ""
    newest = expect_whole(project)
    ref = "refs/handoff/active/main/default"
    ledger = ledger_of(project)
    chain = bare.git(ledger, "rev-list", "--first-parent", ref).decode().split()
    kept = [
        json.loads(bare.git(ledger, "cat-file", "blob", f"{commit}:handoff.json"))
        for commit in chain
    ]
    names = {session.name for session in sessions}
    assert {packet["session"]["id"] for packet in kept} == names
    assert set(project.packets()) == names
    states = [packet["status"] for packet in project.packets().values()]
    assert (states.count("active"), states.count("superseded")) == (1, 39)
    assert project.packets()[newest["session"]["id"]] == newest
    told = json.loads(project.engine("timeline", "--json").stdout)["entries"]
    said = [entry["text"] for entry in told if entry["kind"] == "prompt"]
    assert sorted(said) == sorted(f"Question 1 of {name}" for name in names)
    assert leftovers(project) == []


def test_one_session_s_ends_at_once(growing: Growing) -> None:
    growing.grow()
    running = [growing.start() for _ in range(12)]
    assert [process.wait(120) for process in running] == [0] * 12
    expect_all(growing)


@pytest.mark.parametrize("most_bytes", [0, 100, 1_000, 4_000, 9_000])
def test_a_disk_that_is_full(growing: Growing, most_bytes: int) -> None:
    """No file can grow past a size: as on a full disk, a write ends in the middle or at once."""
    before = active(growing.project)
    growing.grow()
    (command,) = growing.project.hook_commands(RUNTIME, "Stop")

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, most_bytes))

    ended = hooked(growing, command, preexec_fn=limit)
    assert (ended.returncode, ended.stdout) == (0, b"")
    value = expect_whole(growing.project)
    assert value == before or value["digest"] != before["digest"]
    growing.tell()
    expect_all(growing)


def test_a_checkout_that_cannot_be_written(growing: Growing) -> None:
    """The agent's session goes on; when the folder can be written again nothing is missing."""
    project = growing.project
    before = active(project)
    growing.grow()
    (command,) = project.hook_commands(RUNTIME, "Stop")
    folders = [path for path in [project.path, *project.path.rglob("*")] if path.is_dir()]
    files = [path for path in project.path.rglob("*") if path.is_file()]
    modes = {path: path.stat().st_mode for path in (*folders, *files)}
    for path in (*files, *folders):
        path.chmod(modes[path] & 0o555)
    try:
        ended = hooked(growing, without_privileges(command))
    finally:
        for path in (*folders, *files):
            path.chmod(modes[path])
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, b"", b"")
    assert active(project) == before
    growing.tell()
    expect_all(growing)


def test_a_clock_that_is_set_back(growing: Growing) -> None:
    """The session before was recorded by a clock that was a day ahead."""
    project = growing.project
    record = project.path / ".handoff/state/sessions/s-1.json"
    value = json.loads(record.read_text(encoding="utf-8"))
    for key in ("started_at", "last_event_at"):
        value[key] += 86_400
    record.write_text(json.dumps(value), encoding="utf-8")
    growing.tell()
    assert "Question 1 of s-1" in started(project, "s-2")

    later = Growing(project, "s-2")
    later.grow()
    later.tell("UserPromptSubmit")
    later.tell()
    expect_all(later)
    assert active(project)["supersedes"]
    shown = json.loads(project.engine("status", "--json").stdout)
    assert shown["sessions"][-1]["id"] == "s-2"  # the one that verbs speak of
    # What the other said by the right clock is news, though it is older than what it heard before.
    said = growing.tell("UserPromptSubmit")
    assert "Question 1 of s-2" in said
    assert growing.tell("UserPromptSubmit") == ""


def test_a_session_that_nobody_closed_is_listed_until_it_is_taken_up(growing: Growing) -> None:
    project = growing.project
    growing.grow()  # killed in its turn

    def unread() -> list[str]:
        listed = json.loads(project.engine("status", "--json").stdout)["sessions"]
        return [one["id"] for one in listed if one["unread"]]

    assert unread() == ["s-1"]
    assert "more was done since" in project.engine("status").stdout
    found = json.loads(project.handoff("doctor", "--json").stdout)
    assert [one["code"] for one in found if "s-1" in one["detail"]] == ["session.unread"]
    assert "check s-1 2" in started(project, "s-2")
    assert unread() == []
    expect_all(growing)


def test_a_session_that_cannot_be_taken_up_is_told_and_stops_no_other(
    growing: Growing, tmp_path: Path
) -> None:
    project = growing.project
    other = Growing(project, "s-2")
    other.tell("SessionStart")
    (tmp_path / "outside").mkdir()
    (project.path / "outputs/handoff/s-2").symlink_to(tmp_path / "outside")
    for session in (growing, other):
        session.grow()
    told = started(project, "s-3")
    assert "claude-code session s-2 ended without a packet, and none could be made" in told
    assert "check s-1 2" in told
    assert "s-2 could not be recovered" in project.hook_log()


def started(project: Repository, name: str) -> str:
    payload = {"hook_event_name": "SessionStart", "session_id": name, "source": "startup"}
    return project.hook(RUNTIME, {**payload, "transcript_path": "", "cwd": str(project.path)})


def without_privileges(command: str) -> str:
    """The command as somebody for whom file modes count."""
    if os.geteuid():
        return command
    return f"exec setpriv --bounding-set=-all --inh-caps=-all sh -c {shlex.quote(command)}"


def hooked(
    session: Growing, command: str, event: str = "Stop", **more: Any
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        ["sh", "-c", command],
        input=json.dumps(session.payload(event)).encode(),
        cwd=session.project.path,
        env=environment(session.project.path),
        capture_output=True,
        check=False,
        timeout=120,
        **more,
    )
