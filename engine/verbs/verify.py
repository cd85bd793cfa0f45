"""Run the acceptance commands, and write down whether the work passes."""

from __future__ import annotations

import hashlib
import json
import re
import sys
from typing import TYPE_CHECKING, Any

from .. import git, layout, names, process, redact, verdict, workbench
from ..errors import HandoffError
from ..model import Finding
from . import run as runner
from . import snapshot

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from ..model import Snapshot
    from ..project import Project
    from ..session import Session

REFUSED = 3
VERIFIED = f"{layout.STATE_FOLDER}/verified.json"  # the workbench that was verified last


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--session", metavar="ID", help="the session (default: the newest one)")
    parser.add_argument("--json", action="store_true", help="print the verification report")
    parser.add_argument(
        "--dry-run", action="store_true", help="judge by the recorded commands; write nothing"
    )


def run(project: Project, options: Namespace) -> int:
    current = project.current_session(options.session)
    report = verdict_on(project, current) if options.dry_run else verify(project, current)
    print("\n".join(table(report)), file=sys.stderr)
    if options.json:
        print(json.dumps(report, indent=2))
    return 0 if report["passed"] else REFUSED


def verify(project: Project, current: Session) -> dict[str, Any]:
    """Run every acceptance command, write the report, and return its value."""
    for command in project.config.acceptance_commands:
        print(f"$ {command}", file=sys.stderr, flush=True)
        runner.execute(project, current.id, [command], out=process.STDERR, cwd=project.root)
    report: dict[str, Any] = redact.value(verdict_on(project, current))
    data = json.dumps(report, indent=2) + "\n"
    project.write(path(project, report["task_id"]), data.encode())
    verified = {current.id: _workbench_now(project, current)}
    project.write(VERIFIED, json.dumps(verified).encode())
    return report


def stands(project: Project, current: Session) -> bool:
    """Whether the acceptance commands ran on the workbench as it is: no file has changed and no
    command was recorded since."""
    try:
        return bool(project.json(VERIFIED) == {current.id: _workbench_now(project, current)})
    except HandoffError:
        return False


def _workbench_now(project: Project, current: Session) -> str:
    """Changes with every commit, every uncommitted file and every recorded command."""
    at = git.repository(project.root)
    state = snapshot.repository(project, at, None)
    facts = [snapshot.fingerprint(project, state), *project.config.acceptance_commands]
    facts += [f"{run.id} {run.exit_code}" for run in project.runs(current.id)]
    return hashlib.sha256("\0".join(facts).encode("utf-8", "surrogateescape")).hexdigest()


def verdict_on(project: Project, current: Session) -> dict[str, Any]:
    """The report that the recorded commands and the changed files give; nothing is run."""
    at = git.repository(project.root)
    taken = snapshot.take(project, at, current, None)
    commands = tuple(verdict.findings(project.config.acceptance_commands, taken.feedback))
    found = (*commands, *_none(project), *taken.workbench.findings)
    return {
        "task_id": _task(taken),
        "passed": all(one.severity != "block" for one in found),
        "findings": [
            {"code": one.code, "severity": one.severity, "detail": one.detail} for one in found
        ],
        "head_commit": taken.git.head,
        workbench.SESSION: current.id,
    }


def path(project: Project, task: str) -> str:
    """Where a task's report lies, from the project's root."""
    configured = project.config.artifacts["verification"]
    if configured.endswith(".json"):
        return configured
    plain = re.fullmatch(r"[A-Za-z0-9_-][A-Za-z0-9._+-]{0,100}", task)
    return f"{configured}/{task if plain else names.folder(task)}.json"


def table(report: dict[str, Any]) -> list[str]:
    """The report for a person, a line for each finding."""
    lines = [f"{one['severity']:5}  {one['code']}: {one['detail']}" for one in report["findings"]]
    return [*lines, "verification passed" if report["passed"] else "verification did not pass"]


def _task(taken: Snapshot) -> str:
    """The task the report is for: the agent's own, the feature in progress, else the session."""
    bench = taken.workbench
    told = bench.state.active_task if bench.state else None
    active = [feature.id for feature in bench.features if feature.status == "in_progress"]
    return told or (active[0] if active and active[0] else taken.session.id)


def _none(project: Project) -> tuple[Finding, ...]:
    if project.config.acceptance_commands:
        return ()
    detail = "no acceptance commands are configured: nothing was verified"
    return (Finding("acceptance.none", "info", detail),)
