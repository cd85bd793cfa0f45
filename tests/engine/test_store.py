"""The doors to the disk: whole files, growing files, and nothing outside the folder given."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine import logs, paths, store
from engine.errors import HandoffError


def test_a_file_is_written_whole_with_its_folders_and_only_once(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b.txt"
    assert store.write(str(path), b"one", str(tmp_path))
    assert path.read_bytes() == b"one"
    before = path.stat().st_mtime_ns
    assert not store.write(str(path), b"one", str(tmp_path))
    assert path.stat().st_mtime_ns == before
    assert store.write(str(path), b"two", str(tmp_path))
    assert [item.name for item in path.parent.iterdir()] == ["b.txt"]


def test_a_file_keeps_its_mode_and_its_link(tmp_path: Path) -> None:
    real, link = tmp_path / "real.sh", tmp_path / "link.sh"
    real.write_bytes(b"one")
    real.chmod(0o750)
    link.symlink_to(real)
    store.write(str(link), b"two", str(tmp_path))
    assert (real.read_bytes(), real.stat().st_mode & 0o777) == (b"two", 0o750)
    assert link.is_symlink()


@pytest.mark.parametrize("name", ["../out.txt", "link/out.txt", "file-link", "in/../../out.txt"])
def test_nothing_is_written_outside(tmp_path: Path, name: str) -> None:
    inside, outside = tmp_path / "in", tmp_path / "elsewhere"
    inside.mkdir()
    outside.mkdir()
    (inside / "in").mkdir()
    (inside / "link").symlink_to(outside)
    (inside / "file-link").symlink_to(outside / "new.txt")
    target = str(inside / name)
    with pytest.raises(HandoffError, match="leads out of"):
        store.write(target, b"x", str(inside))
    with pytest.raises(HandoffError, match="leads out of"):
        logs.append(target, b"x", str(inside))
    with pytest.raises(HandoffError, match="leads out of"):
        store.remove(target, str(inside))
    assert list(outside.iterdir()) == []
    assert not (tmp_path / "out.txt").exists()


def test_a_folder_with_a_longer_name_is_outside(tmp_path: Path) -> None:
    (tmp_path / "app").mkdir()
    with pytest.raises(HandoffError):
        paths.inside(str(tmp_path / "app-2" / "x"), str(tmp_path / "app"))
    assert paths.inside(str(tmp_path / "app"), str(tmp_path / "app")) == str(tmp_path / "app")


def test_what_is_no_regular_file_is_not_read(tmp_path: Path) -> None:
    assert store.read(str(tmp_path)) is None
    assert store.read(str(tmp_path / "missing")) is None
    assert logs.tail(str(tmp_path / "missing"), 9) == b""


def test_removing_twice_is_fine(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"")
    for _ in range(2):
        store.remove(str(tmp_path / "x"), str(tmp_path))
    assert list(tmp_path.iterdir()) == []


def test_a_hidden_folder_ignores_itself(tmp_path: Path) -> None:
    store.hide(str(tmp_path / "outputs"), str(tmp_path))
    assert (tmp_path / "outputs" / ".gitignore").read_text() == "*\n"


def test_a_log_grows_and_its_end_is_read(tmp_path: Path) -> None:
    path = str(tmp_path / "logs" / "a.jsonl")
    logs.append(path, b"one\n", str(tmp_path))
    logs.append(path, b"two\n", str(tmp_path))
    assert logs.tail(path, 100) == b"one\ntwo\n"
    assert logs.tail(path, 4) == b"two\n"


def read(path: Path, offset: int) -> tuple[list[bytes], int]:
    lines = store.Lines(str(path), offset)
    try:
        return list(lines), lines.offset
    finally:
        lines.close()


def test_half_a_line_in_a_log_costs_no_other(tmp_path: Path) -> None:
    path = str(tmp_path / "a.log")
    logs.append(path, b"one\n", str(tmp_path))
    with open(path, "ab") as file:
        file.write(b"ha")  # the disk was full
    logs.append(path, b"two\n", str(tmp_path))
    logs.append(path, b"three\n", str(tmp_path))
    assert Path(path).read_bytes() == b"one\nha\ntwo\nthree\n"


def test_complete_lines_are_read_from_where_the_last_reader_ended(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(b"one\ntwo\nthr")
    assert read(path, 0) == ([b"one\n", b"two\n"], 8)
    path.write_bytes(b"one\ntwo\nthree\n")
    assert read(path, 8) == ([b"three\n"], 14)
    assert read(path, 14) == ([], 14)


def test_a_file_that_became_shorter_is_read_from_its_start(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(b"new\n")
    assert read(path, 400) == ([b"new\n"], 4)


def test_a_lock_that_stays_taken_holds_nobody_up(tmp_path: Path) -> None:
    lock = str(tmp_path / "state" / "lock")
    ran = []
    with store.exclusive(lock, str(tmp_path)):
        with store.exclusive(lock, str(tmp_path), timeout_seconds=0.05):
            ran.append("inner")
        ran.append("outer")
    assert ran == ["inner", "outer"]
