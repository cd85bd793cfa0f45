from __future__ import annotations

from engine import commands
from engine.commands import CommandRun, Resolution, Tail
from tests.engine.builders import run


def test_a_command_is_shown_as_it_ran() -> None:
    record = run("pytest", 1, id="7", duration_ms=70, note="subagent")
    assert commands.commands_run((record,), ()) == (
        CommandRun("7", "pytest", 1, "2026-11-30T03:08:35Z", 70, "hook", "subagent", True),
    )


def test_of_many_commands_the_newest_are_kept_and_the_older_that_failed() -> None:
    records = tuple(run(f"c{n}", 1 if n < 5 else 0) for n in range(150))
    kept = commands.kept(records)
    assert len(kept) == commands.MAX_COMMANDS
    assert [record.command for record in kept[:6]] == ["c0", "c1", "c2", "c3", "c4", "c55"]
    assert kept[-1] == records[-1]


def test_a_failure_stays_listed_after_it_was_fixed() -> None:
    records = (
        run("make", 2, id="1", stdout_tail="out", stderr_tail="err"),
        run("nosuch", 127, id="2", stdout_tail="out"),
        run("make", 0, id="3"),
        run("sleep 9", None, id="4"),
    )
    first, second = commands.failed_attempts(records)
    assert (first.id, first.exit_code, first.why, first.did_not_run) == ("1", 2, "err", False)
    assert first.resolved_by == Resolution("3", "2026-11-30T03:08:35Z")
    assert (second.id, second.why, second.did_not_run) == ("2", "out", True)
    assert second.resolved_by is None


def test_an_earlier_pass_resolves_nothing() -> None:
    (attempt,) = commands.failed_attempts((run("make", 0), run("make", 2)))
    assert attempt.resolved_by is None


def test_a_long_reason_is_cut_in_front_with_a_mark() -> None:
    (attempt,) = commands.failed_attempts((run("make", 2, stderr_tail="x" * 5_000 + "end"),))
    assert (attempt.why[0], attempt.why[-3:]) == ("…", "end")
    assert len(attempt.why) == commands.MAX_WHY_CHARS


def test_the_tail_has_the_newest_and_every_failure() -> None:
    records = tuple(run(f"c{n}", 1 if n == 3 else 0) for n in range(20))
    shown = commands.feedback_tail(records, 2)
    assert [entry.command for entry in shown] == ["c3", "c18", "c19"]
    assert [entry.command for entry in commands.feedback_tail(records, 0)] == ["c3"]
    assert len(commands.feedback_tail(records[:4], 10)) == 4


def test_the_tail_never_has_more_than_thirty() -> None:
    records = tuple(run(f"c{n}", 1) for n in range(50))
    shown = commands.feedback_tail(records, 5)
    assert [shown[0].command, shown[-1].command, len(shown)] == ["c20", "c49", 30]


def test_a_failure_shows_more_of_its_output_than_a_pass() -> None:
    output = "\n".join(f"line {n:04}" for n in range(200))
    passed, failed = commands.feedback_tail(
        (run("a", 0, stdout_tail=output), run("b", 1, stdout_tail=output, lines_cut=7)), 5
    )
    assert len(passed.output) == commands.MAX_PASSED_CHARS
    assert len(failed.output) == commands.MAX_WHY_CHARS
    for entry, before in ((passed, 0), (failed, 7)):
        assert entry.output.startswith("…")
        shown = entry.output.count("\n") + 1
        assert entry.lines_cut == before + 200 - shown


def test_both_outputs_are_in_the_tail() -> None:
    record = run("a", 0, stdout_tail="out", stderr_tail="err", lines_cut=3)
    assert commands.feedback_tail((record,), 5) == (
        Tail("a", 0, "2026-11-30T03:08:35Z", "out\nerr", 3),
    )
