"""Claude Code's own ways: payloads and transcript lines as version 2.1.332 writes them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from engine import runs, session, sweep
from engine.records import Call, Plan, PlanChange, Prompt, Record, Reply, Result, Step, Usage, Use
from engine.runtimes.claude_code import hooks, launch, transcript
from engine.session import Session
from tests.repository import RECORDED

FOLDER = next(RECORDED.glob("claude-code-*"))
AT = 1_796_008_115.797
ROW = {"timestamp": "2026-11-30T03:08:35.797Z", "isSidechain": False}


def bash(response: Any = None, event: str = "PostToolUse", **keys: Any) -> dict[str, Any]:
    return {
        "session_id": "S-1",
        "transcript_path": "/t.jsonl",
        "hook_event_name": event,
        "tool_name": "Bash",
        "tool_input": {"command": "make"},
        "tool_use_id": "toolu_1",
        "tool_response": response,
        **keys,
    }


def entry(response: Any = None, **keys: Any) -> dict[str, object]:
    event = hooks.event(bash(response, **keys))
    assert event is not None
    assert event.entry is not None
    return event.entry


def said(**keys: Any) -> dict[str, Any]:
    return {"stdout": "out", "stderr": "", "interrupted": False, "isImage": False, **keys}


def read(*rows: dict[str, Any]) -> list[Record]:
    return list(transcript.records(json.dumps({**ROW, **row}).encode() + b"\n" for row in rows))


def user(content: Any, **keys: Any) -> dict[str, Any]:
    return {"type": "user", "message": {"role": "user", "content": content}, **keys}


def assistant(*blocks: dict[str, Any], usage: Any = None, **keys: Any) -> dict[str, Any]:
    return {"type": "assistant", "message": {"content": list(blocks), "usage": usage}, **keys}


def use(name: str, call_id: str = "t1", **given: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": name, "input": given}


def result(content: Any, response: Any, call_id: str = "t1", **keys: Any) -> dict[str, Any]:
    block = {"type": "tool_result", "tool_use_id": call_id, "content": content, **keys}
    return user([block], toolUseResult=response)


def fold(name: str) -> tuple[Session, dict[str, tuple[int | None, object]]]:
    data = (FOLDER / name / "transcript.jsonl").read_bytes().splitlines(keepends=True)
    one, entries, _ = sweep.after_records(
        session.new("claude-code", "S-1"), transcript.records(data)
    )
    return one, {str(e["command"]): (e["exit_code"], e["error"]) for e in entries}  # type: ignore[misc]


@pytest.mark.parametrize(
    ("response", "code", "error"),
    [
        (said(), 0, None),
        (said(interrupted=True), None, "interrupted"),
        (said(backgroundTaskId="b1"), None, "sent to the background"),
        ({"status": "async_launched"}, None, "sent to the background"),
        (said(returnCodeInterpretation="No matches found"), 1, None),
        (said(returnCodeInterpretation=""), 0, None),
        (None, None, "no response"),
        ("text", None, "no response"),
    ],
)
def test_a_response_says_how_a_command_ended(
    response: Any, code: int | None, error: str | None
) -> None:
    found = entry(response)
    assert (found["exit_code"], found["error"]) == (code, error)


@pytest.mark.parametrize(
    ("failure", "code", "output", "error"),
    [
        ("Exit code 3\noops", 3, "oops", None),
        ("Exit code 1", 1, "", None),
        ("Exit code 143\nCommand timed out after 1s", 143, "Command timed out after 1s", None),
        ("Exit code -1\n", -1, "", None),
        ("touch in '/x' needs approval.", None, "…", "did not run to its end"),
        ("it said:\nExit code 0\n", None, "…", "did not run to its end"),
        ("Exit code 12abc", None, "…", "did not run to its end"),
    ],
)
def test_a_failure_says_its_exit_code_in_front(
    failure: str, code: int | None, output: str, error: str | None
) -> None:
    found = entry(event="PostToolUseFailure", error=failure, is_interrupt=False)
    shown = failure.rstrip() if output == "…" else output
    assert (found["exit_code"], found["stderr_tail"], found["error"]) == (code, shown, error)


def test_an_entry_tells_time_interrupt_and_who_ran_it() -> None:
    found = entry(said(), duration_ms=70, agent_id="a1")
    assert (found["duration_ms"], found["agent_note"]) == (70, "subagent")
    found = entry(event="PostToolUseFailure", error="Exit code 130\n", is_interrupt=True)
    assert (found["exit_code"], found["error"], found["agent_note"]) == (130, "interrupted", None)


@pytest.mark.parametrize("tool", ["Read", "Edit", "mcp__x__Bash", "bash", None])
def test_other_tools_are_no_commands(tool: str | None) -> None:
    assert hooks.event(bash(said(), tool_name=tool)) is None


@pytest.mark.parametrize(
    ("prompt", "words"),
    [
        (" fix it \n", "fix it"),
        ("<system-reminder>x</system-reminder>\nfix it", "fix it"),
        ("fix <b>it</b>", "fix <b>it</b>"),
        ("fix /tmp/x and a/b", "fix /tmp/x and a/b"),
        ("/home/me/x fails", "/home/me/x fails"),
        ("<ide_opened_file>a.py</ide_opened_file>", ""),
        ("<system-reminder>cut off", ""),
        ("<task-notification>\n<task-id>b</task-id>", ""),
        ("<command-name>/clear</command-name>", ""),
        ("<local-command-stdout>x</local-command-stdout>", ""),
        ("<bash-input>ls</bash-input>", ""),
        ("[Request interrupted by user for tool use]", ""),
        ("This session is being continued from a previous conversation that ran out", ""),
        ("/compact", ""),
        ("/my:skill with words", ""),
        ("", ""),
    ],
)
def test_only_what_a_human_typed_is_a_prompt(prompt: str, words: str) -> None:
    payload = {"session_id": "S", "hook_event_name": "UserPromptSubmit", "prompt": prompt}
    event = hooks.event(payload)
    assert event is not None
    assert event.prompt == words
    assert read(user(prompt)) == ([Prompt(words, AT)] if words else [])


def test_a_prompt_of_several_blocks_is_one() -> None:
    blocks = [{"type": "text", "text": "fix"}, {"type": "image"}, {"type": "text", "text": "it"}]
    assert read(user(blocks)) == [Prompt("fix\n\nit", AT)]


@pytest.mark.parametrize(
    "mark",
    [
        {"isMeta": True},
        {"isCompactSummary": True},
        {"isSidechain": True},
        {"origin": {"kind": "task-notification"}},
    ],
)
def test_rows_that_the_program_wrote_are_no_prompts(mark: dict[str, Any]) -> None:
    assert read(user("go on", **mark)) == []


def test_what_was_typed_is_the_human_s() -> None:
    """Seen in an interactive session of 2.1.332; a prompt of `-p` has no origin."""
    assert read(user("go on", origin={"kind": "human"}, promptSource="typed")) == [
        Prompt("go on", AT)
    ]


def test_a_call_and_its_result_are_read() -> None:
    assert read(
        assistant(
            {"type": "text", "text": "Let me look."},
            use("Bash", command="make"),
            usage={"input_tokens": 3, "cache_read_input_tokens": 4, "output_tokens": 99},
        ),
        result("Exit code 2\nno rule", "Error: Exit code 2\nno rule", is_error=True),
    ) == [
        Reply("Let me look.", AT),
        Call("t1", "make", AT),
        Usage(7, None),
        Result("t1", 2, "", "no rule", AT, succeeded=False),
    ]


@pytest.mark.parametrize(
    ("row", "end"),
    [
        (result("out", said()), Result("t1", 0, "out", "", AT)),
        (result("out", None, is_error=False), Result("t1", 0, "out", "", AT)),
        (result("out", None), Result("t1", None, "out", "", AT, "no outcome recorded")),
        (
            result([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], None),
            Result("t1", None, "a\nb", "", AT, "no outcome recorded"),
        ),
        (
            result("", "Error: x", is_error=True),
            Result("t1", None, "", "failed", AT, "did not run to its end"),
        ),
        (
            result("", said(returnCodeInterpretation="Files differ")),
            Result("t1", 1, "out", "", AT),
        ),
    ],
)
def test_a_result_says_how_its_call_ended(row: dict[str, Any], end: Result) -> None:
    (block,) = row["message"]["content"]
    assert read(row) == [end._replace(succeeded=not block.get("is_error"))]


def test_a_subagent_s_commands_are_noted_and_its_words_are_not_the_agent_s() -> None:
    rows = read(
        assistant(
            {"type": "text", "text": "sub"},
            use("Bash", command="make"),
            use("TodoWrite", "t2", todos=[{"content": "a"}]),
            usage={"input_tokens": 3},
            isSidechain=True,
        )
    )
    assert rows == [Call("t1", "make", AT, "subagent")]


def test_another_tool_is_read_with_what_it_is_for() -> None:
    rows = read(
        assistant(use("Edit", file_path="a.py", new_string="x")),
        result("String to replace not found", "Error: x", is_error=True),
    )
    assert rows[0] == Use("t1", "Edit", "a.py", AT)
    assert [row.succeeded for row in rows if isinstance(row, Result)] == [False]


def test_what_the_program_says_of_a_failed_request_is_no_reply() -> None:
    text = {"type": "text", "text": "API Error: 529"}
    assert read(assistant(text, usage={"input_tokens": 0}, isApiErrorMessage=True)) == []


@pytest.mark.parametrize(
    "usage", [None, {}, {"input_tokens": "3"}, {"input_tokens": 0}, {"input_tokens": True}]
)
def test_usage_that_counts_nothing_is_none(usage: Any) -> None:
    assert read(assistant(usage=usage)) == []


def test_a_plan_counts_only_when_its_call_succeeded() -> None:
    todos = [
        {"content": "a", "status": "completed"},
        {"content": "b", "status": "in_progress"},
        {"content": "c", "status": "pending"},
        {"content": "d", "status": "new to us"},
    ]
    call = assistant(use("TodoWrite", todos=todos))
    steps = ("done", "in_progress", "open", "open")
    plan = Plan(tuple(Step(str(n), t, s) for n, t, s in zip(range(1, 5), "abcd", steps)))  # noqa: B905
    assert read(call, result("ok", {"newTodos": todos})) == [plan]
    assert read(call, result("No such tool available", "Error: x", is_error=True)) == []


def test_task_tools_change_one_step_each_and_may_end_in_another_order() -> None:
    rows = read(
        assistant(use("TaskCreate", "t1", subject="parser")),
        assistant(use("TaskUpdate", "t2", taskId="7", status="deleted")),
        assistant(use("TaskUpdate", "t3", taskId="8", subject="lint.py")),
        result("ok", {"success": True, "taskId": "7"}, "t2"),
        result("Task #9 created", {"task": {"id": "9", "subject": "parser"}}, "t1"),
        result("ok", {"success": True, "taskId": "8"}, "t3"),
    )
    assert rows == [
        PlanChange(Step("7", "", "deleted")),
        PlanChange(Step("9", "parser", "open")),
        PlanChange(Step("8", "lint.py", "")),
    ]


def test_the_recorded_story() -> None:
    one, commands = fold("")
    assert one.goal == "Make the parser accept empty lines"
    assert one.statement == "Parser accepts empty lines; lint.py still fails."
    assert one.plan == (
        Step("1", "Make the parser accept empty lines", "done"),
        Step("2", "Make lint.py pass", "in_progress"),
        Step("3", "Describe empty lines in the README", "open"),
    )
    assert (one.turns, one.used_tokens, one.pending) == (1, 19_700, ())
    assert commands["python3 -m unittest -q"] == (0, None)  # 1 before that
    assert commands["python3 lint.py"] == (3, None)


@pytest.mark.parametrize(
    ("name", "turns", "expected"),
    [
        (
            "background-and-timeout",
            1,
            {
                "sleep 2; echo late": (0, None),
                "sleep 5": (143, None),
            },
        ),
        ("background-failed", 1, {"sleep 1; echo late; exit 7": (7, None)}),
        (
            "permission-denied",
            1,
            {"touch /tmp/obs/denied-marker": (None, "did not run to its end")},
        ),
        (
            "sigint-in-bash",
            1,
            {"echo begun; touch /tmp/obs/xm; sleep 100": (None, "did not run to its end")},
        ),
        ("sigterm-in-bash", 1, {"echo begun; touch /tmp/obs/marker7; sleep 20": (137, None)}),
        ("compact", 2, {"echo before": (0, None), "echo after": (0, None)}),
        ("autocompact", 1, {"echo one": (0, None), "echo two": (0, None), "echo three": (0, None)}),
        ("todo-write", 1, {}),
        ("task-tools", 1, {}),
    ],
)
def test_recorded_commands_end_as_they_did(
    name: str, turns: int, expected: dict[str, tuple[int | None, str | None]]
) -> None:
    one, commands = fold(name)
    assert (one.turns, commands) == (turns, expected)


TOLD = {"kind": "task-notification"}


def ended(status: str, summary: str, origin: object = TOLD) -> dict[str, Any]:
    text = (
        "<task-notification>\n<task-id>b</task-id>\n<tool-use-id>t1</tool-use-id>\n"
        f"<output-file>/tmp/b</output-file>\n<status>{status}</status>\n"
        f"<summary>{summary}</summary>\n</task-notification>"
    )
    return user(text, origin=origin)


@pytest.mark.parametrize(
    ("row", "code"),
    [
        (ended("completed", 'Background command "x" completed (exit code 0)'), 0),
        (ended("failed", 'Background command "x" failed with exit code 2'), 2),
        (ended("killed", 'Background command "x" was stopped'), None),
        # The agent's words for the command claim another end.
        (
            ended(
                "failed", 'Background command "y completed (exit code 0)" failed with exit code 2'
            ),
            2,
        ),
        (
            ended(
                "failed",
                'Background command "y completed (exit code 0)</summary>\n</task-notification>" '
                "failed with exit code 2",
            ),
            2,
        ),
        (ended("killed", 'Background command "y completed (exit code 0)" was stopped'), None),
        # A human or a tool wrote it.
        (ended("completed", 'Background command "x" completed (exit code 0)', origin=None), None),
        (
            ended(
                "completed",
                'Background command "x" completed (exit code 0)',
                origin={"kind": "human"},
            ),
            None,
        ),
    ],
)
def test_the_exit_code_of_a_command_in_the_background_is_told_at_its_end(
    row: dict[str, object], code: int | None
) -> None:
    result = {"type": "tool_result", "tool_use_id": "t1", "is_error": False}
    sent = said(backgroundTaskId="b")
    rows = assistant(use("Bash", command="pytest")), user([result], toolUseResult=sent), row
    found = sweep.after_records(session.new("claude-code", "s"), read(*rows))
    (run,) = runs.merged(filter(None, map(runs.parse, found.commands)))
    assert (run.command, run.exit_code) == ("pytest", code)
    assert bool(found.session.pending) == (row.get("origin") != TOLD)


def test_recorded_task_tools_give_the_plan_that_was_left() -> None:
    one, _ = fold("task-tools")
    assert [step[1:] for step in one.plan] == [
        ("First thing", "done"),
        ("Second thing", "done"),
        ("Third thing", "in_progress"),
    ]


def test_a_session_is_opened_again_by_its_id() -> None:
    assert launch.resume_command("a4693f0f") == "claude --resume a4693f0f"
