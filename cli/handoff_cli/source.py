"""Where the template is: a bundle in the installed package, or a checkout that makes one."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import as_file, files
from pathlib import Path
from typing import NamedTuple

from handoff_cli import __version__
from handoff_cli.errors import HandoffError


class Bundle(NamedTuple):
    path: Path
    ref: str  # the tag of the template's version
    refs: tuple[str, ...]  # of every release in it


@contextmanager
def bundle() -> Iterator[Bundle]:
    """The template's bundle, for as long as the block runs."""
    packaged = files("handoff_cli") / "_data" / "template.bundle"
    if packaged.is_file():
        with as_file(packaged) as path:
            yield _opened(path, f"v{__version__}")
        return
    from handoff_cli.history import build_bundle

    root = Path(__file__).resolve().parents[2]
    if not (root / "copier.yml").is_file():
        raise HandoffError(
            "this installation carries no template", "install handoff-generator anew"
        )
    with tempfile.TemporaryDirectory(prefix="handoff.") as folder:
        path = Path(folder) / "template.bundle"
        try:
            ref = build_bundle(root, path, __version__)
        except FileNotFoundError:
            raise HandoffError("git is not installed", "install git 2.31 or newer") from None
        except subprocess.CalledProcessError as error:
            raise HandoffError(f"git could not bundle the template: {error.stderr}") from error
        yield _opened(path, ref)


def _opened(path: Path, ref: str) -> Bundle:
    from handoff_cli.history import git

    listed = git(["bundle", "list-heads", str(path)], path.parent).splitlines()
    names = [line.split(" ", 1)[1] for line in listed]
    tags = (name.removeprefix("refs/tags/") for name in names if name.startswith("refs/tags/"))
    return Bundle(path, ref, tuple(tags))
