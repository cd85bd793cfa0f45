"""`verify` in a real repository: what it runs, writes and refuses."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.repository import Repository

REPORTS = ".handoff/state/verification"


def report(project: Repository, name: str = "manual") -> dict[str, Any]:
    value: dict[str, Any] = json.loads((project.path / REPORTS / f"{name}.json").read_text())
    return value


def found(value: dict[str, Any]) -> list[tuple[str, str]]:
    return [(one["code"], one["severity"]) for one in value["findings"]]


def test_commands_that_pass_give_a_report_that_says_so(project: Repository) -> None:
    project.configure(acceptance_commands=["test -f app.py", "python3 app.py"])
    done = project.handoff("verify")
    assert (done.returncode, done.stdout) == (0, "")
    assert "$ test -f app.py" in done.stderr
    assert done.stderr.endswith("hello\nverification passed\n")
    head = project.git("rev-parse", "HEAD").strip()
    assert report(project) == {
        "task_id": "manual",
        "passed": True,
        "findings": [],
        "head_commit": head,
        "session": "manual",
    }


def test_a_command_that_fails_is_refused_and_recorded(project: Repository) -> None:
    project.configure(acceptance_commands=["echo no; exit 5", "true"])
    done = project.handoff("verify", "--json")
    assert done.returncode == 3
    value = json.loads(done.stdout)
    assert value == report(project)
    assert (value["passed"], found(value)) == (False, [("acceptance.failed", "block")])
    assert value["findings"][0]["detail"] == "`echo no; exit 5` failed with exit code 5"
    assert "block  acceptance.failed: " in done.stderr
    log = (project.path / ".handoff/state/feedback_record.jsonl").read_text().splitlines()
    runs = [(json.loads(line)["command"], json.loads(line)["exit_code"]) for line in log]
    assert runs == [("echo no; exit 5", 5), ("true", 0)]


def test_verify_again_after_the_repair_passes(project: Repository) -> None:
    project.configure(acceptance_commands=["test -f fixed"])
    assert project.engine("verify").returncode == 3
    project.write("fixed", "")
    assert project.engine("verify").returncode == 0
    assert report(project)["passed"] is True


def test_commands_run_in_the_projects_root(project: Repository) -> None:
    project.configure(acceptance_commands=["test -f app.py"])
    assert project.handoff("verify", "--project", "docs").returncode == 0


def test_without_acceptance_commands_it_says_so(project: Repository) -> None:
    done = project.engine("verify", "--json")
    assert done.returncode == 0
    assert found(json.loads(done.stdout)) == [("acceptance.none", "info")]
    assert "nothing was verified" in done.stderr


@pytest.mark.parametrize(
    ("runs", "code", "finding"),
    [
        ([], 3, "acceptance.missing"),
        ([("python3 app.py", 0)], 0, None),
        ([("echo hi && python3 app.py", 0)], 0, None),
        ([("python3 app.py", 1)], 3, "acceptance.failed"),
        ([("python3 app.py", None)], 3, "feedback.null_exit"),
        ([("python3 app.py | tail -1", 0)], 3, "acceptance.masked"),
        ([("set -o pipefail; python3 app.py | tee log", 0)], 0, None),
    ],
)
def test_a_dry_run_judges_by_what_is_recorded_and_writes_nothing(
    project: Repository, runs: list[tuple[str, int | None]], code: int, finding: str | None
) -> None:
    project.configure(acceptance_commands=["python3 app.py"])
    log = project.path / ".handoff/state/feedback_record.jsonl"
    log.parent.mkdir(exist_ok=True)
    log.write_text(
        "".join(
            json.dumps({"command": run, "exit_code": ended, "session_id": "manual"}) + "\n"
            for run, ended in runs
        )
    )
    before = sorted(project.path.rglob("*"))
    done = project.engine("verify", "--dry-run", "--json")
    assert done.returncode == code
    assert [one for one, _ in found(json.loads(done.stdout))] == ([finding] if finding else [])
    assert sorted(project.path.rglob("*")) == before


def test_an_acceptance_command_that_masks_its_own_check_never_passes(project: Repository) -> None:
    project.configure(acceptance_commands=["python3 -m unittest -h | cat"])
    done = project.engine("verify", "--json")
    assert done.returncode == 3
    (finding,) = json.loads(done.stdout)["findings"]
    assert finding["code"] == "acceptance.masked"
    assert finding["detail"].endswith("hides the exit code of the check in it: configure it bare")


def test_the_report_is_the_active_tasks_or_the_sessions(project: Repository) -> None:
    start = {"hook_event_name": "SessionStart", "session_id": "s-1", "source": "startup"}
    project.hook("claude-code", start)
    project.engine("verify")
    assert report(project, "s-1")["task_id"] == "s-1"
    project.write(".handoff/state/agent_state.json", json.dumps({"active_task_id": "T-001"}))
    project.engine("verify")
    assert report(project, "T-001")["task_id"] == "T-001"


def test_a_task_of_any_name_stays_in_the_folder(project: Repository) -> None:
    project.write(".handoff/state/agent_state.json", json.dumps({"active_task_id": "../../x"}))
    assert project.engine("verify").returncode == 0
    (path,) = (project.path / REPORTS).iterdir()
    assert json.loads(path.read_text())["task_id"] == "../../x"


def test_one_report_where_the_path_is_a_file_and_it_is_no_dirt(project: Repository) -> None:
    project.configure(artifacts={"verification": "report.json"}, acceptance_commands=["true"])
    project.engine("verify")
    assert json.loads((project.path / "report.json").read_text())["passed"] is True
    project.write("app.py", "print('changed')\n")
    project.engine("generate")
    packet = project.active()
    assert packet["verdict_pointer"]["verification"]["path"] == "report.json"
    assert [item["path"] for item in packet["changed_files"]] == ["app.py"]


def test_a_secret_in_a_command_is_not_in_its_report(project: Repository) -> None:
    secret = "ghp_" + "a1B2" * 9
    project.configure(acceptance_commands=[f"false {secret}"])
    assert project.engine("verify").returncode == 3
    assert secret not in json.dumps(report(project))


def test_the_scope_contract_and_the_rules_are_part_of_the_verdict(project: Repository) -> None:
    contract = {"task_id": "T", "allowed_files": ["src/**"], "forbidden_files": ["**/*.lock"]}
    project.write(".handoff/scope_contract.json", json.dumps(contract))
    project.write("src/a.py", "x = 1\n")
    assert project.engine("verify").returncode == 0
    project.write("other.py", "x = 1\n")
    done = project.engine("verify", "--json")
    assert done.returncode == 0
    assert ("scope.off_scope", "warn") in found(json.loads(done.stdout))
    project.write("src/deep/poetry.lock", "x\n")
    rules = [{"slug": "no-todo", "passed": False}, {"slug": "fine", "passed": True}]
    project.write(".handoff/state/rule_report.json", json.dumps(rules))
    done = project.engine("verify", "--json")
    assert done.returncode == 3
    value = json.loads(done.stdout)
    assert found(value)[1:] == [
        ("scope.forbidden", "block"),
        ("scope.off_scope", "warn"),
        ("rule.failed", "block"),
    ]
    project.engine("generate")
    risks = [(risk["code"], risk["detail"]) for risk in project.active()["open_risks"]]
    assert (
        risks.count(("scope.forbidden", "the scope contract forbids: `src/deep/poetry.lock`")) == 1
    )
    assert ("rule.failed", "rule `no-todo` failed") in risks


def test_contracts_in_a_folder_are_merged_for_the_task_at_hand(project: Repository) -> None:
    project.configure(artifacts={"scope": "scope"})
    project.write(".handoff/state/agent_state.json", json.dumps({"active_task_id": "T-1"}))
    project.write("scope/all.json", json.dumps({"forbidden_files": ["secrets/"]}))
    project.write("scope/T-1.json", json.dumps({"task_id": "T-1", "allowed_files": ["scope", "a"]}))
    project.write("scope/T-2.json", json.dumps({"task_id": "T-2", "forbidden_files": ["a"]}))
    for path in ("a", "b", "secrets/key"):
        project.write(path, "x\n")
    value = json.loads(project.engine("verify", "--json").stdout)
    details = {one["code"]: one["detail"] for one in value["findings"]}
    assert details["scope.forbidden"] == "the scope contract forbids: `secrets/key`"
    assert details["scope.off_scope"] == "outside of the scope contract: `b`"


def test_outside_of_git_it_says_what_to_do(project: Repository) -> None:
    (project.path / ".git").rename(project.path / "no-git")
    done = project.engine("verify")
    assert (done.returncode, done.stdout) == (1, "")
    assert "git init" in done.stderr
