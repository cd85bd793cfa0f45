"""No secret reaches a file, the ledger or a model, wherever in a session it stood."""

from __future__ import annotations

import json
from typing import Any

import pytest

from engine.redact import redact, redacted
from tests.repository import SETTINGS, Repository

from . import sessions
from .sessions import play, told, written
from .test_timeline import prompt, start

MIXED = "a1B2c3D4" * 8
TOKEN = "ghp_" + MIXED[:36]
KEY = "sk-ant-api03-" + MIXED[:40]
WORDS = "hunter2-Correct-Horse"
IN_CASE = (
    "ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8",
    "sk-ant-api03-FAKEfake0123456789FAKEfake0123456789FAKEfake0123456789",
    "AKIAIOSFODNN7EXAMPLE",
    WORDS,
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJmYWtlIn0.c2lnbmF0dXJlLWZha2U",
    "blue-kettle-client",
    "MIIBVgIBADANBgkqhkiG9w0BAQEFAASCAUAwggE8FAKE",
)
each_runtime = pytest.mark.parametrize("runtime", SETTINGS)


def leaks(project: Repository, *secrets: str, but: tuple[str, ...] = ()) -> list[tuple[str, str]]:
    """Where which secret stands, also spelled with the escapes of JSON."""
    found = []
    for name, data in written(project).items():
        text = data.decode("utf-8", "replace")
        for secret in secrets if name not in but else ():
            if secret in text or secret in text.replace("\\", ""):
                found.append((name, secret))
    return found


def begun(project: Repository, runtime: str = "codex", session: str = "next") -> str:
    """What a session of another runtime is told at its start and with its first prompt."""
    at = {"transcript_path": "", "cwd": str(project.path)}
    said = told(project.hook(runtime, {**at, **start(session)}))
    return said + told(project.hook(runtime, {**at, **prompt(session)}))


def test_arguments_headers_dumps_and_key_blocks_of_a_session(project: Repository) -> None:
    sessions.case(project, "secrets-everywhere")
    said = begun(project)
    assert leaks(project, *IN_CASE) == []
    assert [secret for secret in IN_CASE if secret in said] == []
    assert "| Deployed with [redacted:github-token]." in said
    (record,) = project.path.glob("outputs/handoff/*/blocked.json")  # nothing told what is next
    shown = json.dumps(json.loads(record.read_bytes())["commands_run"])
    for words in ("./deploy.sh", "git.example.com", "--user dev", "vaultctl secret put CLIENT"):
        assert words in shown
    assert project.hook_log() == ""


@each_runtime
def test_whoever_said_or_printed_it(project: Repository, runtime: str) -> None:
    """In the prompt, a command, its output and the agent's words, as each runtime tells them."""
    words = {
        "accept empty lines": f"accept empty lines; the token is {TOKEN}",
        "python3 lint.py": f"API_KEY={KEY} python3 lint.py --password '{WORDS}'",
        "no return annotation": f"no return annotation, \x1b[1m{TOKEN}\x1b[0m, PASSWORD={WORDS}",
        "lint.py pass": f"lint.py pass with {TOKEN}",
    }
    play(project, runtime, words, "s-1")
    said = begun(project, "codex" if runtime != "codex" else "gemini")
    assert leaks(project, TOKEN, KEY, WORDS) == []
    assert TOKEN not in said
    assert WORDS not in said
    packet = json.dumps(project.active())
    assert "[redacted:github-token]" in packet
    assert "python3 lint.py --password '[redacted:option]'" in packet


