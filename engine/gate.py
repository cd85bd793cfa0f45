"""The gate: what must hold before a session's packet may be handed over."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from . import leftovers, steps, verdict
from .model import Snapshot

MAX_OF_A_KIND = 10
_LEFTOVERS = {
    "artifact.temporary": "is a temporary file",
    "artifact.debug": "prints for debugging",
    "artifact.commented": "comments code out",
}


class Issue(NamedTuple):
    """Something that is not clean."""

    check: str  # a key of the configuration's `gate`, or next_action
    code: str
    policy: str  # refuse or warn
    detail: str
    mend: str  # what to do about it
    evidence: str | None = None
    excepted: str | None = None  # the reason it was let through once


class CleanState(NamedTuple):
    issues: tuple[Issue, ...]

    @property
    def refused(self) -> tuple[Issue, ...]:
        """The issues that keep a packet from being written."""
        return tuple(i for i in self.issues if i.policy == "refuse" and not i.excepted)


def check(snapshot: Snapshot) -> CleanState:
    """Every issue of the checks that are not off, in the order of the checks."""
    found = []
    for name, issues in (
        ("working_tree", _working_tree),
        ("temporary_artifacts", _temporary_artifacts),
        ("tests", _tests),
        ("board", _board),
        ("branch", _branch),
        ("review", _review),
    ):
        policy = snapshot.config.gate[name]
        if policy != "off":
            found += [issue._replace(check=name, policy=policy) for issue in issues(snapshot)]
    if steps.next_action(snapshot) is None:
        found.append(_NO_NEXT_ACTION)
    reasons = dict(snapshot.exceptions)
    return CleanState(tuple(issue._replace(excepted=reasons.get(issue.code)) for issue in found))


def _more(place: int, total: int) -> str:
    """What the last issue of a kind that is listed says of those that are not."""
    left = total - place if place == MAX_OF_A_KIND else 0
    return f" (and {left} more such findings are not listed)" if left else ""


def _issue(code: str, detail: str, mend: str, evidence: str | None = None) -> Issue:
    return Issue("", code, "", detail, mend, evidence)


_NO_NEXT_ACTION = Issue(
    "next_action",
    "next_action.missing",
    "refuse",
    "nothing tells the next session what to do first: no state, to-do list, board, red command, "
    "statement, uncommitted or unpushed work",
    "say it: `python3 .handoff/engine state set next_action 'one concrete step'`",
)


def _working_tree(snapshot: Snapshot) -> Iterator[Issue]:
    dirty = snapshot.git.dirty
    if dirty:
        yield _issue(
            "tree.dirty",
            f"not committed: {steps.named(dirty, MAX_OF_A_KIND)}",
            "commit it, or set it aside: `python3 .handoff/engine clean --stash`",
        )


def _temporary_artifacts(snapshot: Snapshot) -> Iterator[Issue]:
    git = snapshot.git
    there = [item.path for item in git.changed if item.change in ("added", "untracked", "renamed")]
    found = [
        *leftovers.temporary(there),
        *leftovers.in_lines(git.added, snapshot.config.debug_patterns),
    ]
    for place, one in enumerate(found[:MAX_OF_A_KIND], 1):
        where = one.path if one.line is None else f"{one.path}:{one.line}"
        detail = f"`{where}` {_LEFTOVERS[one.code]}{_more(place, len(found))}"
        yield _issue(one.code, detail, f"remove it from `{one.path}`", one.path)


def _tests(snapshot: Snapshot) -> Iterator[Issue]:
    for finding in verdict.findings(snapshot.config.acceptance_commands, snapshot.feedback):
        yield _issue(
            finding.code,
            finding.detail,
            "make it pass and run it bare: `python3 .handoff/engine verify`",
            finding.evidence,
        )


def _board(snapshot: Snapshot) -> Iterator[Issue]:
    features = snapshot.workbench.features
    active = [feature.id for feature in features if feature.status == "in_progress"]
    if len(active) > 1:
        yield _issue(
            "board.several_in_progress",
            f"{len(active)} features are in progress: {', '.join(active[:MAX_OF_A_KIND])}",
            "finish or block all but one: `python3 .handoff/engine board block ID`",
        )
    for feature in features:
        last = verdict.last_run(feature.done_when, snapshot.feedback) if feature.done_when else None
        if feature.status == "done" and last and verdict.failed(last):
            yield _issue(
                "board.contradicted",
                f"feature {feature.id} is done, but `{feature.done_when}` ended with exit code "
                f"{last.exit_code}",
                f"make it pass, or start the feature again: `board start {feature.id}`",
                last.id,
            )


def _branch(snapshot: Snapshot) -> Iterator[Issue]:
    git, session = snapshot.git, snapshot.session
    if git.detached:
        yield _issue(
            "branch.detached",
            "HEAD is detached: commits here belong to no branch",
            "give it one: `git switch -c NAME`",
        )
    started = session.start_branch
    if git.branch and started and git.branch != started and git.branch in session.start_branches:
        yield _issue(
            "branch.other",
            f"the session started on `{started}` and ends on `{git.branch}`",
            f"go back: `git switch {started}`",
        )
    for place, name in enumerate(git.left_behind[:MAX_OF_A_KIND], 1):
        more = _more(place, len(git.left_behind))
        yield _issue(
            "branch.left_behind",
            f"branch `{name}` was made in this session, without an upstream or a note{more}",
            f"push it, delete it, or note why: `git config branch.{name}.description '…'`",
        )


def _review(snapshot: Snapshot) -> Iterator[Issue]:
    if snapshot.workbench.review is None:
        path = snapshot.config.artifacts["review"]
        yield _issue("review.missing", f"there is no review in `{path}`", "have the work reviewed")
