"""A checkout of this very project in which releases of the template are made."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests import repository
from tests.repository import Repository, environment

ROOT = Path(__file__).parents[2]
PARTS = ("cli", "copier.yml", "engine", "skill", "template")
DOCS = "template/docs/handoff.md.jinja"
VERSION = "cli/handoff_cli/__init__.py"


@dataclass(frozen=True)
class Releases:
    checkout: Repository

    def edit(self, path: str, old: str, new: str) -> None:
        text = (self.checkout.path / path).read_text(encoding="utf-8")
        assert old in text, path
        self.checkout.write(path, text.replace(old, new))

    def release(self, version: str, *, tagged: bool = True) -> None:
        self.checkout.write(VERSION, f'"""handoff"""\n\n__version__ = "{version}"\n')
        self.checkout.commit(f"release {version}")
        if tagged:
            self.checkout.git("tag", f"v{version}")

    def handoff(
        self, project: Repository, *arguments: str, timeout: int = 120
    ) -> subprocess.CompletedProcess[str]:
        """Run this checkout's own `handoff` in a project."""
        return subprocess.run(
            [sys.executable, "-m", "handoff_cli", *arguments],
            cwd=project.path,
            env=environment(project.path) | {"PYTHONPATH": str(self.checkout.path / "cli")},
            text=True,
            capture_output=True,
            check=False,
            timeout=timeout,
        )


def new(path: Path) -> Releases:
    """A checkout whose only release is 0.9.0."""
    checkout = repository.new(path)
    ignored = shutil.ignore_patterns("__pycache__", ".mypy_cache", "*.pyc")
    for part in PARTS:
        if (ROOT / part).is_dir():
            shutil.copytree(ROOT / part, checkout.path / part, ignore=ignored)
        else:
            shutil.copy(ROOT / part, checkout.path / part)
    made = Releases(checkout)
    made.release("0.9.0")
    return made


def updated(releases: Releases, project: Repository, code: int = 0) -> dict[str, Any]:
    """What `handoff update` of that checkout did to a project."""
    done = releases.handoff(project, "update", "--json")
    assert done.returncode == code, done.stderr
    value: dict[str, Any] = json.loads(done.stdout)
    return value
