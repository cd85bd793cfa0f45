"""A project through many releases: in order or skipping some, by our command or by plain Copier."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests import repository
from tests.cli.releases import DOCS, Releases, updated
from tests.repository import Repository, environment

EDIT = ("# Handoff packets in this project", "# Our packets")
STOP_GATE = "stop_gate:\n  type: str\n"


def set_up(releases: Releases, path: Path) -> Repository:
    """A project of the checkout's newest release, with an edit, all of it committed."""
    made = repository.new(path)
    made.write("app.py", "print('hello')\n")
    made.commit("start")
    done = releases.handoff(made, "init", "--defaults")
    assert done.returncode == 0, done.stderr
    edit(made.path)
    made.commit("handoff")
    return made


def edit(project: Path) -> None:
    docs = project / "docs" / "handoff.md"
    docs.write_text(docs.read_text().replace(*EDIT))


def files(project: Path) -> dict[str, bytes]:
    """Everything but what a run leaves behind and what git keeps."""
    paths = (path for path in project.rglob("*") if path.is_file())
    names = {path.relative_to(project).as_posix(): path for path in paths}
    ours = {name for name in names if not name.startswith((".git/", ".handoff/state/"))}
    return {name: names[name].read_bytes() for name in ours}


def question(releases: Releases, name: str, text: str) -> None:
    """Ask one more question, and say its answer in the docs."""
    releases.edit("copier.yml", STOP_GATE, f"{name}:\n  type: str\n{text}\n{STOP_GATE}")
    releases.edit(DOCS, "## The gate, as", f"{name}: {{{{ {name} }}}}\n\n## The gate, as")


def second(releases: Releases) -> None:
    question(releases, "team", "  help: Who?\n  default: us\n")
    releases.release("0.10.0")


def candidate(releases: Releases) -> None:
    """The question is renamed; its answer is taken along."""
    for path in ("copier.yml", DOCS):
        releases.edit(path, "team", "group")
    releases.edit("copier.yml", "  default: us", "  default: \"{{ team | default('us') }}\"")
    releases.release("1.0.0rc1")


def final(releases: Releases) -> None:
    """And dropped."""
    releases.edit(DOCS, "group: {{ group }}\n\n", "")
    text = (releases.checkout.path / "copier.yml").read_text()
    start, end = text.index("group:\n"), text.index(STOP_GATE)
    releases.checkout.write("copier.yml", text[:start] + text[end:])
    releases.release("1.0.0")


def answers(project: Repository) -> str:
    return (project.path / ".handoff" / "answers.yml").read_text()


def test_every_way_through_the_releases_ends_with_the_same_files(
    releases: Releases, tmp_path: Path
) -> None:
    """v0.9.0, v0.10.0, v1.0.0rc1, v1.0.0, in this order, although no text sorts like that."""
    steady = set_up(releases, tmp_path / "steady" / "app")
    skipping = {}
    for step in (second, candidate, final):
        came_from = answers(steady).split("_commit: v")[1].split()[0]
        skipping[came_from] = Repository(tmp_path / came_from / "app")
        shutil.copytree(steady.path, skipping[came_from].path)
        step(releases)
        found = updated(releases, steady)
        assert (found["from"], found["conflicts"], found["base"]) == (came_from, [], None)
        steady.commit(f"update to {found['to']}")
        if step is second:
            steady.write(
                ".handoff/answers.yml", answers(steady).replace("team: us", "team: the ü crew")
            )
            assert releases.handoff(steady, "regenerate").returncode == 0
            steady.commit("our team")
        if step is candidate:
            assert "group: the ü crew" in answers(steady)
            assert "team:" not in answers(steady)
    assert found["to"] == "1.0.0"
    assert "group" not in answers(steady)
    assert set(skipping) == {"0.9.0", "0.10.0", "1.0.0rc1"}
    for version, project in skipping.items():
        assert updated(releases, project)["from"] == version
        assert files(project.path) == files(steady.path), version
    assert "# Our packets" in (steady.path / "docs/handoff.md").read_text()


def copier(folder: Path, *arguments: str | Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "copier", *map(str, arguments)],
        cwd=folder,
        env=environment(folder),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_plain_copier_copies_and_updates_to_the_same_files(
    releases: Releases, tmp_path: Path
) -> None:
    ours = set_up(releases, tmp_path / "ours" / "app")
    plain = repository.new(tmp_path / "plain" / "app")
    plain.write("app.py", "print('hello')\n")
    plain.commit("start")
    copier(plain.path, "copy", "--defaults", releases.checkout.path, plain.path)
    assert plain.handoff("hooks", "install").returncode == 0
    edit(plain.path)
    plain.commit("handoff")
    second(releases)
    releases.edit("engine/times.py", '"""Times', '"""New. Times')
    releases.release("0.11.0")
    updated(releases, ours)
    record = ".handoff/answers.yml"
    copier(plain.path, "update", "--defaults", "--answers-file", record, plain.path)
    by_us, by_copier = files(ours.path), files(plain.path)
    recorded = [by_us.pop(".handoff/answers.yml"), by_copier.pop(".handoff/answers.yml")]
    assert by_us == by_copier
    comment, address = "# Written by Copier", "_src_path:"
    lines = [set(one.decode().splitlines()) for one in recorded]
    assert all(line.startswith((comment, address)) for line in lines[0] ^ lines[1])
    assert b"New. " in by_us[".handoff/engine/modules.txt"]


