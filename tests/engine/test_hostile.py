"""Names, folders and repositories that somebody made to do harm, or that are merely odd."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from engine import session as sessions
from tests import repository
from tests.repository import Repository

from .faults import RUNTIME, Growing, active, expect_all

ODD = (
    "../../../pwn", "/abs/pwn", "a/b", "a\\b", "..", ".", "", "x" * 300, "con", "nul\0byte",
    "line\nbreak", "%2e%2e%2fpwn", "\u202eevil", "~root", " lead", "-rf", "$(touch pwn)", "`pwn`",
    "A/B", "é" * 200, "\udcff", "refs/heads/x.lock", "@{u}", "a..b", "*",
)  # fmt: skip
OURS = ("outputs", ".handoff/state", ".git/handoff", "handoff.schema.json")


def everything(folder: Path, but: tuple[str, ...] = OURS) -> dict[str, bytes]:
    """Every file below the folder, its parents' own files too, but for those of our folders."""
    top = folder.parent
    ours = tuple(str(folder / name) for name in but)
    found = (Path(place, name) for place, _, names in os.walk(top) for name in names)
    return {
        str(path): path.read_bytes()
        for path in found
        if not str(path).startswith(ours) and path.is_file() and path.name != "s-1.jsonl"
    }


def end(project: Repository, name: object, **more: Any) -> None:
    """The end of a session's turn in which a command ran."""
    about = {"session_id": name, "transcript_path": "none", **more}
    ran = {"tool_name": "Bash", "tool_use_id": f"t-{name}", "tool_input": {"command": "make"}}
    project.hook(RUNTIME, {"hook_event_name": "PostToolUse", **about, **ran, "tool_response": {}})
    project.hook(RUNTIME, {"hook_event_name": "Stop", **about, "last_assistant_message": "Made."})


def test_a_session_s_id_is_no_path(project: Repository) -> None:
    project.write("app.py", "print('changed')\n")
    before = everything(project.path)
    for name in ODD:
        end(project, name)
    for no_name in (["a"], 12345, None, {"a": 1}, True):
        end(project, no_name, cwd=None)
    assert everything(project.path) == before
    # An empty id is none; every other one has a packet of its own.
    assert len(project.packets()) == len(ODD) - 1
    assert project.hook_log() == ""
    folders = [path.name for path in (project.path / "outputs/handoff").iterdir()]
    assert len({name.casefold() for name in folders}) == len(folders)


def test_a_topic_is_no_path_and_no_ref(project: Repository) -> None:
    project.write("app.py", "print('changed')\n")
    before = everything(project.path)
    taken = []
    for number, name in enumerate(ODD):
        if "\0" in name or name == "\udcff":
            continue  # no argument of a program can hold it
        done = project.engine("topic", "use", "--", name)
        assert "Traceback" not in done.stderr
        if done.returncode == 0:
            taken.append(name)
            end(project, f"s-{number}")
            assert active(project, name)["session"]["id"] == f"s-{number}"
    assert everything(project.path) == before
    assert len(taken) > 5
    kept = {active(project, name)["session"]["id"] for name in taken}
    assert len(kept) == len(taken)


def test_branches_that_differ_in_case_or_were_a_folder_of_the_other(project: Repository) -> None:
    project.commit("set up")
    names = ["Feature", "feature", "FEATURE/x", "feature/x", "feature/X", "ünï-🎉", "a.b", "@"]
    packets = {}
    for number, name in enumerate(names):
        project.git("checkout", "--quiet", "--detach", "main")
        for old in names:
            if (
                old
                in project.git("for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads").split()
            ):
                project.git("branch", "--quiet", "-D", "--", old)
        project.git("checkout", "--quiet", "-b", name)
        project.write("app.py", f"print({number})\n")
        end(project, f"s-{number}")
        packets[name] = project.active()
        assert packets[name]["branch"] == name
        assert packets[name]["supersedes"] is None
        project.git("checkout", "--quiet", "--", "app.py")
    assert [one["session"]["id"] for one in packets.values()] == [f"s-{n}" for n in range(8)]


