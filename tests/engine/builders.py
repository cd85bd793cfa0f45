"""Values for tests of the pure rooms: each builder gives a whole one, keywords change a part."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import jinja2
from hypothesis import strategies as st

from engine import packet, render
from engine.config import ARTIFACTS, CHECKS, Config, parse
from engine.model import (
    AgentState,
    ChangedFile,
    Commit,
    Evidence,
    Feature,
    Finding,
    GitState,
    NativeSession,
    Previous,
    Report,
    Review,
    Snapshot,
    Source,
    Stash,
    Workbench,
)
from engine.runs import Run
from engine.session import Session

ROOT = Path(__file__).parents[2]
TEMPLATE = ROOT / "template"
HEAD = "a" * 40
BASE = "b" * 40
START = 1_796_008_115.0  # 2026-11-30T03:08:35Z

# Text as it comes from the world: lone surrogates, control characters, marks of every markup.
odd_text = st.text(max_size=60) | st.text(
    st.sampled_from("\x00\x1b\n\r\t`|<>/\\\"'*_#[]: \u2028\u202e\u200b\ufeff\udfff\udc80é漢🎉ab"),
    max_size=60,
)


def put_engine(project: Path) -> None:
    """The engine, in a folder that has nothing of ours yet."""
    folder = project / ".handoff" / "engine"
    folder.mkdir(parents=True)
    shutil.copy(TEMPLATE / ".handoff/engine/__main__.py", folder)
    templates = jinja2.Environment(
        loader=jinja2.FileSystemLoader(ROOT),
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    modules = templates.get_template("template/.handoff/engine/modules.txt.jinja").render()
    (folder / "modules.txt").write_text(modules, encoding="utf-8")


def config(**changes: Any) -> Config:
    """The configuration of a project that has answered no question; every check only warns."""
    return parse(config_value())._replace(**changes)


def config_value() -> dict[str, Any]:
    """The same as JSON."""
    return {
        "runtimes": ["claude-code", "codex"],
        "acceptance_commands": [],
        "artifacts": {key: f"{key}.json" for key in ARTIFACTS},
        "context_windows": {},
        "stop_gate": "off",
        "gate": {**dict.fromkeys(CHECKS, "warn"), "review": "off"},
        "tail_length": 5,
        "context_limits": {"notice": 50, "wrap_up": 75},
        "rendered": [],
    }


def session(**changes: Any) -> Session:
    whole = Session(
        id="s-1",
        runtime="claude-code",
        native_id="S-1",
        branch="main",
        base_commit=BASE,
        started_at=START,
        goal="Make the parser accept empty lines",
        turns=1,
    )
    return whole._replace(**changes)


def git(**changes: Any) -> GitState:
    whole = GitState(
        branch="main",
        detached=False,
        head=HEAD,
        base=BASE,
        upstream=None,
        ahead=None,
        remotes=False,
        dirty=(),
        changed=(),
        commits=(),
    )
    return whole._replace(**changes)


def changed(path: str = "parser.py", **changes: Any) -> ChangedFile:
    return ChangedFile(path, "modified", None, 3, 1, True)._replace(**changes)


def commit(subject: str = "Accept empty lines") -> Commit:
    return Commit(HEAD, subject)


def run(command: str = "pytest -q", exit_code: int | None = 0, **changes: Any) -> Run:
    whole = Run(
        id=f"{command} {exit_code}",
        session_id="s-1",
        command=command,
        exit_code=exit_code,
        started_at=START,
        source="hook",
    )
    return whole._replace(**changes)


def snapshot(**changes: Any) -> Snapshot:
    """A snapshot of a session in which nothing happened."""
    whole = Snapshot(
        config=config(),
        session=session(),
        git=git(),
        workbench=Workbench(),
        feedback=(),
        resume_command="claude --resume S-1",
        previous=None,
        evidence=(),
        file_hashes={},
    )
    return whole._replace(**changes)


def payload(given: Snapshot | None = None) -> dict[str, Any]:
    """The JSON value of a snapshot's packet, of the story's where there is none."""
    return render.payload(packet.generate(story() if given is None else given))


def schema() -> dict[str, Any]:
    """The project's schema, as the template renders it."""
    text = (TEMPLATE / "handoff.schema.json.jinja").read_text(encoding="utf-8")
    value: dict[str, Any] = json.loads(text.replace("{{ tail_length }}", "10"))
    return value


def story() -> Snapshot:
    """A session with something in every field of its packet."""
    open_file = changed("lint.py", committed=False, added_lines=9)
    moved = changed("parse/empty.py", change="renamed", origin="empty.py")
    reports = ("outputs/verification/T-1.json", "outputs/review/T-1.json")
    state = AgentState(
        active_task="T-1",
        next_action="add the return annotation to `parse`",
        current=True,
        assumptions=("lines end in \\n",),
        blockers=("no network",),
        questions=("keep comments?",),
    )
    return snapshot(
        config=config(acceptance_commands=("python3 -m unittest -q",)),
        session=session(
            last_event_at=START + 60,
            ended_at=START + 120,
            end_reason="other",
            statement="Parser accepts empty lines.\nAll tests pass.",
            used_tokens=19_700,
            window_tokens=200_000,
        ),
        git=git(
            dirty=("lint.py",),
            changed=(open_file, moved, changed("logo.png", added_lines=None, removed_lines=None)),
            commits=(commit(),),
            stashes=(Stash("9" * 40, "half of the lint"),),
        ),
        workbench=Workbench(
            state=state,
            features=(Feature("F1", "in_progress", "Lint the parser", "make lint"),),
            verification=Report(reports[0], True, (Finding("scope.off_scope", "warn", "logo"),)),
            review=Review(reports[1], 6, "soft_fail", 1),
            sources=(
                Source("state", "agent_state.json", "d" * 64),
                Source("transcript", "~/t.jsonl", None, 33, 2, "cut off"),
            ),
        ),
        feedback=(
            run("python3 -m unittest -q", 1, id="1", stderr_tail="test_empty\nFAILED (errors=1)"),
            run("python3 -m unittest -q", 0, id="2", stdout_tail="OK", duration_ms=222),
            run("python3 lint.py", 3, id="3", stderr_tail="parser.py:1: no annotation"),
            run("sleep 100 | cat", None, id="4", note="its end was not seen"),
        ),
        previous=Previous(
            session_id="s-0",
            last_known_good_commit=BASE,
            native_sessions=(NativeSession("codex", "C-1", "codex resume C-1", 3),),
            supersedes="s-0",
        ),
        evidence=(Evidence(reports[0], "e" * 40), Evidence(reports[1], "f" * 40)),
        file_hashes=dict.fromkeys(["agent_state.json", "lint.py", reports[0]], "c" * 64),
    )
