"""The only door to Copier: renders the template with a set of answers into an empty folder.

Copier runs as a child process. git answers for the template's public address from the bundle that
travels in the wheel, so the answers file records that address and nothing leaves the machine.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from handoff_cli import source
from handoff_cli.errors import HandoffError
from handoff_cli.history import clean_environment

TEMPLATE = "gh:handoff-generator/handoff"  # what every answers file records
ADDRESS = "https://github.com/handoff-generator/handoff.git"  # what Copier makes of it
ANSWERS = ".handoff/answers.yml"
SHARED = "HANDOFF_RENDERINGS"  # a folder, for the time of one command in many projects
YAML_QUESTIONS = ("acceptance_commands", "context_limits")


def render(
    folder: Path,
    answers: dict[str, Any],
    suggested: dict[str, Any],
    *,
    ask: bool,
    name: str,
    ref: str | None = None,
    expected: Mapping[str, Any] | None = None,
) -> Path:
    """Render into a new folder called `name` below the empty `folder`; return it.

    `answers` are settled; `suggested` are defaults for the other questions, which a person is asked
    where `ask` is set. `ref` is another release than this version's. Every answer has to be one of
    the template's questions, or only the `expected` ones: an older version had others.

    Raises: HandoffError where an answer is refused or Copier fails.
    """
    there = folder / "rendered" / name
    shared = None if ask else _shared(ref, answers, suggested)
    if shared and shared.is_dir():
        shutil.copytree(shared, there)
    else:
        _run_copier(folder, there, answers, suggested, ask=ask, ref=ref)
        if shared:
            _share(there, shared)
    questions = [key for key in recorded_answers(there) or {} if not key.startswith("_")]
    for question in answers if expected is None else expected:
        if question not in questions:
            known = f"its questions are {', '.join(questions)}"
            raise HandoffError(f"`{question}` is no question of the template", known)
    return there


def _run_copier(
    folder: Path,
    there: Path,
    answers: dict[str, Any],
    suggested: dict[str, Any],
    *,
    ask: bool,
    ref: str | None,
) -> None:
    data, settings = folder / "data.yml", folder / "settings.yml"
    data.write_text(yaml.safe_dump(answers), encoding="utf-8")
    defaults = {key: _as_default(key, value) for key, value in suggested.items()}
    settings.write_text(yaml.safe_dump({"defaults": defaults}), encoding="utf-8")
    with source.bundle() as bundle:
        version = ref or bundle.ref
        command = [sys.executable, "-m", "copier", "copy", "--quiet", "--vcs-ref", version]
        command += [
            "--data-file",
            str(data),
            *([] if ask else ["--defaults"]),
            TEMPLATE,
            str(there),
        ]
        done = subprocess.run(
            command,
            cwd=folder,  # `-m` puts it on the path: never the user's repository
            env=_environment(folder, bundle.path, settings),
            stderr=None if ask else subprocess.PIPE,
            text=True,
            check=False,
        )
    if done.returncode:
        raise HandoffError(*_told(done.stderr or ""))


def _shared(ref: str | None, answers: dict[str, Any], suggested: dict[str, Any]) -> Path | None:
    """Where many projects that are updated in one go keep this rendering for each other."""
    if SHARED not in os.environ:
        return None
    what = json.dumps([ref, answers, suggested], sort_keys=True)
    return Path(os.environ[SHARED]) / hashlib.sha256(what.encode()).hexdigest()


def _share(made: Path, shared: Path) -> None:
    mine = shared.with_name(f"{shared.name}.{os.getpid()}")
    shutil.copytree(made, mine)
    try:
        mine.rename(shared)
    except OSError:  # another process was faster
        shutil.rmtree(mine)


def recorded_answers(project: Path) -> dict[str, Any] | None:
    """The answers that the project was rendered with, or None where it was not."""
    path = project / ANSWERS
    return parsed_answers(path.read_bytes(), path) if path.is_file() else None


def parsed_answers(text: bytes, path: Path) -> dict[str, Any]:
    """What an answers file says. Raises: HandoffError where it holds no answers."""
    try:
        value = yaml.safe_load(text.decode("utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise HandoffError(
            f"`{path}` is not valid YAML", "restore it from git; it was left untouched"
        ) from error
    if not isinstance(value, dict):
        raise HandoffError(
            f"`{path}` holds no answers", "restore it from git; it was left untouched"
        )
    return value


def expected_answers(project: Path) -> dict[str, Any]:
    """The answers that the project was rendered with. Raises: HandoffError where it was not."""
    answers = recorded_answers(project)
    if answers is None:
        raise HandoffError(f"`{project}` was not set up by handoff", "run `handoff init` there")
    return answers


def without_copiers_own(answers: dict[str, Any]) -> dict[str, Any]:
    """The answers without what Copier notes about itself."""
    return {key: value for key, value in answers.items() if not key.startswith("_")}


def _as_default(question: str, answer: Any) -> Any:
    """Copier wants the default of a YAML question as text."""
    return json.dumps(answer) if question in YAML_QUESTIONS else answer


def _environment(folder: Path, bundle: Path, settings: Path) -> dict[str, str]:
    configuration = {
        f"url.{bundle.as_posix()}.insteadOf": ADDRESS,
        "commit.gpgSign": "false",
        "core.hooksPath": os.devnull,
        "protocol.file.allow": "always",
        "protocol.http.allow": "never",
        "protocol.https.allow": "never",
        "protocol.ssh.allow": "never",
    }
    environment = clean_environment()
    for number, (key, value) in enumerate(configuration.items()):
        environment |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    return environment | {
        "GIT_CONFIG_COUNT": str(len(configuration)),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "COPIER_CACHE_DIR": str(folder / "cache"),
        "COPIER_SETTINGS_PATH": str(settings),
    }


def _told(said: str) -> tuple[str, str]:
    """Copier's last words as a message and a hint."""
    last = (said.strip().splitlines() or ["Copier failed without a word"])[-1].strip()
    if "Validation error for question" in said or "Invalid" in last:
        message = last.removeprefix("ValueError: ")
        return message, "see `copier.yml` in the template, or run `handoff init` without `--data`"
    if "No module named copier" in said:
        return "Copier is not installed", "install handoff-generator anew, with its dependencies"
    return f"Copier: {last}", "nothing was written"
