"""`update --all` over many projects of different ages: time, peak memory, and what was told."""

from __future__ import annotations

import argparse
import collections
import json
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests import repository
from tests.cli import releases as made
from tests.cli.releases import DOCS, Releases
from tests.cli.test_versions import candidate, final, second, set_up
from tests.repository import Repository

CONFLICTED, BROKEN, NEWER = "p001", "p002", "p003"


def ages(releases: Releases, folder: Path) -> list[Path]:
    """A project of each release but the last, which is made at the end."""
    found = []
    for step in (second, candidate, final):
        found.append(set_up(releases, folder / f"before-{step.__name__}" / "app").path)
        step(releases)
    return found


def projects(patterns: list[Path], folder: Path, count: int) -> None:
    for number in range(count):
        path = folder / f"p{number:03}"
        shutil.copytree(patterns[number % len(patterns)], path)
        if path.name == CONFLICTED:
            docs = path / "docs" / "handoff.md"
            docs.write_text(docs.read_text().replace("## Where everything lies", "## Our places"))
        elif path.name == BROKEN:
            (path / ".codex" / "hooks.json").write_text("{ broken")
        elif path.name == NEWER:
            answers = path / ".handoff" / "answers.yml"
            answers.write_text(answers.read_text().replace("_commit: v", "_commit: v9"))
        else:
            continue
        Repository(path).commit("ours")


def update(releases: Releases, home: Repository) -> tuple[float, dict[str, int], dict[str, str]]:
    start = time.perf_counter()
    done = releases.handoff(home, "update", "--all", "--json", timeout=3600)
    took = time.perf_counter() - start
    rows = json.loads(done.stdout)
    told = {Path(row["path"]).name: row["error"] for row in rows if row["error"]}
    return took, dict(collections.Counter(row["result"] for row in rows)), told


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--projects", type=int, default=100)
    count = parser.parse_args().projects
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        releases = made.new(folder / "checkout")
        patterns = ages(releases, folder)
        releases.edit(DOCS, "## Where everything lies", "## Where it all lies")
        releases.release("1.1.0")
        home = repository.new(folder / "many" / "home-of-all")
        projects(patterns, home.path.parent, count)
        shutil.rmtree(folder / "home", ignore_errors=True)
        assert releases.handoff(home, "projects", "scan", str(home.path.parent)).returncode == 0
        for again in (False, True):
            took, results, told = update(releases, home)
            print(f"{'again' if again else 'first'}: {took:.1f} s, {results}")
            for project, error in told.items():
                print(f"  {project}: {error}")
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        print(f"largest process: {peak:.0f} MB")
        shown = subprocess.run(["nproc"], capture_output=True, text=True, check=False).stdout
        print(f"{count} projects, {shown.strip()} cores, Python {sys.version.split()[0]}")


if __name__ == "__main__":
    main()
