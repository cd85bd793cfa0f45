from __future__ import annotations

import pytest

from engine import risks
from engine.model import AgentState, Feature, Finding, Report, Review, Workbench
from engine.risks import Risk
from engine.runs import Run
from tests.engine.builders import START, config, git, run, session, snapshot

ACCEPTED = config(acceptance_commands=("pytest -q",), gate={**config().gate, "tests": "refuse"})


def test_a_session_in_which_nothing_happened_has_no_risk() -> None:
    assert risks.open_risks(snapshot()) == ()


@pytest.mark.parametrize(
    ("feedback", "risk"),
    [
        ((), Risk("block", "acceptance.missing", "`pytest -q` did not run in this session")),
        (
            (run(exit_code=0), run(exit_code=2, id="last")),
            Risk("block", "acceptance.failed", "`pytest -q` failed with exit code 2", "last"),
        ),
        (
            (run(exit_code=None, id="last"),),
            Risk(
                "block",
                "feedback.null_exit",
                "how the last run of `pytest -q` ended is unknown",
                "last",
            ),
        ),
    ],
)
def test_an_acceptance_command_that_did_not_pass_blocks(
    feedback: tuple[Run, ...], risk: Risk
) -> None:
    found = risks.open_risks(snapshot(config=ACCEPTED, feedback=feedback))
    assert [one for one in found if one.severity == "block"] == [risk]
    assert "command.failed" not in {one.code for one in found}


def test_an_acceptance_command_that_passed_is_none() -> None:
    feedback = (run(exit_code=2), run())
    assert risks.open_risks(snapshot(config=ACCEPTED, feedback=feedback)) == ()


def test_a_failure_that_nothing_resolved_is_one() -> None:
    (risk,) = risks.open_risks(snapshot(feedback=(run("make lint", 2, id="7"),)))
    detail = "`make lint` failed with exit code 2 and has not passed since"
    assert risk == Risk("warn", "command.failed", detail, "7")


def test_every_failure_is_named() -> None:
    feedback = tuple(run(f"./step{n}.sh", 1) for n in range(25))
    assert len(risks.open_risks(snapshot(feedback=feedback))) == 25


def test_ends_that_nobody_saw_are_counted() -> None:
    feedback = (run("make", None), run("sleep 9", None, id="9"))
    assert risks.open_risks(snapshot(feedback=feedback)) == (
        Risk("info", "command.unknown", "how 2 commands ended is unknown: `sleep 9`", "9"),
    )


@pytest.mark.parametrize(
    "said",
    [
        "All tests pass.",
        "Done: every check passes now",
        "I fixed it.\nThe build is green.",
        "The whole suite succeeded!",
        "Everything is clean",
        "It failed at first. Now all tests pass.",
    ],
)
def test_a_statement_that_the_facts_contradict_is_one(said: str) -> None:
    given = snapshot(session=session(statement=said), feedback=(run(exit_code=1, id="red"),))
    (risk,) = [r for r in risks.open_risks(given) if r.code == "statement.contradicted"]
    assert risk.evidence == "red"
    assert "`pytest -q` ended with exit code 1" in risk.detail


@pytest.mark.parametrize(
    "said",
    [
        "The parser works.",
        "Not all tests pass.",
        "The tests don't pass yet",
        "The tests don’t pass yet",
        "The tests aren't passing.",
        "I could not make the tests pass",
        "No test passes",
        "All tests pass except test_empty",
        "Next: make all tests pass",
        "All tests should pass once lint.py is fixed",
        "Run it until the build is green",
        "The build fails.\nClean it.",
    ],
)
def test_an_honest_statement_is_none(said: str) -> None:
    given = snapshot(session=session(statement=said), feedback=(run(exit_code=1),))
    assert "statement.contradicted" not in {risk.code for risk in risks.open_risks(given)}


@pytest.mark.parametrize(
    "feedback",
    [(), (run(exit_code=1), run()), (run("./deploy.sh", 1),), (run("pytest | tail", 1),)],
)
def test_a_claim_without_a_red_check_is_none(feedback: tuple[Run, ...]) -> None:
    given = snapshot(session=session(statement="All tests pass."), feedback=feedback)
    assert "statement.contradicted" not in {risk.code for risk in risks.open_risks(given)}


def test_the_repository_tells_its_own() -> None:
    state = git(dirty=("a.py",), detached=True, problems=("no base",))
    assert risks.open_risks(snapshot(git=state)) == (
        Risk("warn", "tree.dirty", "not committed: `a.py`"),
        Risk("warn", "branch.detached", "HEAD is detached: commits here belong to no branch"),
        Risk("warn", "git.problem", "no base"),
    )