def test_after_a_session_a_project_is_updated_and_its_packet_stays(
    releases: Releases, tmp_path: Path
) -> None:
    """State and packets lie about as Copier's `Destination repository is dirty` had it."""
    project = set_up(releases, tmp_path / "app")
    project.play("claude-code")
    packet = project.active()
    assert packet["next_action"] == "Make lint.py pass"
    second(releases)
    assert "docs/handoff.md" in updated(releases, project)["written"]
    assert project.active() == packet


def test_without_any_release_on_record_the_newest_before_it_stands_in(
    releases: Releases, tmp_path: Path
) -> None:
    project = set_up(releases, tmp_path / "app")
    recorded = answers(project).replace("_commit: v0.9.0", "_commit: v0.9.3")
    project.write(".handoff/answers.yml", recorded)
    project.commit("from a build that nobody has any more")
    second(releases)
    found = updated(releases, project)
    assert (found["from"], found["base"], found["conflicts"]) == ("0.9.3", "v0.9.0", [])


@pytest.mark.parametrize("setting", ["explicit", "all"])
def test_in_a_linked_work_tree_of_a_bare_repository(
    releases: Releases, tmp_path: Path, setting: str
) -> None:
    origin = set_up(releases, tmp_path / "app")
    bare = tmp_path / "bare.git"
    origin.git("clone", "--quiet", "--bare", str(origin.path), str(bare))
    tree = Repository(tmp_path / "tree")
    origin.git("--git-dir", str(bare), "worktree", "add", "--quiet", str(tree.path), "-b", "work")
    config = tmp_path / "home" / ".gitconfig"
    config.parent.mkdir(exist_ok=True)
    config.write_text(f"[safe]\n\tbareRepository = {setting}\n")
    second(releases)
    releases.edit(DOCS, "# Handoff packets in this project", "# Theirs")
    releases.release("0.11.0")
    assert updated(releases, tree, code=3)["conflicts"] == ["docs/handoff.md"]
    assert tree.git("status", "--porcelain", "docs").startswith("UU")


def test_what_fails_half_way_leaves_every_file_as_it_was(
    releases: Releases, tmp_path: Path
) -> None:
    project = set_up(releases, tmp_path / "app")
    before = files(project.path)
    releases.edit(DOCS, EDIT[0], "# Theirs")
    releases.edit("engine/times.py", '"""Times', '"""New. Times')
    releases.release("0.10.0")
    lock = project.write(".git/index.lock", "")  # another git is at work: no conflict can be told
    done = releases.handoff(project, "update")
    assert done.returncode == 1
    assert "index.lock" in done.stderr
    assert files(project.path) == before
    lock.unlink()
    assert project.git("status", "--porcelain") == ""


def test_each_of_many_is_told_the_truth(releases: Releases, tmp_path: Path) -> None:
    first = set_up(releases, tmp_path / "all" / "plain")
    names = ("plain", "conflicted", "broken", "newer", "current")
    made = {name: Repository(tmp_path / "all" / name) for name in names}
    for name in names[1:]:
        shutil.copytree(first.path, made[name].path)
    docs = made["conflicted"].path / "docs" / "handoff.md"
    docs.write_text(docs.read_text().replace("## Where everything lies", "## Our places"))
    made["broken"].write(".codex/hooks.json", "{ broken")
    made["newer"].write(
        ".handoff/answers.yml", answers(first).replace("_commit: v0.9.0", "_commit: v2.0.0")
    )
    for name in names[1:4]:
        made[name].commit("ours")
    releases.edit(DOCS, "## Where everything lies", "## Where it all lies")
    releases.release("0.10.0")
    assert releases.handoff(made["current"], "update").returncode == 0
    shutil.rmtree(tmp_path / "all" / "home")
    before = files(made["broken"].path)
    assert releases.handoff(first, "projects", "scan", str(tmp_path / "all")).returncode == 0
    done = releases.handoff(first, "update", "--all", "--json")
    assert done.returncode == 1, done.stderr
    rows = {Path(row["path"]).name: row for row in json.loads(done.stdout)}
    assert {name: row["result"] for name, row in rows.items()} == {
        "plain": "updated",
        "conflicted": "conflict",
        "broken": "failed",
        "newer": "failed",
        "current": "up to date",
    }
    assert rows["conflicted"]["update"]["conflicts"] == ["docs/handoff.md"]
    assert "`.codex/hooks.json` is not valid JSON" in rows["broken"]["error"]
    assert "set up by handoff v2.0.0, this is v0.10.0" in rows["newer"]["error"]
    assert files(made["broken"].path) == before
    assert files(first.path) == files(made["current"].path)
