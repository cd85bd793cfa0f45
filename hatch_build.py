"""Build hook: puts the template, as one git bundle, into the wheel and the sdist."""

from __future__ import annotations

import importlib.util
import tempfile
from pathlib import Path
from types import ModuleType
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CustomBuildHook(BuildHookInterface):  # type: ignore[type-arg]
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return  # a checkout makes its bundle when it is needed
        root = Path(self.root)
        self._folder = tempfile.TemporaryDirectory()
        bundle = Path(self._folder.name) / "template.bundle"
        _history(root).build_bundle(root, bundle, self.metadata.version)
        build_data["force_include"][str(bundle)] = "handoff_cli/_data/template.bundle"


def _history(root: Path) -> ModuleType:
    path = root / "cli" / "handoff_cli" / "history.py"
    spec = importlib.util.spec_from_file_location("handoff_history", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
