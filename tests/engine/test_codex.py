"""Codex's own ways: payloads and rollout lines as version 0.171.0 writes them, and older ones."""

from __future__ import annotations

import json
from typing import Any

import pytest

from engine import feedback, session, sweep
from engine.records import Call, Plan, Prompt, Record, Reply, Result, Step, Usage
from engine.runtimes.codex import hooks, launch, transcript
from engine.session import Session
from tests.repository import RECORDED

FOLDER = next(RECORDED.glob("codex-*"))
AT = 1_796_008_115.0
STAMP = "2026-11-30T03:08:35Z"


def post(tool: str = "Bash", given: Any = None, response: Any = "out\n") -> dict[str, Any]:
    return {
        "session_id": "S-1",
        "transcript_path": "/r.jsonl",
        "cwd": "/elsewhere",
        "hook_event_name": "PostToolUse",
        "tool_name": tool,
        "tool_input": {"command": "make"} if given is None else given,
        "tool_use_id": "call_1",
        "tool_response": response,
    }


def line(payload: dict[str, Any], **keys: Any) -> bytes:
    return json.dumps({"timestamp": STAMP, "payload": payload, **keys}).encode() + b"\n"


def completed(item: dict[str, Any], **keys: Any) -> bytes:
    return line({"type": "item_completed", "item": item, **keys}, ordinal=1)


def execution(code: Any = 0, call_id: str = "call_1", **keys: Any) -> dict[str, Any]:
    return {
        "type": "CommandExecution",
        "id": call_id,
        "command": ["/bin/bash", "-lc", "make"],
        "aggregated_output": "out\n",
        "exit_code": code,
        "duration": {"secs": 2, "nanos": 500_000_000},
        **keys,
    }


def read(*lines: bytes) -> list[Record]:
    return list(transcript.records(lines))


def call(name: str, arguments: Any, call_id: str = "call_1") -> bytes:
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return line(
        {"type": "function_call", "name": name, "arguments": text, "call_id": call_id}, ordinal=1
    )


def output(text: Any, call_id: str = "call_1", **keys: Any) -> bytes:
    return line({"type": "function_call_output", "call_id": call_id, "output": text}, **keys)


def fold(name: str) -> tuple[Session, dict[str, int | None]]:
    data = (FOLDER / name / "transcript.jsonl").read_bytes().splitlines(keepends=True)
    one, entries, _ = sweep.after_records(session.new("codex", "S-1"), transcript.records(data))
    found = [*entries, *sweep.unfinished(one)]
    return one, {str(e["command"]): e["exit_code"] for e in found}  # type: ignore[misc]


def test_a_command_s_payload_has_no_exit_code() -> None:
    event = hooks.event(post())
    assert event is not None
    assert event.entry is not None
    assert (event.entry["command"], event.entry["exit_code"]) == ("make", None)
    assert event.entry["stdout_tail"] == "out"


@pytest.mark.parametrize("tool", ["apply_patch", "exec_command", "write_stdin", None])
def test_other_tools_are_no_commands(tool: str) -> None:
    assert hooks.event(post(tool)) is None


@pytest.mark.parametrize(("code", "known"), [(0, 0), (5, 5), (-1, None), (None, None), ("0", None)])
def test_the_rollout_s_end_settles_the_exit_code(code: Any, known: int | None) -> None:
    entry = feedback.entry("call_1", "make", "out")
    tail = b'cut off"}\n' + completed(execution(7, "call_2")) + completed(execution(code))
    settled = hooks.settled(entry, tail + b"still being wri")
    assert settled == {**entry, "exit_code": known, "duration_ms": 2_500}


def test_a_command_that_only_speaks_of_another_settles_nothing() -> None:
    entry = feedback.entry("call_1", "make")
    talk = execution(9, "call_2", aggregated_output='say "call_1" and "CommandExecution"')
    assert hooks.settled(entry, completed(talk) + line({"item": "call_1"})) == entry


@pytest.mark.parametrize(
    ("response", "counts"), [("Plan updated", True), ("unsupported call", False), (None, False)]
)
def test_a_plan_s_payload_counts_when_it_was_accepted(response: Any, counts: bool) -> None:
    plan = [{"step": "a", "status": "completed"}, {"step": "b", "status": "odd"}]
    event = hooks.event(post("update_plan", {"plan": plan}, response))
    assert event is not None
    assert event.entry is None
    assert event.plan == ((Step("1", "a", "done"), Step("2", "b", "open")) if counts else None)


