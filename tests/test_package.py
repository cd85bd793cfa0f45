"""The package as people install it: into a fresh environment, from this tree."""

from __future__ import annotations

import json
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import jsonschema

from engine import render
from tests import repository
from tests.repository import SETTINGS, environment

ROOT = Path(__file__).parents[1]


def test_installed_afresh_it_sets_a_repository_up_whose_hooks_write_valid_packets(
    tmp_path: Path,
) -> None:
    venv.create(tmp_path / "venv", with_pip=True)
    python = str(tmp_path / "venv" / "bin" / "python")
    install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", str(ROOT)]
    subprocess.run(install, check=True, timeout=600)
    made = repository.new(tmp_path / "fresh")
    made.write("app.py", "print('hello')\n")
    made.commit("start")
    handoff = str(tmp_path / "venv" / "bin" / "handoff")
    done = subprocess.run(
        [handoff, "init", "--defaults", "--data", f"runtimes=[{', '.join(SETTINGS)}]"],
        cwd=made.path,
        env=environment(made.path),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    schema = json.loads((made.path / "handoff.schema.json").read_text())
    for number, runtime in enumerate(SETTINGS, 1):
        made.play(runtime)
        assert len(made.packets()) == number
    for session, packet in made.packets().items():
        jsonschema.Draft202012Validator(schema).validate(packet)
        text = (made.path / f"outputs/handoff/{session}/handoff.md").read_text(encoding="utf-8")
        assert text == render.markdown(packet)
    assert made.hook_log() == ""


def test_the_distribution_names_no_machine(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("handoff_generator-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        for name in names:
            assert str(ROOT).encode() not in archive.read(name), name
    assert "handoff_cli/_data/template.bundle" in names
    assert not [name for name in names if "__pycache__" in name]
