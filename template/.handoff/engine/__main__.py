# SPDX-FileCopyrightText: the contributors to handoff
# SPDX-License-Identifier: Apache-2.0
# Ruff reads flake8's marks as well; the second one lets it accept the first.
# flake8: noqa
# flake8: noqa: PGH004
# mypy: ignore-errors
# pylint: skip-file
# isort: skip_file
# fmt: off
"""Start the engine: `python3 -I -S -B .handoff/engine VERB …`.

Its modules stand one below the other in `modules.txt`, each under a line with its name: one text
that no linter, formatter, type checker or test runner takes for code of the project around it.
"""

from __future__ import annotations

import os
import sys

ModuleSpec = type(sys.__spec__)  # to import `importlib.machinery` would cost each hook 0.6 ms
HERE = os.path.dirname(os.path.abspath(__file__))
MODULES = os.path.join(HERE, "modules.txt")
PACKAGE = "handoff_engine"


class Modules:
    """Finds and loads the engine's modules; goes into `sys.meta_path`."""

    def __init__(self) -> None:
        with open(MODULES, "rb") as file:
            text = file.read()
        self.text = text.replace(b"\r\n", b"\n") if b"\r" in text else text

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        package, _, inner = name.partition(".")
        if package != PACKAGE:
            return None
        place = inner.replace(".", "/")
        for file in (f"{place}.py", f"{place}/__init__.py".lstrip("/")):
            if self._start(file) >= 0:
                whole = file.endswith("__init__.py")
                return ModuleSpec(name, self, origin=file, is_package=whole)
        return None

    def create_module(self, spec: ModuleSpec) -> None:
        return None  # the usual kind

    def exec_module(self, module: object) -> None:
        file = module.__spec__.origin
        code = compile(self._section(file), f"{MODULES}/{file}", "exec", dont_inherit=True)
        exec(code, module.__dict__)

    def get_source(self, name: str) -> str:
        """A module's text: what a traceback quotes."""
        return self._section(self.find_spec(name).origin).decode()

    def _section(self, file: str) -> bytes:
        start = self._start(file) + len(f"\n### {file}\n")
        end = self.text.find(b"\n### ", start)
        return self.text[start : end + 1 if end >= 0 else len(self.text)]

    def _start(self, file: str) -> int:
        return self.text.find(f"\n### {file}\n".encode())


def main(arguments: list[str]) -> int:
    """Run one command line of the engine in the project that it lies in."""
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry) != HERE]
    sys.meta_path.insert(0, Modules())
    from handoff_engine import app

    return app.main(os.path.dirname(os.path.dirname(HERE)), arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