@pytest.mark.parametrize("name", ["Stop", "Interrupt"])
def test_an_interrupt_ends_the_turn_too(name: str) -> None:
    event = hooks.event({"session_id": "S", "hook_event_name": name})
    assert event is not None
    assert event.kind == "turn-end"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (" fix it\n", "fix it"),
        ("<environment_context>\n<cwd>/x</cwd>", ""),
        ("<turn_aborted>\nThe user interrupted", ""),
        ("# AGENTS.md instructions for /x", ""),
        ("# AGENTS is a file I want", "# AGENTS is a file I want"),
        ("", ""),
    ],
)
def test_only_what_a_human_typed_is_a_prompt(text: str, words: str) -> None:
    event = hooks.event({"session_id": "S", "hook_event_name": "UserPromptSubmit", "prompt": text})
    assert event is not None
    assert event.prompt == words
    message = {"type": "UserMessage", "content": [{"type": "text", "text": text}]}
    assert read(completed(message)) == ([Prompt(words, AT)] if words else [])


def test_items_are_read() -> None:
    usage = {"last_token_usage": {"total_tokens": 70}, "model_context_window": 200}
    assert read(
        completed({"type": "AgentMessage", "content": [{"text": "a"}, {}, {"text": "b"}]}),
        completed(execution(3), completed_at_ms=1_796_008_120_000),
        line({"type": "token_count", "info": usage}, ordinal=1),
        line({"type": "token_count", "info": None}, ordinal=1),
        line({"type": "task_complete"}, ordinal=1),
    ) == [
        Reply("a\nb", AT),
        Call("call_1", "make", AT + 2.5),
        Result("call_1", 3, "out\n", "", AT + 5),
        Usage(70, 200),
    ]


@pytest.mark.parametrize(
    ("argv", "command"),
    [
        (["bash", "-lc", "a | b"], "a | b"),
        (["/bin/zsh", "-c", "a"], "a"),
        (["python3", "-c", "print(1)"], "python3 -c 'print(1)'"),
        (["echo", "a b"], "echo 'a b'"),
        ("make", "make"),
        (None, ""),
    ],
)
def test_a_command_is_the_text_that_the_shell_was_given(argv: Any, command: str) -> None:
    found = read(completed(execution(command=argv)))[0]
    assert isinstance(found, Call)
    assert found.command == command


def test_a_call_whose_end_never_comes_is_known() -> None:
    running = output("Process running with session ID 7\nOutput:\na\n", ordinal=2)
    found = read(call("exec_command", {"cmd": "sleep 9"}), running)
    assert found == [Call("call_1", "sleep 9", AT)]


@pytest.mark.parametrize(
    "words",
    [
        "Wall time: 0.1 seconds\naborted by user",
        'exec_command failed: CreateProcess { message: "Rejected(\\"…was not executed…\\")" }',
        "approval policy is Never; reject command — you cannot ask for escalated permissions",
    ],
)
def test_a_call_that_was_refused_runs_no_more(words: str) -> None:
    refused = Result("call_1", None, "", "", AT, "did not run to its end")
    asked = call("exec_command", {"cmd": "make"})
    assert read(asked, output(words, ordinal=2)) == [Call("call_1", "make", AT), refused]
    one, *_ = sweep.after_records(
        session.new("codex", "S-1"), iter(read(asked, output(words, ordinal=2)))
    )
    assert one.pending == ()


@pytest.mark.parametrize("arguments", ["", "{", "[" * 100_000, "[1]", {"cmd": None}, {}])
def test_arguments_that_make_no_sense_name_no_command(arguments: Any) -> None:
    assert [
        one for one in read(call("exec_command", arguments)) if one != Call("call_1", "", AT)
    ] == []


def test_a_plan_counts_only_when_its_call_was_accepted() -> None:
    given = {"plan": [{"step": "a", "status": "in_progress"}]}
    plan = Plan((Step("1", "a", "in_progress"),))
    assert read(call("update_plan", given), output("Plan updated", ordinal=2)) == [plan]
    assert read(call("update_plan", given), output("unsupported call", ordinal=2)) == []


