"""Feed damaged sessions and payloads to the readers for a while: what raises is a finding.

Coverage leads the way (atheris, the extra `fuzz`); what is damaged are recorded sessions, since
bytes made up from nothing hardly ever get past `json.loads`. A finding is kept in the folder given
and named, and the run goes on.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
import traceback
from pathlib import Path
from random import Random
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import atheris

with atheris.instrument_imports(include=["engine"]):
    from tests.engine import builders, damaged

READERS = ("claude-code", "codex", "copilot", "gemini", "opencode", "qwen", "pi")
HOOKS = "hooks"
SLOW_SECONDS = 5
PACKET_EVERY = 8  # executions, since a packet costs more than all before it


class Run:
    """One target's run: what it was fed and what came of it."""

    def __init__(self, target: str, minutes: float, folder: Path) -> None:
        self.target, self.folder = target, folder
        self.seeds = damaged.payloads() if target == HOOKS else damaged.transcripts(target)
        self.began = time.monotonic()
        self.until = self.began + minutes * 60
        self.executions = self.slowest_ms = 0
        self.findings: dict[str, int] = {}
        self.scratch = Path(tempfile.mkdtemp(dir="/dev/shm" if Path("/dev/shm").is_dir() else None))
        config = self.scratch / ".handoff" / "config.json"
        config.parent.mkdir()
        config.write_text(json.dumps(builders.config_value()))

    def once(self, data: bytes) -> None:
        if time.monotonic() > self.until:
            self.end()
        self.executions += 1
        begun = time.process_time()  # others may hold the processor
        try:
            if self.target == HOOKS:
                damaged.answer(self.scratch, data)
            else:
                path = damaged.written(self.scratch, data)
                damaged.read(self.target, path, self.executions % PACKET_EVERY == 0)
        except Exception:
            where = traceback.format_exc()
            self.found(where.strip().splitlines()[-1][:200], where, data)
        took = time.process_time() - begun
        self.slowest_ms = max(self.slowest_ms, round(took * 1000))
        if took > SLOW_SECONDS:
            self.found(f"time-out of {took:.0f} s", f"{took:.1f} s", data)
        if self.executions % 500 == 0:
            self.tell()

    def found(self, name: str, where: str, data: bytes) -> None:
        self.findings[name] = self.findings.get(name, 0) + 1
        if self.findings[name] == 1:
            place = self.folder / f"{self.target}-{len(self.findings)}"
            place.with_suffix(".input").write_bytes(data)
            place.with_suffix(".trace").write_text(where, encoding="utf-8", errors="replace")
            self.tell()

    def tell(self) -> None:
        told = {
            "target": self.target,
            "executions": self.executions,
            "seconds": round(time.monotonic() - self.began),
            "processor_seconds": round(time.process_time()),
            "slowest_ms": self.slowest_ms,
            "findings": self.findings,
        }
        (self.folder / f"{self.target}.json").write_text(json.dumps(told, indent=2) + "\n")

    def end(self) -> None:
        self.tell()
        print((self.folder / f"{self.target}.json").read_text(), end="", flush=True)
        for path in sorted(self.scratch.rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()
        self.scratch.rmdir()
        os._exit(1 if self.findings else 0)  # libFuzzer ends by a signal or a crash alone

    def mutated(self, data: bytes, max_size: int, seed: int) -> bytes:
        random = Random(seed)
        if random.random() < 0.1 or not data:
            data = random.choice(self.seeds)
        if self.target == HOOKS:
            damage = damaged.damaged(data[1:], random, [one[1:] for one in self.seeds])
            return (data[:1] + damage)[:max_size]
        return damaged.damaged(data, random, self.seeds)[:max_size]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("target", choices=(*READERS, HOOKS))
    parser.add_argument("--minutes", type=float, default=1)
    parser.add_argument("--findings", type=Path, default=Path(tempfile.gettempdir()) / "fuzz")
    options = parser.parse_args()
    options.findings.mkdir(parents=True, exist_ok=True)
    run = Run(options.target, options.minutes, options.findings)
    corpus = options.findings / "seeds" / options.target
    corpus.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(run.seeds):
        (corpus / str(number)).write_bytes(seed)

    def mutate(data: bytes, max_size: int, seed: int) -> bytes:
        return run.mutated(data, max_size, seed)

    flags: list[Any] = [sys.argv[0], "-max_len=300000", "-timeout=300", "-rss_limit_mb=0"]
    atheris.Setup([*flags, "-verbosity=0", str(corpus)], run.once, custom_mutator=mutate)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