@pytest.mark.parametrize("place", ["outputs", "outputs/handoff", "outputs/handoff/s-1"])
def test_an_outputs_folder_that_leads_elsewhere(
    project: Repository, tmp_path: Path, place: str
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    link = project.path / place
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(outside)
    project.write("app.py", "print('changed')\n")
    end(project, "s-1")
    assert list(outside.rglob("*")) == []
    assert "leads out of" in project.hook_log()
    link.unlink()
    end(project, "s-1")
    assert project.packets()["s-1"] == active(project)


@pytest.mark.parametrize("place", [".handoff/state", ".handoff/state/sessions"])
def test_a_state_folder_that_leads_elsewhere(
    project: Repository, tmp_path: Path, place: str
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    link = project.path / place
    link.parent.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(link, ignore_errors=True)
    link.symlink_to(outside)
    end(project, "s-1")
    assert list(outside.rglob("*")) == []


def test_what_came_with_a_clone_is_not_trusted(project: Repository, tmp_path: Path) -> None:
    """A stranger's repository brings a packet, and a session whose transcript is another's."""
    secret = tmp_path / "secret.jsonl"
    row = {"type": "user", "message": {"content": "The stolen words"}}
    secret.write_text(json.dumps(row) + "\n", encoding="utf-8")
    session = Growing(project)
    session.grow()
    session.tell()
    value = sessions.value(sessions.new(RUNTIME, "evil"))
    value |= {"transcript": str(secret), "unpublished": True, "last_event_at": 1e9}
    project.write(".handoff/state/sessions/evil.json", json.dumps(value))
    project.git("add", "--force", ".")
    project.git("commit", "--quiet", "-m", "a gift")
    project.git("clone", "--quiet", ".", str(tmp_path / "clone"))
    clone = Repository(tmp_path / "clone")
    assert clone.packets()["s-1"]["status"] == "active"  # the stranger's word
    said = clone.hook(
        RUNTIME, {"hook_event_name": "SessionStart", "session_id": "mine", "source": "startup"}
    )
    assert said == ""
    status = json.loads(clone.engine("status", "--json").stdout)
    assert (status["active"], [one["id"] for one in status["sessions"]]) == (None, ["mine"])
    assert json.loads(clone.engine("timeline", "--json").stdout)["entries"] == []
    assert "evil" not in clone.packets()
    end(clone, "mine")
    assert not any("stolen" in path.read_text() for path in clone.path.glob("outputs/**/*.json"))


def test_programs_that_the_repository_configures_are_not_run(
    project: Repository, tmp_path: Path
) -> None:
    marker = tmp_path / "ran"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\necho \"$0 $*\" >> '{marker}'\ncat\n", encoding="utf-8")
    program.chmod(0o755)
    folder = tmp_path / "git-hooks"
    folder.mkdir()
    for name in ("post-index-change", "reference-transaction", "pre-commit", "post-checkout"):
        (folder / name).symlink_to(program)
    keys = "core.pager credential.helper core.fsmonitor diff.external core.sshCommand core.editor"
    for key in (*keys.split(), "gpg.program", "pager.log", "pager.diff"):
        project.git("config", key, str(program))
    project.git("config", "core.hooksPath", str(folder))
    project.git("config", "log.showSignature", "true")
    session = Growing(project)
    for event in ("SessionStart", "UserPromptSubmit", "Stop", "PreCompact", "SessionEnd"):
        session.grow()
        session.tell(event)
    expect_all(session)
    assert not marker.exists(), marker.read_text()


@pytest.mark.parametrize("kind", ["shallow", "sparse", "worktree of bare", "submodule"])
def test_odd_repositories(project: Repository, tmp_path: Path, kind: str) -> None:
    project.write("docs/a.md", "a\n")
    project.commit("set up")
    project.write("docs/b.md", "b\n")
    project.commit("more")
    place, url = tmp_path / "odd", f"file://{project.path}"
    if kind == "shallow":
        project.git("clone", "--quiet", "--depth=1", url, str(place))
    elif kind == "sparse":
        project.git("clone", "--quiet", "--sparse", url, str(place))
        Repository(place).git("sparse-checkout", "set", ".handoff", ".claude")
    elif kind == "worktree of bare":
        project.git("clone", "--quiet", "--bare", url, str(tmp_path / "bare.git"))
        bare = ["--git-dir", str(tmp_path / "bare.git")]
        project.git(*bare, "worktree", "add", "--quiet", str(place), "main")
    else:
        outer = repository.new(tmp_path / "outer")
        outer.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", url, "odd")
        place = outer.path / "odd"
    odd = Repository(place)
    session = Growing(odd)
    session.tell("SessionStart")
    session.grow()
    session.tell("UserPromptSubmit")
    session.tell()
    assert odd.hook_log() == ""
    value = odd.active()
    assert [one["path"] for one in value["changed_files"]] == ["app.py"]
    assert value["branch"] == "main"
    assert odd.packets()["s-1"] == value


def test_a_folder_whose_name_has_line_breaks(project: Repository, tmp_path: Path) -> None:
    place = tmp_path / "line\nbreak\n"
    project.path.rename(place)
    session = Growing(Repository(place))
    session.grow()
    session.tell()
    expect_all(session)


def test_in_a_bare_repository_nothing_happens(project: Repository, tmp_path: Path) -> None:
    project.commit("set up")
    project.git("clone", "--quiet", "--bare", ".", str(tmp_path / "bare.git"))
    (command,) = project.hook_commands(RUNTIME, "Stop")
    payload = json.dumps({"hook_event_name": "Stop", "session_id": "s", "transcript_path": ""})
    done = repository.shell(command, payload, tmp_path / "bare.git")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_two_topics_have_two_active_packets_and_one_topic_has_one(project: Repository) -> None:
    """Two sessions on one branch, their ends interleaved."""
    one, two = Growing(project, "s-1"), Growing(project, "s-2")
    one.tell("SessionStart")
    assert project.engine("topic", "use", "other").returncode == 0
    two.tell("SessionStart")
    for _ in range(2):
        for session in (one, two):
            session.grow()
            session.tell()
    assert active(project)["session"]["id"] == "s-1"
    assert active(project, "other")["session"]["id"] == "s-2"
    assert {one["status"] for one in project.packets().values()} == {"active"}

    three = Growing(project, "s-3")
    three.tell("SessionStart")
    for session in (three, two, three):
        session.grow()
        session.tell()
    assert active(project, "other")["session"]["id"] == "s-3"
    assert active(project, "other")["supersedes"] == "s-2"
    packets = project.packets()
    assert (packets["s-2"]["status"], packets["s-2"]["superseded_by"]) == ("superseded", "s-3")
    assert packets["s-1"]["status"] == "active"
