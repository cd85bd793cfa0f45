"""What is wrong with a project's handoffs and what to do about it, from evidence alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from handoff_cli import engine, hooks
from handoff_cli.checks import claude_code, codex, copilot, gemini, project
from handoff_cli.checks.finding import BROKEN, OK, WARN, Finding, Place
from handoff_cli.errors import HandoffError

CHECKS: dict[str, Callable[[Place], Iterator[Finding]]] = {
    "claude-code": claude_code.findings,
    "codex": codex.findings,
    "gemini": gemini.findings,
    "copilot": copilot.findings,
}


@dataclass(frozen=True)
class Row:
    subject: str  # a runtime, or `project`
    finding: Finding


def examined(folder: Path) -> list[Row]:
    """Everything that was found, the project first."""
    rows = [Row("project", finding) for finding in project.grounds(folder)]
    try:
        status = engine.ask(folder, ["status", "--json"])
    except HandoffError as error:  # without the engine nobody knows what belongs where
        mend = error.hint or "restore `.handoff` from git"
        return [*rows, Row("project", Finding(BROKEN, "engine", str(error), mend))]
    rows += [Row("project", finding) for finding in project.findings(folder, status)]
    heard = status.get("last_event_at", {})
    everywhere = {plan.runtime: plan for plan in hooks.plans(folder, scope="user")}
    for plan in hooks.plans(folder):
        found = _runtime(folder, plan, everywhere.get(plan.runtime), heard.get(plan.runtime))
        rows += [Row(plan.runtime, finding) for finding in found]
    return rows


def _runtime(
    folder: Path, plan: hooks.Plan, user: hooks.Plan | None, heard: str | None
) -> Iterator[Finding]:
    try:
        here, everywhere = hooks.status(plan), hooks.status(user) if user else "not installed"
    except HandoffError as error:
        yield Finding(BROKEN, "settings", str(error), error.hint or "")
        return
    where = next(
        (one for one, state in ((plan, here), (user, everywhere)) if state != "not installed"), None
    )
    if where is None:
        yield Finding(
            BROKEN,
            "hooks.missing",
            f"no hook of ours is in `{plan.settings}`",
            f"`handoff hooks install --runtime {plan.runtime}`",
        )
        return
    state = here if where is plan else everywhere
    if state != "installed":
        yield Finding(
            BROKEN,
            "hooks.outdated",
            f"the hooks in `{where.settings}` are {state}",
            "`handoff hooks install`, or `handoff doctor --fix`",
            fix=lambda: hooks.carry_out(folder, [hooks.installing(where)]),
        )
    if here != "not installed" and everywhere != "not installed":
        yield Finding(
            WARN,
            "hooks.twice",
            "our hooks are in the project's settings and in your own: each event comes twice",
            f"`handoff hooks remove --scope user --runtime {plan.runtime}`",
        )
    check = CHECKS.get(plan.runtime)
    if check is not None:
        yield from check(Place(folder, Path.home(), where.path, plan.place.mark))
    if heard is None:
        mend = "work a turn in it; if nothing comes then, one of the findings above says why"
        yield Finding(WARN, "never-fired", "its hooks have not fired here yet", mend)
    else:
        yield Finding(OK, "fired", f"hooks in `{where.settings}`, heard last at {heard}")


def mended(rows: list[Row]) -> list[Row]:
    """Carry out every safe mend; the findings it was done for."""
    done = [row for row in rows if row.finding.fix is not None]
    for row in done:
        assert row.finding.fix is not None
        row.finding.fix()
    return done


def trust_codex(folder: Path) -> list[str]:
    """Write into Codex's own configuration that a person accepts our hooks; their keys."""
    (plan,) = hooks.plans(folder, ["codex"])
    return codex.accept(Place(folder, Path.home(), plan.path, plan.place.mark))
