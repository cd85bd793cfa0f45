"""Invented secrets in the shapes that are public knowledge, and ordinary text that has none."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).parents[1] / "data" / "secrets"


class Sample(NamedTuple):
    kind: str
    text: str
    secret: str  # as it stands in the text

    def leaks(self, text: str) -> bool:
        """Whether the text shows the secret, or the beginning or end of one of its lines."""
        lines = [line for line in self.secret.replace("\\n", "\n").split("\n") if line.strip("> ")]
        ends = [end for line in lines for end in (line.strip("> ")[:8], line[-8:])]
        unmarked = re.sub(r"\[redacted:[a-z-]+\]", "", text)
        return any(end in unmarked for end in ends)


def secrets() -> Iterator[Sample]:
    """The samples. Their file has each secret in pieces, so that no scanner takes it for one."""
    for line in (FOLDER / "secrets.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        secret = "".join(row["secret"])
        yield Sample(row["kind"], row["before"] + secret + row["after"], secret)


def ordinary() -> Iterator[tuple[str, list[str]]]:
    """Kinds of ordinary text, each with its lines."""
    for path in sorted((FOLDER / "ordinary").glob("*.txt")):
        yield path.stem.replace("-", " "), path.read_text(encoding="utf-8").splitlines()
