"""The hooks as they are installed, fed with recorded payloads, in a real repository."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from engine import registry
from engine.runtimes import base
from tests import repository
from tests.repository import SETTINGS, Repository, shell

STORY = {"claude-code": "a4693f0f-8836-4117-a0cf-3dcc10446e98", "codex": ""}
each_runtime = pytest.mark.parametrize("runtime", SETTINGS)


def claude(event: str, session_id: str = "s-1", **keys: Any) -> dict[str, Any]:
    return {"hook_event_name": event, "session_id": session_id, "transcript_path": "", **keys}


def test_the_other_runtime_receives_the_packet_of_a_recorded_session(project: Repository) -> None:
    for first, second in (("claude-code", "codex"), ("codex", "claude-code")):
        project.play(first)
        start = project.play(second)[0]
        context = json.loads(start)["hookSpecificOutput"]["additionalContext"]
        assert "NEXT ACTION (from plan): Make lint.py pass" in context
        assert (
            "`python3 lint.py` exit code 3: parser.py:1: parse has no return annotation" in context
        )


@each_runtime
def test_a_recorded_session_leaves_a_valid_packet(project: Repository, runtime: str) -> None:
    project.play(runtime)
    assert project.hook_log() == ""
    ((session_id, packet),) = project.packets().items()
    schema = json.loads((project.path / "handoff.schema.json").read_text())
    jsonschema.Draft202012Validator(schema).validate(packet)
    assert packet == project.active()
    assert [(run["command"], run["exit_code"]) for run in packet["commands_run"]] == [
        ("python3 -m unittest -q", 1),
        ("python3 -m unittest -q", 0),
        ("python3 lint.py", 3),
        ("git add parser.py CHANGES.md && git commit -q -m 'Accept empty lines'", 0),
    ]
    assert packet["session"]["id"] == session_id
    # Without a person Qwen reports no end of its session.
    assert bool(packet["session"]["ended_at"]) == (runtime != "qwen")
    assert packet["task"]["goal"] == "Make the parser accept empty lines"
    validated = project.engine("validate", f"outputs/handoff/{session_id}/handoff.json")
    assert validated.returncode == 0, validated.stdout


@each_runtime
def test_markdown_is_the_render_of_the_json(project: Repository, runtime: str) -> None:
    from engine import render

    project.play(runtime)
    ((session_id, packet),) = project.packets().items()
    shown = (project.path / f"outputs/handoff/{session_id}/handoff.md").read_text(encoding="utf-8")
    assert shown == render.markdown(packet)


@each_runtime
def test_hooks_say_nothing_but_the_packet_at_a_start(project: Repository, runtime: str) -> None:
    assert set(project.play(runtime)) == {""}
    replies = project.play(runtime, session_id="another-session")
    assert [bool(reply) for reply in replies] == [True] + [False] * (len(replies) - 1)


@pytest.mark.parametrize(
    ("runtime", "recording", "expected"),
    [
        ("claude-code", "background-failed", {"sleep 1; echo late; exit 7": 7}),
        ("claude-code", "background-and-timeout", {"sleep 2; echo late": 0, "sleep 5": 143}),
        ("claude-code", "permission-denied", {"touch /tmp/obs/denied-marker": None}),
        ("codex", "sigterm-in-command", {"echo begun; touch /tmp/obs/xm; sleep 100": None}),
        ("codex", "code-mode", {"echo one; exit 4": 4}),
        (
            "codex",
            "background-polled-and-not",
            {
                "echo quick": 0,
                "echo a; sleep 2; echo b; exit 5": 5,
                "sleep 1.2; echo finished; exit 6": 6,
                "sleep 2": 0,
                "echo never; sleep 300": None,
            },
        ),
    ],
)
def test_an_exit_code_that_nobody_reported_is_null(
    project: Repository, runtime: str, recording: str, expected: dict[str, int | None]
) -> None:
    project.write("app.py", "print('so that there is a next action')\n")
    project.play(runtime, recording)
    project.engine("generate")  # a killed session has no event that would
    runs = project.active()["commands_run"]
    assert {run["command"]: run["exit_code"] for run in runs} == expected


def test_a_failure_stays_listed_with_the_run_that_passed(project: Repository) -> None:
    project.play("claude-code")
    first, second = project.active()["failed_attempts"]
    assert first["command"] == "python3 -m unittest -q"
    assert first["resolved_by"]["id"] == project.active()["commands_run"][1]["id"]
    assert (second["command"], second["resolved_by"]) == ("python3 lint.py", None)


def test_a_session_that_did_nothing_leaves_the_packet_of_the_one_before(
    project: Repository,
) -> None:
    project.play("claude-code")
    before = project.active()
    for event in ("SessionStart", "UserPromptSubmit", "Stop", "SessionEnd"):
        project.hook("claude-code", claude(event, "idle", prompt="hello", source="startup"))
    assert project.active() == before


def test_a_session_that_was_only_opened_and_closed_leaves_no_trace(project: Repository) -> None:
    for event in ("SessionStart", "SessionEnd"):
        project.hook("claude-code", claude(event, source="startup", reason="other"))
    assert not (project.path / "outputs").exists()


def test_no_next_action_is_a_blocked_record_and_no_packet(project: Repository) -> None:
    project.hook("claude-code", claude("SessionStart", source="startup"))
    project.hook("claude-code", claude("UserPromptSubmit", prompt="what does app.py do?"))
    project.hook("claude-code", claude("Stop", last_assistant_message="It greets."))
    assert project.packets() == {}
    folder = project.path / "outputs/handoff/s-1"
    blocked = json.loads((folder / "blocked.json").read_text())
    assert [reason["code"] for reason in blocked["blocked"]] == ["next_action.missing"]
    assert (blocked["next_action"], blocked["status"]) == (None, "blocked")
    assert blocked["last_statement"] == "It greets."
    assert "Blocked" in (folder / "blocked.md").read_text()
    assert project.engine("generate").returncode == 3


def test_what_was_blocked_becomes_a_packet_once_there_is_a_next_action(project: Repository) -> None:
    project.hook("claude-code", claude("Stop", last_assistant_message="It greets."))
    project.write("app.py", "print('hello, world')\n")
    project.hook("claude-code", claude("Stop", last_assistant_message="It greets the world."))
    assert project.active()["next_action"] == "review and commit, or stash, `app.py`"
    assert not (project.path / "outputs/handoff/s-1/blocked.json").exists()


def test_a_first_session_right_after_init_gives_a_packet_and_none_of_our_files(
    project: Repository,
) -> None:
    project.hook("claude-code", claude("SessionStart", source="startup"))
    project.write("app.py", "print('hello, world')\n")
    project.hook("claude-code", claude("Stop"))
    assert [item["path"] for item in project.active()["changed_files"]] == ["app.py"]


def test_a_settings_file_that_its_owner_changed_counts_as_work(project: Repository) -> None:
    project.hook("claude-code", claude("SessionStart", source="startup"))
    settings = project.path / ".claude/settings.json"
    settings.write_text(
        settings.read_text().replace('{\n  "hooks"', '{\n  "model": "x",\n  "hooks"')
    )
    project.hook("claude-code", claude("Stop"))
    assert [item["path"] for item in project.active()["changed_files"]] == [".claude/settings.json"]


def test_the_last_turn_survives_a_session_that_never_ends(project: Repository) -> None:
    project.hook("claude-code", claude("SessionStart", source="startup"))
    project.write("app.py", "print('hello, world')\n")
    project.hook("claude-code", claude("Stop"))
    project.hook("claude-code", claude("UserPromptSubmit", prompt="and now the rest"))
    started = project.hook("codex", claude("SessionStart", "next", source="startup"))
    assert "review and commit, or stash, `app.py`" in started


def test_what_a_killed_session_left_in_its_transcript_is_recovered(
    project: Repository, tmp_path: Path
) -> None:
    recorded = next(repository.RECORDED.glob("claude-code-*")) / "transcript.jsonl"
    transcript = tmp_path / "t.jsonl"
    where = {"transcript_path": str(transcript)}
    project.hook("claude-code", claude("SessionStart", source="startup") | where)
    transcript.write_bytes(recorded.read_bytes())
    started = project.hook("codex", claude("SessionStart", "next", source="startup"))
    assert "Make lint.py pass" in started
    assert project.packets()["s-1"]["session"]["recovered"] is True


def test_compaction_gets_the_sessions_own_packet_and_a_resume_does_not(project: Repository) -> None:
    project.hook("claude-code", claude("SessionStart", source="startup"))
    project.write("app.py", "print('hello, world')\n")
    project.hook("claude-code", claude("PreCompact", trigger="auto"))
    assert "app.py" in project.hook("claude-code", claude("SessionStart", source="compact"))
    assert project.hook("claude-code", claude("SessionStart", source="resume")) == ""


@each_runtime
def test_a_checkout_without_the_engine_is_silent_success(
    project: Repository, runtime: str, tmp_path: Path
) -> None:
    (command,) = set(project.hook_commands(runtime, "SessionStart"))
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    done = shell(command, json.dumps(claude("SessionStart", source="startup")), elsewhere)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@each_runtime
@pytest.mark.parametrize("data", ["", "nonsense", "[1, 2]", "null", '{"hook_event_name": 3}'])
def test_input_that_is_no_payload_is_logged_and_never_stops_anyone(
    project: Repository, runtime: str, data: str
) -> None:
    (event,) = registry.hooks(runtime).EVENTS[base.SESSION_START]
    (command,) = set(project.hook_commands(runtime, event))
    done = shell(command, data, project.path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert ("the hook's input is no" in project.hook_log()) == (not data.startswith("{"))


def test_a_folder_that_is_no_git_repository_is_silent(project: Repository) -> None:
    (project.path / ".git").rename(project.path / "no-git")
    for event in ("SessionStart", "UserPromptSubmit", "Stop", "SessionEnd"):
        assert project.hook("claude-code", claude(event, prompt="x", source="startup")) == ""
    assert project.hook_log() == ""


def test_before_the_first_commit_there_is_a_packet_with_a_null_head(project: Repository) -> None:
    project.git("update-ref", "-d", "HEAD")
    project.hook("claude-code", claude("SessionStart", source="startup"))
    project.hook("claude-code", claude("Stop"))
    packet = project.active()
    assert (packet["head_commit"], packet["base_commit"], packet["branch"]) == (None, None, "main")
    assert [item["path"] for item in packet["changed_files"]] == ["app.py"]


def test_hooks_inside_a_git_hook_see_their_own_repository(project: Repository) -> None:
    project.write("app.py", "print('hello, world')\n")
    (command,) = set(project.hook_commands("claude-code", "Stop"))
    inherited = "export GIT_DIR=/nonexistent GIT_INDEX_FILE=/nonexistent"
    done = shell(f"{inherited}; {command}", json.dumps(claude("Stop")), project.path)
    assert (done.returncode, done.stderr) == (0, "")
    assert project.active()["changed_files"][0]["path"] == "app.py"


def test_hooks_leave_no_bytecode_and_no_dirt_in_git(project: Repository) -> None:
    before = project.git("status", "--porcelain", "--untracked-files=all")
    project.play("claude-code")
    assert project.git("status", "--porcelain", "--untracked-files=all") == before
    assert list(project.path.rglob("__pycache__")) == []
    assert list(project.path.rglob("*.tmp")) == []


def test_a_secret_in_a_command_its_output_and_the_prompt_reaches_no_file(
    project: Repository,
) -> None:
    secret = "ghp_" + "a1B2" * 9
    failed = {"error": f"Exit code 1\ntoken {secret}", "tool_use_id": "t1"}
    project.hook("claude-code", claude("SessionStart", source="startup"))
    project.hook("claude-code", claude("UserPromptSubmit", prompt=f"use {secret} please"))
    command = {"command": f"curl -H 'Authorization: Bearer {secret}' x"}
    event = claude("PostToolUseFailure", tool_name="Bash", tool_input=command)
    project.hook("claude-code", event | failed)
    project.hook("claude-code", claude("Stop", last_assistant_message=f"I used {secret}."))
    assert "[redacted:github-token]" in json.dumps(project.active())
    for path in project.path.rglob("*"):
        if path.is_file():
            assert secret.encode() not in path.read_bytes(), path
