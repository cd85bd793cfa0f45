"""What was typed at the programs, as they wrote it down: a prompt whose second command was
interrupted, a shell command of the human's own, and a file that a prompt names."""

from __future__ import annotations

import json
from typing import Any

import pytest

from engine import registry
from engine.records import Result
from tests.repository import Repository

RECORDINGS = {
    "gemini": "See @app.py",
    "qwen": "Look at @app.py now",
    "copilot": "See @app.py",
}


@pytest.mark.parametrize("runtime", RECORDINGS)
def test_only_what_was_typed_at_the_agent_is_the_human_s(project: Repository, runtime: str) -> None:
    project.play(runtime, "interactive")
    value = json.loads(project.engine("timeline", "--json").stdout)
    said = [(one["kind"], one["text"]) for one in value["entries"] if one["kind"] != "command"]
    assert said == [
        ("prompt", "Plan the pears"),
        ("prompt", RECORDINGS[runtime]),
        ("reply", "Pears in the south."),
    ]
    assert value["sessions"][0]["turns"] == 2
    assert project.active()["task"]["goal"] == "Plan the pears"
    assert project.hook_log() == ""


@pytest.mark.parametrize("runtime", RECORDINGS)
def test_a_command_that_was_interrupted_has_no_exit_code_and_says_so(
    project: Repository, runtime: str
) -> None:
    project.play(runtime, "interactive")
    value = json.loads(project.engine("timeline", "--json").stdout)
    ran = [
        (one["text"], one["exit_code"], one["error"])
        for one in value["entries"]
        if one["kind"] == "command"
    ]
    assert ran == [
        ("echo no such check >&2; exit 3", 3, None),
        ("touch ran; echo begun; sleep 61", None, "interrupted"),
    ]
    known = project.active()["commands_run"]
    assert [(one["exit_code"], one["note"]) for one in known] == [(3, None), (None, "interrupted")]


CALL = {"name": "run_shell_command", "args": {"command": "make"}}
REFUSED: dict[str, list[dict[str, Any]]] = {
    "gemini": [
        {
            "type": "gemini",
            "id": "m-1",
            "toolCalls": [
                {
                    **CALL,
                    "id": "c-1",
                    "status": "cancelled",
                    "result": [
                        {
                            "functionResponse": {
                                "response": {
                                    "error": "[Operation Cancelled] Reason: User denied execution."
                                }
                            }
                        }
                    ],
                }
            ],
        }
    ],
    "qwen": [
        {
            "uuid": "u-1",
            "type": "assistant",
            "message": {"parts": [{"functionCall": {**CALL, "id": "c-1"}}]},
        },
        {
            "uuid": "u-2",
            "type": "tool_result",
            "toolCallResult": {
                "callId": "c-1",
                "status": "cancelled",
                "executionStatus": "not_started",
            },
        },
    ],
}


@pytest.mark.parametrize("runtime", REFUSED)
def test_a_command_that_the_human_did_not_allow_says_that_it_did_not_run(runtime: str) -> None:
    lines = [json.dumps(row).encode() for row in REFUSED[runtime]]
    found = registry.transcript(runtime).records(lines)
    (end,) = [record for record in found if isinstance(record, Result)]
    assert (end.exit_code, end.error) == (None, "not allowed to run")
