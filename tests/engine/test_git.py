"""What the engine reads from real repositories."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine import git
from engine.model import GitState
from tests import repository
from tests.repository import Repository


def snapshot(repo: Repository, base: str | None = None) -> GitState:
    at = git.place(str(repo.path))
    assert at is not None
    return git.snapshot(at, base, lambda path: path.startswith("ours/"), lambda path: 1)


@pytest.fixture
def repo(tmp_path: Path) -> Repository:
    made = repository.new(tmp_path / "repo")
    made.write("kept.txt", "one\ntwo\n")
    made.write("old name.txt", "a\nb\nc\nd\n")
    made.commit("start")
    return made


def test_outside_a_repository_there_is_no_place(tmp_path: Path) -> None:
    assert git.place(str(tmp_path)) is None


def test_changes_are_told_from_the_base_to_the_work_tree(repo: Repository) -> None:
    base = repo.git("rev-parse", "HEAD").strip()
    repo.git("mv", "old name.txt", "new name.txt")
    repo.write("committed.txt", "x\n")
    repo.commit("Rename and add")
    repo.write("kept.txt", "one\n")
    repo.write("new.txt", "x\n")
    state = snapshot(repo, base)
    found = {item.path: (item.change, item.origin, item.committed) for item in state.changed}
    assert found == {
        "committed.txt": ("added", None, True),
        "kept.txt": ("modified", None, False),
        "new name.txt": ("renamed", "old name.txt", True),
        "new.txt": ("untracked", None, False),
    }
    assert [commit.subject for commit in state.commits] == ["Rename and add"]
    assert (state.dirty, state.base) == (("kept.txt", "new.txt"), base)


def test_names_come_out_exactly(repo: Repository) -> None:
    names = ["tab\there", "line\nbreak", 'quo"te', "ümlaut", " leading", "日本"]
    for name in names:
        repo.write(name, "x\n")
    repo.git("add", *names[:3])
    assert {item.path for item in snapshot(repo).changed} == set(names)


def test_our_own_files_never_count(repo: Repository) -> None:
    repo.write("ours/file", "x\n")
    state = snapshot(repo)
    assert (state.dirty, state.changed) == ((), ())


@pytest.mark.parametrize("staged", [False, True])
def test_before_the_first_commit(tmp_path: Path, staged: bool) -> None:
    repo = repository.new(tmp_path / "empty", branch="trunk")
    if staged:
        repo.write("a", "a\n")
        repo.git("add", "a")
    state = snapshot(repo)
    assert (state.head, state.branch, state.detached) == (None, "trunk", False)
    assert state.dirty == (("a",) if staged else ())
    assert [item.change for item in state.changed] == (["added"] if staged else [])


def test_a_detached_head_has_no_branch(repo: Repository) -> None:
    repo.git("checkout", "--quiet", "--detach")
    state = snapshot(repo)
    assert (state.branch, state.detached) == (None, True)
    assert git.branch(str(repo.path)) is None


def test_a_base_that_is_gone_is_a_problem_and_no_crash(repo: Repository) -> None:
    state = snapshot(repo, "0123456789" * 4)
    assert state.base is None
    assert state.problems == ("the commit this session started from is gone from the repository",)


def test_a_worktree_shares_the_common_folder(repo: Repository, tmp_path: Path) -> None:
    repo.git("worktree", "add", "--quiet", "-b", "side", str(tmp_path / "side"))
    here, there = git.place(str(repo.path)), git.place(str(tmp_path / "side"))
    assert here is not None
    assert there is not None
    assert here.common_dir == there.common_dir
    assert git.branch(there.top) == "side"


def test_a_subfolder_knows_its_place(repo: Repository) -> None:
    repo.write("packages/one/x.txt", "x\n")
    at = git.place(str(repo.path / "packages/one"))
    assert at is not None
    assert (at.top, at.prefix) == (str(repo.path.resolve()), "packages/one/")


def test_the_index_is_not_written_and_a_lock_does_no_harm(repo: Repository) -> None:
    index = repo.path / ".git/index"
    (repo.path / "kept.txt").touch()  # stat data differs: a refresh would write the index
    before = index.read_bytes()
    (repo.path / ".git/index.lock").write_text("")
    assert snapshot(repo).dirty == ()
    assert index.read_bytes() == before


def test_distance_counts_commits_and_knows_strangers(repo: Repository) -> None:
    at = git.place(str(repo.path))
    assert at is not None
    base = git.head(str(repo.path))
    assert base is not None
    repo.write("x", "x\n")
    repo.commit("one more")
    assert git.distance(at, base) == 1
    repo.git("checkout", "--quiet", "--orphan", "other")
    repo.commit("unrelated")
    assert git.distance(at, base) is None
