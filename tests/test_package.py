"""The package as people install it: into a fresh environment, from this tree."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import jsonschema
import pytest

from engine import render
from handoff_cli.history import releases
from tests import repository
from tests.real import programs, sandbox
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


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clean clone, without tags."""
    path = tmp_path_factory.mktemp("clean") / "clone"
    origin = ROOT.as_uri()
    subprocess.run(["git", "clone", "--quiet", "--no-tags", origin, str(path)], check=True)
    return path


def build(checkout: Path, target: str, out: Path, **environment: str) -> Path:
    """Build a distribution of a checkout."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(out)]
    variables = {**os.environ, **environment}
    done = subprocess.run(
        command, cwd=checkout, env=variables, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(done.stderr)
    (made,) = out.glob("*.whl" if target == "wheel" else "*.tar.gz")
    return made


def files_in(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if not name.endswith("/RECORD")]
        return {name: archive.read(name) for name in names}


def test_a_wheel_from_an_sdist_is_that_from_the_checkout(clone: Path, tmp_path: Path) -> None:
    direct = build(clone, "wheel", tmp_path / "direct", HANDOFF_RELEASE="1")
    sdist = build(clone, "sdist", tmp_path / "sdist")
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    unpacked = next(tmp_path.glob("handoff_generator-*/"))
    again = build(unpacked, "wheel", tmp_path / "again", HANDOFF_RELEASE="1")
    assert "handoff_cli/_data/template.bundle" in files_in(direct)
    assert files_in(direct) == files_in(again)


def test_a_release_is_not_built_where_history_is_cut_off(clone: Path, tmp_path: Path) -> None:
    shallow = tmp_path / "shallow"
    command = ["git", "clone", "--quiet", "--depth", "1", clone.as_uri(), str(shallow)]
    subprocess.run(command, check=True)
    with pytest.raises(RuntimeError, match="this clone is shallow: fetch the whole history"):
        build(shallow, "wheel", tmp_path / "out", HANDOFF_RELEASE="1")
    assert build(shallow, "wheel", tmp_path / "out").is_file()


def test_without_a_network_it_sets_up_tunes_and_updates_what_an_older_release_made(
    clone: Path, tmp_path: Path
) -> None:
    """In namespaces that hold no network, where the machine has them; without an index anyway."""
    wheel = build(clone, "wheel", tmp_path / "wheel")
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    wheels = str(tmp_path / "wheels")
    subprocess.run([*pip, "download", "--dest", wheels, str(wheel)], check=True, timeout=600)
    venv.create(tmp_path / "venv", with_pip=True)
    fresh = str(tmp_path / "venv" / "bin")
    install = [f"{fresh}/python", "-m", "pip", "install", "--quiet", "--no-index"]
    offline([*install, "--find-links", wheels, str(wheel)], tmp_path)

    handoff = f"{fresh}/handoff"
    project = repository.new(tmp_path / "older" / "app")
    project.write("app.py", "print('hello')\n")
    project.commit("start")
    set_up_by(clone, releases(clone)["v0.2.0"], project.path, tmp_path / "first")
    docs = project.path / "docs" / "handoff.md"
    docs.write_text(docs.read_text().replace("# Handoff packets in", "# Our packets in"))
    project.commit("handoff 0.2.0, and an edit")
    updated = offline([handoff, "update", "--json"], project.path)
    found = json.loads(updated)
    assert (found["from"], found["base"], found["conflicts"]) == ("0.2.0", None, [])
    assert docs.read_text().startswith("# Our packets in")
    assert not (project.path / ".handoff/engine/git.py").exists()
    project.commit("updated")

    offline([handoff, "paths", "set", "feedback=logs/commands.jsonl"], project.path)
    assert "`logs/commands.jsonl`" in docs.read_text()
    project.commit("our log")
    project.play("claude-code")
    assert project.active()["next_action"] == "Make lint.py pass"
    assert (project.path / "logs" / "commands.jsonl").is_file()

    new = repository.new(tmp_path / "new" / "app")
    new.write("app.py", "print('hello')\n")
    new.commit("start")
    offline([handoff, "init", "--defaults"], new.path)
    assert offline([handoff, "update", "--json"], new.path)


def set_up_by(clone: Path, commit: str, project: Path, checkout: Path) -> None:
    """Run `init` of an older release from a checkout of its own."""
    add = ["git", "worktree", "add", "--quiet", "--detach", str(checkout), commit]
    subprocess.run(add, cwd=clone, check=True)
    subprocess.run(
        [sys.executable, "-m", "handoff_cli", "init", "--defaults"],
        cwd=project,
        env=environment(project) | {"PYTHONPATH": str(checkout / "cli")},
        check=True,
        capture_output=True,
    )


def offline(command: list[str], cwd: Path) -> str:
    """What a command prints that has no network."""
    try:
        alone = sandbox.namespaces()
    except programs.UnavailableError:
        alone = ()
    done = subprocess.run(
        [*alone, *command],
        cwd=cwd,
        env=environment(cwd),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


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
