"""Hard inputs on what a session proves; the number is that of our collection of cases."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from engine.config import CHECKS
from tests.repository import Repository

CASES = Path(__file__).parents[1] / "data" / "cases"


def packet(project: Repository, name: str, **config: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """What is expected of a case, and the packet of its session."""
    project.configure(gate=dict.fromkeys(CHECKS, "warn"), **config)
    project.write("app.py", "print('changed')\n")
    transcript = str(CASES / name / "t.jsonl")
    stop = {"session_id": "s-1", "hook_event_name": "Stop", "transcript_path": transcript}
    project.hook("claude-code", stop)
    assert project.hook_log() == ""
    expected = json.loads((CASES / name / "expected.json").read_text())
    return expected, project.active()


def codes(given: dict[str, Any]) -> set[str]:
    return {risk["code"] for risk in given["open_risks"]}


def test_b42_a_masked_success_is_no_verification(project: Repository) -> None:
    expected, given = packet(project, "masked-success")
    runs = given["commands_run"]
    assert {run["exit_code"] for run in runs} == {0}
    counted = [run["command"] for run in runs if run["counts_as_verification"]]
    assert counted == expected["verified_ok_allowed"]
    others = [run["command"] for run in runs if not run["counts_as_verification"]]
    assert others == expected["not_verified"]


def test_b42_an_acceptance_command_that_only_ran_masked_is_a_risk(project: Repository) -> None:
    _, given = packet(project, "masked-success", acceptance_commands=["make test", "pytest -q"])
    (risk,) = [risk for risk in given["open_risks"] if risk["code"].startswith("acceptance.")]
    detail = "`make test; echo done` hides the exit code of `make test`"
    assert (risk["code"], risk["detail"]) == ("acceptance.masked", detail)


def test_b43_an_exit_code_that_nobody_knows_is_never_zero(project: Repository) -> None:
    expected, given = packet(project, "unknown-exit-codes", acceptance_commands=["make install"])
    runs = [[run["command"], run["exit_code"]] for run in given["commands_run"]]
    assert runs == expected["commands"]
    assert "feedback.null_exit" in codes(given)


def test_b45_ordinary_answers_are_recorded_and_no_failures(project: Repository) -> None:
    expected, given = packet(project, "ordinary-answers")
    runs = [[run["command"], run["exit_code"]] for run in given["commands_run"]]
    assert runs == expected["commands"]
    assert given["failed_attempts"] == []
    assert not codes(given) & {"command.failed", "statement.contradicted"}
    assert given["next_action_source"] == "repository"


def test_b56_claims_that_the_facts_contradict_are_no_facts(project: Repository) -> None:
    expected, given = packet(project, "contradicted-claims", acceptance_commands=["pytest -q"])
    last = [run for run in given["commands_run"] if run["counts_as_verification"]][-1]
    assert [last["command"], last["exit_code"]] == expected["last_test"]
    assert {"acceptance.failed", "statement.contradicted"} <= codes(given)
    assert given["next_action"] == "make `pytest -q` pass: it failed with exit code 1"
    labelled = {"last_statement", "open_risks"}
    facts = json.dumps({key: value for key, value in given.items() if key not in labelled})
    assert not [claim for claim in expected["claims_labelled_or_absent"] if claim in facts]
    shown = project.engine("show").stdout
    said = next(line for line in shown.split("\n") if "PR #123" in line)
    assert "unverified" in shown[: shown.index(said)].split("\n## ")[-1].lower()
