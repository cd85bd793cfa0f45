"""The template, rendered with different answers, by our door and by plain Copier."""

from __future__ import annotations

import ast
import itertools
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import skills_ref
import yaml

from handoff_cli import scaffold
from handoff_cli.history import PARTS, build_bundle

ROOT = Path(__file__).parents[1]
ENGINE = ROOT / "engine"
BOTH = ["claude-code", "codex"]


def render(folder: Path, **answers: Any) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return scaffold.render(folder, answers, {}, ask=False, name="app")


def files(folder: Path) -> dict[str, bytes]:
    paths = [path for path in folder.rglob("*") if path.is_file()]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


@pytest.mark.parametrize(
    ("runtimes", "skills"), list(itertools.product([BOTH, BOTH[:1], BOTH[1:]], [True, False]))
)
def test_every_choice_gives_files_that_work(
    tmp_path: Path, runtimes: list[str], skills: bool
) -> None:
    made = render(tmp_path, runtimes=runtimes, skills=skills, acceptance_commands=['say "hi"'])
    config = json.loads((made / ".handoff/config.json").read_text())
    assert config["runtimes"] == runtimes
    assert config["acceptance_commands"] == ['say "hi"']
    outside = [name for name in files(made) if not name.startswith(".handoff/")]
    assert sorted(config["rendered"]) == sorted(outside)
    jsonschema.Draft202012Validator.check_schema(
        json.loads((made / "handoff.schema.json").read_text())
    )
    for name, data in files(made).items():
        assert b"{%" not in data, name
        assert name.isascii(), name
        assert '"' not in name, name
        if name.endswith(".py"):
            ast.parse(data, feature_version=(3, 9))
    read_by = {".claude": "claude-code", ".agents": "codex"}
    for folder, runtime in read_by.items():
        assert (made / folder / "skills").exists() == (skills and runtime in runtimes)


def test_the_configuration_is_one_the_engine_accepts(tmp_path: Path) -> None:
    from engine import config

    made = render(tmp_path, tail_length=0, path_outputs="build/packets", runtimes=BOTH)
    parsed = config.parse(json.loads((made / ".handoff/config.json").read_text()))
    assert (parsed.tail_length, parsed.artifacts["outputs"]) == (0, "build/packets")
    assert "`build/packets/<session>/`" in (made / "docs/handoff.md").read_text()


def test_the_same_answers_give_the_same_bytes(tmp_path: Path) -> None:
    assert files(render(tmp_path / "a")) == files(render(tmp_path / "b"))


def test_plain_copier_gives_the_same_files_and_says_what_to_do_next(tmp_path: Path) -> None:
    source = tmp_path / "source"
    for part in PARTS:
        copy = shutil.copytree if (ROOT / part).is_dir() else shutil.copy
        source.mkdir(exist_ok=True)
        copy(ROOT / part, source / part)
    for caches in source.rglob("__pycache__"):
        shutil.rmtree(caches)
    git = ["git", "-c", "user.name=Test", "-c", "user.email=test@localhost"]
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "template"]):
        subprocess.run([*git, *command], cwd=source, check=True)
    done = subprocess.run(
        [sys.executable, "-m", "copier", "copy", "--defaults", str(source), str(tmp_path / "out")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "What to do next" in done.stderr
    ours, plain = files(render(tmp_path / "ours")), files(tmp_path / "out")
    answers = [yaml.safe_load(one.pop(".handoff/answers.yml")) for one in (ours, plain)]
    assert ours == plain
    public = [{key: a[key] for key in a if not key.startswith("_")} for a in answers]
    assert public[0] == public[1]


def test_every_question_has_a_type_a_help_and_a_default_and_is_described() -> None:
    questions = yaml.safe_load((ROOT / "copier.yml").read_text())
    described = (ROOT / "skill/handoff-generator/references/questions.md").read_text()
    for name, question in questions.items():
        if not name.startswith("_"):
            assert {"type", "help", "default"} <= set(question), name
            assert {"validator", "choices"} & set(question) or question["type"] == "bool", name
            assert f"`{name}`" in described, name
    assert not {"_tasks", "_migrations", "_jinja_extensions"} & set(questions)


def test_the_bundle_is_the_same_wherever_it_is_built(tmp_path: Path) -> None:
    for name in ("one", "two"):
        build_bundle(ROOT, tmp_path / name, "1.2.3")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


@pytest.mark.parametrize("name", ["handoff", "handoff-generator"])
def test_skills_are_valid_and_every_reference_says_when_to_read_it(name: str) -> None:
    folder = ROOT / "skill" / name
    assert skills_ref.validate(folder) == []
    text = (folder / "SKILL.md").read_text()
    for reference in folder.glob("references/*.md"):
        assert f"](references/{reference.name}) when" in " ".join(text.split())


def test_the_skill_in_a_project_is_the_skill(tmp_path: Path) -> None:
    made = render(tmp_path, runtimes=BOTH)
    source = files(ROOT / "skill" / "handoff")
    assert files(made / ".claude/skills/handoff") == source
    assert files(made / ".agents/skills/handoff") == source
    assert skills_ref.validate(made / ".claude/skills/handoff") == []


def test_the_engine_is_there_module_by_module(tmp_path: Path) -> None:
    text = (render(tmp_path) / ".handoff/engine/modules.txt").read_text(encoding="utf-8")
    _, *sections = re.split(r"^### ", text, flags=re.MULTILINE)
    there = dict(section.split("\n", 1) for section in sections)
    paths = {path.relative_to(ENGINE).as_posix(): path for path in ENGINE.rglob("*.py")}
    assert sorted(there) == sorted(paths)
    for name, path in paths.items():
        source = path.read_text(encoding="utf-8")
        assert there[name].rstrip("\n") == source.rstrip("\n"), f"{name}: no `{{{{` and no `{{%`"
