"""Open risks: what the next session should not find out by itself."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from . import gate, steps, verdict
from .model import Report, Snapshot
from .runs import Run
from .session import Session, cut

LOW_REVIEW_TOTAL = 7
LONG_SECONDS = 300
_CLAIMS_GREEN = re.compile(
    r"\b(?:(?:all|every|the) )?(?:tests?|checks?|everything|build|suite)\b.{0,40}"
    r"\b(?:pass(?:es|ed|ing)?|green|succeed(?:s|ed)?|clean)\b",
    re.IGNORECASE,
)
# Said in the same sentence, these make it something else: a denial, a wish or a plan.
_UNCLAIMS = re.compile(
    r"n['’]t\b|\b(?:not|no|never|cannot|fail(?:s|ed|ing)?|except|but|without|unless|until|once|when"
    r"|if|should|must|needs?|makes?|making|gets?|getting|next|to ?do)\b",
    re.IGNORECASE,
)


class Risk(NamedTuple):
    severity: str  # info, warn or block
    code: str
    detail: str
    evidence: str | None = None  # a command id, a path or a commit


def open_risks(snapshot: Snapshot) -> tuple[Risk, ...]:
    """All open risks, the blocking ones first."""
    found = [
        *_gate(snapshot),
        *_commands(snapshot),
        *_statement(snapshot),
        *_repository(snapshot),
        *_workbench(snapshot),
        *_transcript(snapshot),
    ]
    order = {"block": 0, "warn": 1, "info": 2}
    distinct: dict[tuple[str, str], Risk] = {}
    for risk in found:
        distinct.setdefault((risk.code, risk.detail), risk)
    return tuple(sorted(distinct.values(), key=lambda risk: order[risk.severity]))


def _gate(snapshot: Snapshot) -> Iterator[Risk]:
    """What the gate found: it blocks, or is a risk that the next session should know."""
    for issue in gate.check(snapshot).issues:
        if issue.excepted:
            detail = f"{issue.detail} (let through once: {issue.excepted})"
            yield Risk("info", issue.code, detail, issue.evidence)
        elif issue.check != "next_action":
            severity = "block" if issue.policy == "refuse" else "warn"
            yield Risk(severity, issue.code, issue.detail, issue.evidence)


def _commands(snapshot: Snapshot) -> Iterator[Risk]:
    if not snapshot.config.acceptance_commands:  # those are the gate's
        for record in steps.must_pass(snapshot):
            ended = f"failed with exit code {record.exit_code} and has not passed since"
            detail = f"`{record.command}` {ended}"
            yield Risk("warn", "command.failed", detail, record.id)
    unknown = [record for record in snapshot.feedback if record.exit_code is None]
    if unknown:
        number = steps.counted(len(unknown), "command")
        detail = f"how {number} ended is unknown: `{unknown[-1].command}`"
        yield Risk("info", "command.unknown", detail, unknown[-1].id)


def _statement(snapshot: Snapshot) -> Iterator[Risk]:
    claim = _claim(snapshot.session.statement or "")
    red = _red_checks(snapshot)
    if claim and red:
        detail = (
            f"the agent said {claim!r}, but `{red[-1].command}` ended with exit code "
            f"{red[-1].exit_code}"
        )
        yield Risk("warn", "statement.contradicted", detail, red[-1].id)


def _claim(said: str) -> str | None:
    """The words that say that all is well."""
    for sentence in re.split(r"[.!?;]\s|\n", said):
        claim = _CLAIMS_GREEN.search(sentence)
        if claim and not _UNCLAIMS.search(sentence):
            return claim[0]
    return None


def _red_checks(snapshot: Snapshot) -> list[Run]:
    wanted = snapshot.config.acceptance_commands
    return [
        record
        for record in verdict.unrepeated(snapshot.feedback)
        if verdict.failed(record) and verdict.counts_as_verification(record.command, wanted)
    ]


def _repository(snapshot: Snapshot) -> Iterator[Risk]:
    git = snapshot.git
    for problem in git.problems:
        yield Risk("warn", "git.problem", problem)
    if not git.changed and not git.commits and _took(snapshot.session) > LONG_SECONDS:
        yield Risk("info", "diff.empty", "the session took over 5 minutes and changed no file")


def _took(session: Session) -> float:
    """Seconds from the session's start to its last event."""
    return (session.last_event_at or 0) - (session.started_at or session.last_event_at or 0)


def _workbench(snapshot: Snapshot) -> Iterator[Risk]:
    bench = snapshot.workbench
    for blocker in bench.state.blockers if bench.state else ():
        yield Risk("warn", "state.blocker", blocker)
    for feature in bench.features:
        if feature.reason:
            detail = f"feature {feature.id} is blocked: {feature.reason}"
            yield Risk("warn", "board.blocked", detail)
    if bench.verification:
        yield from _verification(bench.verification)
    if bench.review and bench.review.total < LOW_REVIEW_TOTAL:
        detail = f"the review gave {bench.review.total} of 10"
        yield Risk("warn", "review.low", detail, bench.review.path)
    for finding in (*bench.findings, *bench.problems):
        yield Risk(finding.severity, finding.code, finding.detail, finding.evidence)


def _verification(report: Report) -> Iterator[Risk]:
    """What a report says beyond what the packet derives itself, as `verify` does."""
    if report.older:
        if not report.passed:
            detail = "the verification report of an earlier session says: not passed"
            yield Risk("info", "verification.older", detail, report.path)
        return
    if report.ours:
        return
    if not report.passed:
        detail = "the verification report says: not passed"
        yield Risk("block", "verification.failed", detail, report.path)
    for finding in report.findings:
        yield Risk(finding.severity, finding.code or "verification", finding.detail, report.path)


def _transcript(snapshot: Snapshot) -> Iterator[Risk]:
    session = snapshot.session
    if session.note:
        yield Risk("warn", "transcript.unavailable", session.note)
    if session.skipped:
        lines = steps.counted(session.skipped, "line")
        yield Risk("info", "transcript.skipped", f"{lines} of the transcript could not be read")
    if session.cut_bytes:
        yield Risk("info", "transcript.cut", cut(session))
