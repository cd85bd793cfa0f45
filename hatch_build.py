"""Build hook: puts the template, a git bundle of every release, into the wheel and the sdist.

A checkout with `HANDOFF_RELEASE` set builds a release, which fails where history is cut off. What
is unpacked from an sdist has the bundle already and takes that.
"""

from __future__ import annotations

import importlib.util
import os
import tempfile
from pathlib import Path
from types import ModuleType
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

BUNDLE = "handoff_cli/_data/template.bundle"


class CustomBuildHook(BuildHookInterface):  # type: ignore[type-arg]
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return  # a checkout makes its bundle when it is needed
        root = Path(self.root)
        if (root / "cli" / BUNDLE).is_file():
            return  # an sdist: the bundle is one of its files
        self._folder = tempfile.TemporaryDirectory()
        bundle = Path(self._folder.name) / "template.bundle"
        release = bool(os.environ.get("HANDOFF_RELEASE"))
        _history(root).build_bundle(root, bundle, self.metadata.version, release=release)
        inside = f"cli/{BUNDLE}" if self.target_name == "sdist" else BUNDLE
        build_data["force_include"][str(bundle)] = inside


def _history(root: Path) -> ModuleType:
    path = root / "cli" / "handoff_cli" / "history.py"
    spec = importlib.util.spec_from_file_location("handoff_history", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