def test_names_of_files_subjects_artifacts_and_reports(project: Repository) -> None:
    project.git("switch", "-q", "-c", f"fix-{TOKEN}")
    play(project, "claude-code", {}, "s-1")
    project.write(f"notes/{TOKEN}.txt", "x\n")
    project.write("a.py", "x = 1\n")
    project.commit(f"Deploy with {KEY}", "a.py")
    state = ".handoff/state/agent_state.json"
    notes = {"next_action": f"curl -u dev:{WORDS} https://x", "blockers": [f"PASSWORD={WORDS}"]}
    project.write(state, json.dumps({"schema_version": 1, **notes}))
    board = {"features": [{"id": "F1", "status": "blocked", "goal": TOKEN, "reason": KEY}]}
    project.write(".handoff/feature_list.json", json.dumps(board))
    finding = {"code": "x", "severity": "warn", "detail": f"token {TOKEN}"}
    report = {"passed": False, "findings": [finding], "password": WORDS, "log": f"{KEY}"}
    path = ".handoff/state/verification/report.json"
    project.write(path, json.dumps(report).replace("ghp_", "gh\\u0070_"))
    done = project.engine("run", "--note", f"with {KEY}", "--", "sh", "-c", f"echo {TOKEN}; exit 3")
    assert done.returncode == 3
    project.engine("clean", "--except", "tree.dirty", "--reason", f"needs {TOKEN}")
    assert project.engine("generate").returncode == 0
    said = begun(project)
    theirs = (state, path)
    # What is found again by its name keeps it: the branch, in the record of a session.
    records = tuple(
        name for name in written(project) if name.startswith(".handoff/state/sessions/")
    )
    assert leaks(project, TOKEN, KEY, WORDS, but=(*theirs, *records)) == []
    assert leaks(project, KEY, WORDS, but=theirs) == []
    assert [secret for secret in (TOKEN, KEY, WORDS) if secret in said] == []
    assert "NEXT ACTION (from state): curl -u dev:[redacted:option] https://x" in said
    assert "it was made on branch" not in said
    shown = [project.engine(*verb.split()) for verb in ("show", "show --json", "status", "log")]
    for one in shown:
        assert not any(secret in one.stdout for secret in (KEY, WORDS))
    assert project.hook_log() == ""


def test_nothing_that_a_rule_knows_is_left_in_the_bytes_of_any_file(project: Repository) -> None:
    sessions.case(project, "secrets-everywhere")
    play(project, "gemini", {"accept empty lines": f"use \\u0067hp_{MIXED[:36]}"}, "s-1")
    begun(project)
    left = {name: redact(data.decode())[1] for name, data in written(project).items()}
    assert {name: count for name, count in left.items() if count} == {}


def test_a_packet_is_valid_and_its_digest_right_whatever_was_masked_in_it(
    project: Repository,
) -> None:
    play(
        project, "claude-code", {"accept empty lines": f"-----BEGIN PRIVATE KEY-----\n{MIXED}"}, "s"
    )
    done = project.engine("validate", "outputs/handoff/s/handoff.json")
    assert (done.returncode, project.active()["task"]["goal"]) == (
        0,
        "Make the parser [redacted:private-key]",
    )


def test_a_text_that_the_project_says_is_none_stays(project: Repository) -> None:
    words = {"accept empty lines": f"log in, PASSWORD={WORDS} or {TOKEN}"}
    project.configure(not_secrets=[WORDS])
    play(project, "claude-code", words, "s-1")
    goal = project.active()["task"]["goal"]
    assert goal == f"Make the parser log in, PASSWORD={WORDS} or [redacted:github-token]"


@pytest.mark.parametrize("given", [["ghp_*"], "ghp_", [1], [["x"]], None])
def test_no_list_lets_a_kind_through(project: Repository, given: Any) -> None:
    project.configure(not_secrets=given)
    payload = {**prompt("s-1", f"use {TOKEN}"), "transcript_path": ""}
    project.hook("claude-code", payload)
    assert leaks(project, TOKEN) == []
    project.hook("claude-code", {**payload, "hook_event_name": "Stop"})
    assert leaks(project, TOKEN) == []


def test_a_key_beside_its_text_gives_it_away() -> None:
    from engine import redact as module

    given = {"password": "correct horse", "n": [{"api_key": "abcdefg1", "kind": "x"}], "token": 3}
    masked = {**given, "password": "[redacted:assignment]"}
    masked["n"] = [{"api_key": "[redacted:assignment]", "kind": "x"}]
    assert module.value(given) == masked
    data = json.dumps(given).encode()
    assert json.loads(module.checked(data)) == masked
    assert module.checked(module.checked(data)) == module.checked(data)
    assert module.checked(b"\xff not JSON, PASSWORD=hunter2") == (
        b"\xff not JSON, PASSWORD=[redacted:assignment]"
    )


@pytest.mark.parametrize(
    "between", ["\u200b", "\x1b[1m", "\\u200b", "\u00ad", "\x1b[01;31m\x1b[K", "\\u001b[0m"]
)
def test_what_nobody_sees_hides_nothing(between: str) -> None:
    text = f"{between}ghp_{MIXED[:10]}{between}{MIXED[10:40]}{between} end"
    assert MIXED[10:30] not in redacted(text)
    assert "[redacted:github-token]" in redacted(text)
    assert redacted(text).endswith(" end")
