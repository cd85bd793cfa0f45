"""Redaction: the share of secrets it finds, and how often it takes ordinary text for one."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from engine.redact import redact
from tests.engine import samples


def recall(show: bool) -> None:
    """A row for each kind of secret."""
    found: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for sample in samples.secrets():
        total[sample.kind] += 1
        if not sample.leaks(redact(sample.text)[0]):
            found[sample.kind] += 1
        elif show:
            print(f"  missed: {redact(sample.text)[0]!r}")
    print("| Secrets | Samples | Found | Recall |\n|---|---|---|---|")
    for kind in [*sorted(total), "all"]:
        of_kind = total[kind] or sum(total.values())
        hits = found[kind] if kind in total else sum(found.values())
        print(f"| {kind} | {of_kind} | {hits} | {hits / of_kind:.1%} |")


def false_alarms(named: Iterator[tuple[str, list[str]]], show: bool) -> None:
    """A row for each kind of ordinary text: the lines that are not left as they are."""
    rows = []
    for kind, lines in named:
        alarms = [line for line in lines if redact(line)[1]]
        rows.append((kind, len(lines), len(alarms)))
        for line in alarms if show else ():
            print(f"  taken for a secret: {redact(line)[0][:300]}")
    rows.append(("all", sum(row[1] for row in rows), sum(row[2] for row in rows)))
    print("| Ordinary text | Lines | False alarms | Per 1,000 lines |\n|---|---|---|---|")
    for kind, count, alarms_of_kind in rows:
        print(f"| {kind} | {count} | {alarms_of_kind} | {1000 * alarms_of_kind / count:.2f} |")


def files(folder: Path) -> Iterator[tuple[str, list[str]]]:
    """The lines of the text files below a folder, by the ending of their names."""
    by_ending: dict[str, list[str]] = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink() and path.stat().st_size < 5_000_000:
            data = path.read_bytes()
            if b"\0" not in data:
                lines = data.decode("utf-8", "replace").splitlines()
                by_ending.setdefault(path.suffix or "none", []).extend(lines)
    yield from sorted(by_ending.items())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="*", type=Path, help="text without secrets to count in")
    parser.add_argument("--show", action="store_true", help="print what was missed or mistaken")
    options = parser.parse_args()
    if not options.folder:
        recall(options.show)
        print()
        false_alarms(samples.ordinary(), options.show)
    for folder in options.folder:
        print(f"\n{folder}")
        false_alarms(files(folder), options.show)


if __name__ == "__main__":
    main()
