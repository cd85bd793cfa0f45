"""The engine's verbs, through the command and on their own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import jsonschema

from tests.repository import Repository, environment


def tool(project: Repository, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the project's `tools/generate_handoff.py`."""
    script = str(project.path / "tools" / "generate_handoff.py")
    return subprocess.run(
        [sys.executable, script, *arguments],
        cwd=project.path,
        env=environment(project.path),
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_script_run_twice_gives_the_same_bytes(project: Repository) -> None:
    project.play("claude-code")
    outputs = project.path / "outputs" / "handoff"
    seen = set()
    for _ in range(2):
        done = tool(project)
        assert done.returncode == 0, done.stderr
        assert done.stdout.strip().endswith("/handoff.json")
        seen.add(tuple(path.read_bytes() for path in sorted(outputs.glob("*/*"))))
    assert len(seen) == 1
    assert list(project.path.rglob("__pycache__")) == []


def test_the_script_can_be_imported_for_its_function(project: Repository) -> None:
    project.play("claude-code")
    project.write("engine/__init__.py", "raise RuntimeError('the engine of somebody else')\n")
    code = """
import json, sys
sys.path[:0] = ["tools", "."]
import generate_handoff as tool
snapshot = tool.engine("verbs.snapshot")
project = tool.engine("project").Project(".")
at = tool.engine("git").place(".")
taken = snapshot.take(project, at, project.sessions()[-1], None)
markdown, payload = tool.generate_handoff(taken)
assert markdown.startswith("# Handoff: Make the parser accept empty lines")
print(json.dumps(payload))
"""
    done = subprocess.run(
        [sys.executable, "-B", "-c", code],
        cwd=project.path,
        env=environment(project.path),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    payload = json.loads(done.stdout)
    schema = json.loads((project.path / "handoff.schema.json").read_text())
    jsonschema.Draft202012Validator(schema).validate(payload)


def test_without_any_session_the_packet_comes_from_git(project: Repository) -> None:
    project.write("app.py", "print('changed')\n")
    done = project.handoff("generate", "--json")
    assert done.returncode == 0, done.stderr
    packet = json.loads(done.stdout)
    assert packet["session"]["id"] == "manual"
    assert packet["next_action"] == "review and commit, or stash, `app.py`"
    assert project.handoff("show", "--json").stdout == done.stdout


def test_a_refusal_is_exit_code_3_with_the_reason_and_the_way_out(project: Repository) -> None:
    done = project.handoff("generate")
    assert done.returncode == 3
    assert "next_action.missing" in done.stderr
    assert done.stdout.strip() == "outputs/handoff/manual/blocked.json"


def test_show_names_a_superseded_packet_as_such(project: Repository) -> None:
    project.play("claude-code", session_id="first")
    project.play("codex", session_id="second")
    shown = json.loads(project.handoff("show", "--session", "first", "--json").stdout)
    assert (shown["status"], shown["superseded_by"]) == ("superseded", "second")
    assert shown == project.packets()["first"]
    assert project.active()["supersedes"] == "first"
    natives = [one["runtime"] for one in project.active()["native_sessions"]]
    assert natives == ["claude-code", "codex"]


def test_show_without_a_packet_says_what_to_do(project: Repository) -> None:
    done = project.handoff("show")
    assert (done.returncode, done.stdout) == (1, "")
    assert "no active packet" in done.stderr
    assert "handoff generate" in done.stderr


def test_each_branch_has_its_own_packet(project: Repository) -> None:
    project.play("claude-code")
    project.git("checkout", "--quiet", "-b", "feature/x")
    assert project.handoff("show").returncode == 1
    project.write("app.py", "print('x')\n")
    assert project.handoff("generate").returncode == 0
    assert project.active()["branch"] == "feature/x"
    project.git("checkout", "--quiet", "-f", "main")
    assert project.active()["branch"] == "main"


def test_what_a_clone_brings_in_outputs_is_not_trusted(project: Repository, tmp_path: Path) -> None:
    project.play("claude-code")
    project.git("add", "-f", "outputs")
    project.commit("with packets")
    project.git("clone", "--quiet", ".", str(tmp_path / "clone"))
    clone = Repository(tmp_path / "clone")
    assert clone.packets()
    assert clone.engine("show").returncode == 1
    start = {"session_id": "s", "hook_event_name": "SessionStart", "source": "startup"}
    assert clone.hook("claude-code", start) == ""


def test_status_tells_sessions_and_the_last_error(project: Repository) -> None:
    project.play("claude-code")
    (command,) = project.hook_commands("claude-code", "Stop")
    subprocess.run(["sh", "-c", command], cwd=project.path, input=b"nonsense", check=True)
    value = json.loads(project.handoff("status", "--json").stdout)
    assert value["active"]["next_action"] == "Make lint.py pass"
    assert [one["packet"] for one in value["sessions"]] == [True]
    assert "the hook's input is not JSON" in value["last_hook_error"]
    assert "Make lint.py pass" in project.handoff("status").stdout


def test_validate_finds_a_changed_packet_and_names_the_older_form(project: Repository) -> None:
    project.play("claude-code")
    ((session, packet),) = project.packets().items()
    path = f"outputs/handoff/{session}/handoff.json"
    assert project.handoff("validate", path).returncode == 0
    packet["next_action"] = "do something else"
    (project.path / path).write_text(json.dumps(packet))
    done = project.handoff("validate", path)
    assert done.returncode == 1
    assert "packet.digest: does not match" in done.stdout
    project.write("old.json", '{"task_id": "T-1", "summary": "s", "next_action": "n"}')
    assert "older form" in project.handoff("validate", "old.json").stdout
    project.write("broken.json", "{")
    assert project.handoff("validate", "broken.json").returncode == 1


def test_a_broken_configuration_is_told_and_loses_nothing(project: Repository) -> None:
    config = project.path / ".handoff" / "config.json"
    good = config.read_text()
    config.write_text(good.replace('"tail_length": 10', '"tail_length": "ten"'))
    project.play("claude-code")
    assert "`tail_length` must be 0 to 30" in project.hook_log()
    assert project.packets() == {}
    config.write_text(good)
    assert project.handoff("generate").returncode == 0
    assert len(project.active()["commands_run"]) == 4