@pytest.mark.parametrize(
    ("text", "code", "shown"),
    [
        ('{"output": "1 failed", "metadata": {"exit_code": 1}}', 1, "1 failed"),
        (
            "Chunk ID: a1\nWall time: 0.2 seconds\nProcess exited with code 5\nOutput:\nx\n",
            5,
            "x\n",
        ),
        ("Exit code: 2\nWall time: 0.1 seconds\nOutput:\nx", 2, "x"),
        ("Process exited with code -1\nOutput:\n", None, ""),
    ],
)
def test_an_older_rollout_tells_the_exit_code_in_its_outputs(
    text: str, code: int | None, shown: str
) -> None:
    assert read(output(text)) == [Result("call_1", code, shown, "", AT)]


@pytest.mark.parametrize(
    "text", ["x\nProcess exited with code 0\n", '{"a": {"exit_code": 0}}', "{", "[" * 9, ""]
)
def test_what_a_program_prints_is_no_exit_code(text: str) -> None:
    assert read(output(text)) == [Result("call_1", None, text, "", AT, "no exit code recorded")]


@pytest.mark.parametrize(
    ("script", "command"),
    [
        ('await exec_command({cmd: "make \\"all\\""})', 'make "all"'),
        ('exec_command({ "cmd": "a\\n b" })', "a\n b"),
        ('exec_command({cmd: "it\\\'s"})', "it\\'s"),
        ("exec_command({cmd: variable})", None),
    ],
)
def test_an_older_script_s_command_is_read_without_running_it(
    script: str, command: str | None
) -> None:
    given = {"type": "custom_tool_call", "name": "exec", "call_id": "c", "input": script}
    assert read(line(given)) == ([] if command is None else [Call("c", command, AT)])


def test_a_message_that_stands_there_twice_is_read_once() -> None:
    text = {"type": "message", "role": "user", "content": [{"text": "fix it"}]}
    assert read(line(text), line({"type": "user_message", "message": "fix it"})) == [
        Prompt("fix it", AT)
    ]
    item = {"type": "UserMessage", "content": [{"text": "fix it"}]}
    numbered = line({**text, "id": "msg_1"}, ordinal=4)
    assert read(numbered, completed(item)) == [Prompt("fix it", AT)]


def test_the_recorded_story() -> None:
    one, commands = fold("")
    assert one.goal == "Make the parser accept empty lines"
    assert one.statement == "Parser accepts empty lines; lint.py still fails."
    assert [step[1:] for step in one.plan] == [
        ("Make the parser accept empty lines", "done"),
        ("Make lint.py pass", "in_progress"),
        ("Describe empty lines in the README", "open"),
    ]
    assert (one.turns, one.used_tokens, one.window_tokens) == (1, 19_725, 258_400)
    assert commands["python3 -m unittest -q"] == 0  # 1 before that
    assert commands["python3 lint.py"] == 3


@pytest.mark.parametrize(
    ("name", "turns", "expected"),
    [
        (
            "background-polled-and-not",
            1,
            {
                "echo a; sleep 2; echo b; exit 5": 5,
                "echo quick": 0,
                "sleep 1.2; echo finished; exit 6": 6,
                "sleep 2": 0,
                "echo never; sleep 300": None,
            },
        ),
        ("code-mode", 1, {"echo one; exit 4": 4}),
        ("compact", 2, {"echo one": 0, "echo two; exit 3": 3}),
        ("sigint-in-command", 1, {"echo begun; touch /tmp/obs/xm; sleep 100": None}),
        ("sigterm-in-command", 1, {"echo begun; touch /tmp/obs/xm; sleep 100": None}),
        ("subfolder-and-workdir", 1, {"pwd": 0, "pwd; exit 2": 2}),
    ],
)
def test_recorded_commands_end_as_they_did(
    name: str, turns: int, expected: dict[str, int | None]
) -> None:
    one, commands = fold(name)
    assert (one.turns, commands) == (turns, expected)


def test_a_plan_made_in_code_mode_is_in_its_payload() -> None:
    text = (FOLDER / "code-mode" / "hooks.jsonl").read_text(encoding="utf-8")
    plans = [event.plan for event in map(hooks.event, map(json.loads, text.splitlines())) if event]
    assert (Step("1", "A", "done"), Step("2", "B", "in_progress")) in plans


def test_a_session_is_opened_again_by_its_id() -> None:
    assert launch.resume_command("01a22a78-f630") == "codex resume 01a22a78-f630"
