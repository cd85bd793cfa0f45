"""Every answer beside every other: what is rendered works, whatever was chosen.

All combinations are 3.4 million; every pair of answers occurs in some twenty of them.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from allpairspy import AllPairs

from engine import config, registry
from handoff_cli import scaffold
from tests import repository

ROOT = Path(__file__).parents[1]
ELSEWHERE = {
    "path_state": "agent state.json",
    "path_board": "board/features.json",
    "path_feedback": "logs/feedback.jsonl",
    "path_verification": "reports/verification.json",
    "path_review": "reports/review",
    "path_scope": "contracts/scope@1.json",
    "path_rules": "reports/rules.json",
    "path_clean_state": "build/clean+state.json",
    "path_outputs": "build/hand-off",
}
GATES = (
    "gate_working_tree", "gate_temporary_artifacts", "gate_tests", "gate_board", "gate_branch",
    "gate_review",
)  # fmt: skip
CHOICES: dict[str, list[Any]] = {
    "runtimes": [["claude-code"], ["codex"], ["gemini", "cursor"], list(registry.RUNTIMES)],
    "acceptance_commands": [[], ["pytest -q"], ['echo "a `b` c" | grep \'"\'', "true; # {{ x }}"]],
    "paths": [{}, ELSEWHERE],
    **{gate: ["refuse", "warn", "off"] for gate in GATES},
    "debug_patterns": [{}, {"js ts": "^\\s*console\\.log"}],
    "tail_length": [0, 10, 30],
    "context_limits": [{"notice": 50, "wrap_up": 75}, {"notice": 1, "wrap_up": 100}],
    "context_windows": [{}, {"my-model*": 128_000}],
    "stop_gate": ["off", "block"],
    "pull_request_template": [True, False],
    "skills": [True, False],
}
ROWS = [dict(zip(CHOICES, row, strict=True)) for row in AllPairs(list(CHOICES.values()))]


def test_no_question_is_left_out() -> None:
    questions = yaml.safe_load((ROOT / "copier.yml").read_text(encoding="utf-8"))
    asked = {name for name in questions if not name.startswith("_")}
    assert asked == {*CHOICES, *ELSEWHERE} - {"paths"}
    for gate in GATES:
        assert set(CHOICES[gate]) == set(questions[gate]["choices"].values())
    assert len(ROWS) < 40


@pytest.mark.parametrize("row", ROWS, ids=range(len(ROWS)))
def test_what_is_rendered_works(tmp_path: Path, row: dict[str, Any]) -> None:
    answers = {**{key: row[key] for key in row if key != "paths"}, **row["paths"]}
    folder = tmp_path / "rendering"
    folder.mkdir()
    project = repository.new(tmp_path / "app")
    made = project.path
    rendered = scaffold.render(folder, answers, {}, ask=False, name="app")
    shutil.copytree(rendered, made, dirs_exist_ok=True)

    parsed = config.parse(json.loads((made / ".handoff/config.json").read_text()))
    assert parsed.runtimes == tuple(answers["runtimes"])
    assert parsed.acceptance_commands == tuple(answers["acceptance_commands"])
    docs = (made / "docs/handoff.md").read_text(encoding="utf-8")
    for path in parsed.artifacts.values():
        assert f"`{path}" in docs, path
    for command in answers["acceptance_commands"]:
        assert command in docs
    there = {path.relative_to(made).as_posix() for path in made.rglob("*") if path.is_file()}
    outside = {path for path in there if not path.startswith((".git/", ".handoff/"))}
    assert set(parsed.rendered) == outside

    project.commit("start")
    project.engine("state", "set", "next_action", "Go on")
    generated = project.engine("generate", "--json")
    refusing = any(row[gate] == "refuse" for gate in GATES)
    assert generated.returncode == 0 or (generated.returncode == 3 and refusing), generated.stderr
    if generated.returncode == 0:
        packet = json.loads(generated.stdout)
        assert packet["next_action"] == "Go on"
        schema = json.loads((made / "handoff.schema.json").read_text())
        jsonschema.Draft202012Validator.check_schema(schema)
        jsonschema.Draft202012Validator(schema).validate(packet)
        assert (made / parsed.artifacts["outputs"]).is_dir()
    status = project.engine("status", "--json")
    assert status.returncode == 0, status.stderr
    assert isinstance(json.loads(status.stdout), dict)