def test_the_workbench_tells_its_own_and_nothing_is_left_out() -> None:
    bench = Workbench(
        state=AgentState("T", "", True, (), tuple(f"blocker {n}" for n in range(12)), ()),
        verification=Report(
            "v.json", True, tuple(Finding("", "info", f"slow {n}") for n in range(12))
        ),
        review=Review("r.json", 4, "hard_fail", 2),
        problems=tuple(Finding("artifact.malformed", "warn", f"bad {n}") for n in range(12)),
    )
    codes = [risk.code for risk in risks.open_risks(snapshot(workbench=bench))]
    assert codes == (
        ["state.blocker"] * 12
        + ["review.low"]
        + ["artifact.malformed"] * 12
        + ["verification"] * 12
    )


def test_the_same_risk_is_told_once() -> None:
    bench = Workbench(verification=Report("v.json", True, (Finding("x", "warn", "slow"),) * 3))
    assert len(risks.open_risks(snapshot(workbench=bench))) == 1


def test_a_check_that_only_warns_does_not_block_and_one_that_is_off_is_silent() -> None:
    for policy, severities in (("warn", ["warn"]), ("off", [])):
        given = ACCEPTED._replace(gate={**ACCEPTED.gate, "tests": policy})
        assert [risk.severity for risk in risks.open_risks(snapshot(config=given))] == severities


def test_what_was_let_through_once_is_told_with_its_reason() -> None:
    given = snapshot(config=ACCEPTED, exceptions=(("acceptance.missing", "no network"),))
    detail = "`pytest -q` did not run in this session (let through once: no network)"
    assert risks.open_risks(given) == (Risk("info", "acceptance.missing", detail),)


@pytest.mark.parametrize(("seconds", "told"), [(300, False), (301, True)])
def test_a_long_session_that_changed_nothing_is_told(seconds: int, told: bool) -> None:
    given = snapshot(session=session(last_event_at=START + seconds))
    assert ("diff.empty" in {risk.code for risk in risks.open_risks(given)}) == told


def test_a_report_that_did_not_pass_blocks_also_without_findings() -> None:
    bench = Workbench(verification=Report("v.json", False, ()))
    (risk,) = risks.open_risks(snapshot(workbench=bench))
    assert (risk.severity, risk.code, risk.evidence) == ("block", "verification.failed", "v.json")


def test_a_report_of_an_earlier_session_blocks_nobody() -> None:
    report = Report("v.json", False, (Finding("x", "block", "slow"),), older=True)
    (risk,) = risks.open_risks(snapshot(workbench=Workbench(verification=report)))
    assert (risk.severity, risk.code) == ("info", "verification.older")
    passed = Workbench(verification=report._replace(passed=True))
    assert risks.open_risks(snapshot(workbench=passed)) == ()


def test_our_own_report_says_nothing_that_the_packet_does_not_derive_afresh() -> None:
    report = Report("v.json", False, (Finding("acceptance.failed", "block", "x"),), ours=True)
    given = snapshot(workbench=Workbench(verification=report), feedback=(run(),), config=ACCEPTED)
    assert risks.open_risks(given) == ()


def test_why_a_feature_is_blocked_is_told() -> None:
    stuck = Feature("F-1", "blocked", "lint", "", reason="no network")
    (risk,) = risks.open_risks(snapshot(workbench=Workbench(features=(stuck,))))
    assert risk == Risk("warn", "board.blocked", "feature F-1 is blocked: no network")


@pytest.mark.parametrize(("total", "low"), [(6, True), (7, False)])
def test_a_review_below_seven_is_one(total: int, low: bool) -> None:
    bench = Workbench(review=Review("r.json", total, "pass", None))
    assert bool(risks.open_risks(snapshot(workbench=bench))) == low


def test_what_the_transcript_lacks_is_told() -> None:
    given = snapshot(session=session(note="transcript unavailable", skipped=1))
    assert risks.open_risks(given) == (
        Risk("warn", "transcript.unavailable", "transcript unavailable"),
        Risk("info", "transcript.skipped", "1 line of the transcript could not be read"),
    )


def test_the_blocking_ones_come_first() -> None:
    given = snapshot(config=ACCEPTED, git=git(dirty=("a",)), session=session(skipped=2))
    assert [risk.severity for risk in risks.open_risks(given)] == ["block", "warn", "info"]
