"""The contract that every runtime keeps; its own ways are in the test of its name."""

from __future__ import annotations

import inspect
import json
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import feedback, registry, runs, session, sweep
from engine.errors import HandoffError
from engine.records import (
    Call,
    Interrupted,
    Plan,
    PlanChange,
    Prompt,
    Reply,
    Result,
    Skipped,
    Usage,
    Use,
)
from engine.runtimes import base, protocol
from engine.session import Session
from handoff_cli import detect
from tests.real.agents import AGENTS
from tests.repository import RECORDED, SETTINGS

KINDS = (
    base.SESSION_START,
    base.PROMPT,
    base.COMMAND,
    base.TURN_END,
    base.PRE_COMPACT,
    base.SESSION_END,
)
RECORDS = (Prompt, Reply, Call, Use, Result, Interrupted, Plan, PlanChange, Usage, Skipped)
FOLDERS = {
    runtime: sorted(path.parent for path in RECORDED.glob(f"{runtime}-*/**/hooks.jsonl"))
    for runtime in registry.RUNTIMES
}

each_runtime = pytest.mark.parametrize("runtime", registry.RUNTIMES)
each_recording = pytest.mark.parametrize(
    ("runtime", "folder"),
    [
        pytest.param(runtime, folder, id=f"{runtime}-{folder.name}")
        for runtime, folders in FOLDERS.items()
        for folder in folders
    ],
)

each_recorded_file = pytest.mark.parametrize(
    ("runtime", "folder"),
    [
        pytest.param(runtime, folder, id=f"{runtime}-{folder.name}")
        for runtime, folders in FOLDERS.items()
        for folder in folders
        if (folder / "transcript.jsonl").stat().st_size
    ],
)

json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=4,
)


def payloads(folder: Path) -> list[dict[str, Any]]:
    text = (folder / "hooks.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def lines(folder: Path) -> list[bytes]:
    return (folder / "transcript.jsonl").read_bytes().splitlines(keepends=True)


def folded(runtime: str, parts: Iterator[list[bytes]]) -> tuple[Session, dict[str, int | None]]:
    """The session after reading a transcript in parts, and the exit code of each command."""
    one = session.new(runtime, "S-1")
    entries: list[dict[str, object]] = []
    for part in parts:
        one, found, _ = sweep.after_records(one, registry.transcript(runtime).records(part))
        entries += found
    parsed = [run for run in map(runs.parse, entries) if run]
    return one, {run.id: run.exit_code for run in runs.merged(parsed)}


def changed(value: Any, data: st.DataObject) -> Any:
    """The value with one place in it replaced by anything."""
    if isinstance(value, dict) and value and data.draw(st.integers(0, 4)):
        key = data.draw(st.sampled_from(sorted(value)))
        return {**value, key: changed(value[key], data)}
    if isinstance(value, list) and value and data.draw(st.integers(0, 4)):
        place = data.draw(st.integers(0, len(value) - 1))
        return [*value[:place], changed(value[place], data), *value[place + 1 :]]
    return data.draw(json_values)


@each_runtime
def test_a_runtime_offers_what_the_protocol_asks_for(runtime: str) -> None:
    hooks = registry.hooks(runtime)
    for name in inspect.get_annotations(protocol.Hooks):
        assert hasattr(hooks, name), name
    assert set(KINDS) - set(hooks.EVENTS) <= {base.PRE_COMPACT}
    assert hooks.SHAPE in (base.NESTED, base.FLAT, base.PLUGIN)
    assert all(theirs for theirs in hooks.EVENTS.values())
    names = [name for theirs in hooks.EVENTS.values() for name in theirs]
    assert len(names) == len(set(names))
    assert set(hooks.MATCHERS) <= set(names)
    assert set(hooks.TIMEOUTS) == (set() if hooks.SHAPE == base.PLUGIN else set(hooks.EVENTS))
    assert all(timeout > 0 for timeout in hooks.TIMEOUTS.values())
    assert {"project", "user"} <= set(hooks.SETTINGS) <= {"project", "local", "user"}
    assert hooks.SETTINGS["user"].startswith(("~/", "${"))
    assert not Path(hooks.SETTINGS["project"]).is_absolute()
    assert hooks.TAIL_BYTES >= 0


@pytest.mark.parametrize("runtime", registry.RUNTIMES)
def test_what_was_proved_is_what_the_tests_run(runtime: str) -> None:
    versions = {name: agent.program.version for name, agent in AGENTS.items()}
    launch = registry.launch(runtime)
    assert versions.get(runtime) == launch.PROVED
    assert launch.resume_command("x").split()[0] == launch.START.split()[0]


def test_every_list_of_runtimes_is_the_same() -> None:
    questions = yaml.safe_load((Path(__file__).parents[2] / "copier.yml").read_text())
    offered = set(questions["runtimes"]["choices"].values())
    assert offered == set(registry.RUNTIMES) == set(detect.RUNTIMES)
    proved = {name for name, found in FOLDERS.items() if "documented" not in found[0].name}
    assert proved == set(SETTINGS)


@each_runtime
def test_a_runtime_has_recorded_sessions(runtime: str) -> None:
    assert FOLDERS[runtime]
    assert all((folder / "transcript.jsonl").is_file() for folder in FOLDERS[runtime])


def test_runtimes_keep_out_of_each_other_s_settings() -> None:
    settings_files = [
        path for runtime in registry.RUNTIMES for path in registry.hooks(runtime).SETTINGS.values()
    ]
    assert len(settings_files) == len(set(settings_files))


def test_another_runtime_is_told_with_those_that_there_are() -> None:
    with pytest.raises(HandoffError, match="no runtime is called `frobnicator`") as told:
        registry.hooks("frobnicator")
    assert all(runtime in told.value.hint for runtime in registry.RUNTIMES)


@each_recording
def test_every_recorded_payload_is_an_event_or_none_of_ours(runtime: str, folder: Path) -> None:
    hooks = registry.hooks(runtime)
    kinds = {theirs: kind for kind, names in hooks.EVENTS.items() for theirs in names}
    seen = 0
    for payload in payloads(folder):
        event = hooks.event(payload)
        if event is None:
            kind = kinds.get(payload[hooks.EVENT_KEY])
            assert kind in (None, base.COMMAND) or payload.get("prompt") == ""
            continue
        seen += 1
        assert event.kind == kinds[payload[hooks.EVENT_KEY]]
        assert event.native_id == payload[hooks.SESSION_KEY]
        assert event.transcript == payload.get("transcript_path")
        if event.entry:
            assert event.entry["command"] == payload.get("tool_input", payload)["command"]
            ids = [payload.get("tool_call_id"), payload.get("tool_use_id"), ""]
            assert event.entry["command_id"] in ids
            assert event.entry["command_id"] or not any(ids)
            assert runs.parse(json.loads(feedback.line(event.entry))) is not None
    assert seen


@each_recorded_file
def test_every_recorded_line_is_understood(runtime: str, folder: Path) -> None:
    found = list(registry.transcript(runtime).records(lines(folder)))
    assert all(isinstance(record, RECORDS) for record in found)
    assert not any(isinstance(record, Skipped) for record in found)
    assert any(isinstance(record, Prompt) for record in found)


@each_recorded_file
def test_hooks_and_transcript_tell_the_same_commands(runtime: str, folder: Path) -> None:
    """What a hook saw is in the transcript, too; where both know the exit code, it is the same."""
    hooks = registry.hooks(runtime)
    data = (folder / "transcript.jsonl").read_bytes()
    _, entries, _ = sweep.after_records(
        session.new(runtime, "S-1"), registry.transcript(runtime).records(lines(folder))
    )
    seen = []
    for number, payload in enumerate(payloads(folder)):
        event = hooks.event(payload)
        if event and event.entry:
            entry = hooks.settled(event.entry, data) if hooks.TAIL_BYTES else event.entry
            unnamed = f"{feedback.UNNAMED}{number}"
            seen.append({**entry, "command_id": entry["command_id"] or unnamed})
    known = [run for run in map(runs.parse, seen) if run]
    told = [run for run in map(runs.parse, runs.news(known, entries)) if run]
    whole = {run.id: run for run in runs.merged((*known, *told))}
    assert {run.id for run in known} <= set(whole)
    swept = {str(entry["command"]) for entry in entries}
    for run in known:
        assert run.command in swept
        (exit_code,) = {one.exit_code for one in (*known, *told) if one.id == run.id} - {None} or {
            None
        }
        assert whole[run.id].exit_code == exit_code
    # Nothing is told twice, and there may be commands that no hook was called for.
    assert len(whole) == max(
        len({run.id for run in known}), len({e["command_id"] for e in entries})
    )


@each_recording
def test_a_transcript_read_in_two_parts_tells_the_same(runtime: str, folder: Path) -> None:
    """A sweep begins where the last one ended, wherever that was."""
    all_lines = lines(folder)
    whole, codes = folded(runtime, iter([all_lines]))
    for place in range(len(all_lines) + 1):
        parted, found = folded(runtime, iter([all_lines[:place], all_lines[place:]]))
        assert found == codes
        for field in ("goal", "statement", "turns", "used_tokens", "window_tokens", "pending"):
            assert getattr(parted, field) == getattr(whole, field), (place, field)


@each_recording
def test_reading_again_after_the_end_tells_nothing_new(runtime: str, folder: Path) -> None:
    one, _ = folded(runtime, iter([lines(folder)]))
    assert folded(runtime, iter([lines(folder), []]))[0] == one


@each_runtime
@settings(max_examples=100)
@given(data=st.data())
def test_no_payload_can_break_a_hook(runtime: str, data: st.DataObject) -> None:
    hooks = registry.hooks(runtime)
    folder = data.draw(st.sampled_from(FOLDERS[runtime]))
    payload = changed(data.draw(st.sampled_from(payloads(folder))), data)
    if isinstance(payload, dict):
        event = hooks.event(payload)
        assert event is None or event.kind in KINDS
        if event and event.entry:
            feedback.line(event.entry)


@each_runtime
@settings(max_examples=100)
@given(data=st.data())
def test_no_line_can_break_a_reader(runtime: str, data: st.DataObject) -> None:
    folder = data.draw(st.sampled_from(FOLDERS[runtime]))
    all_lines = lines(folder) or [b"{}\n"]
    place = data.draw(st.integers(0, len(all_lines) - 1))
    broken = data.draw(
        st.sampled_from([b"{\n", b"\xff\n", b"[" * 100_000 + b"\n", all_lines[place][:-20] + b"\n"])
        | st.just(json.dumps(changed(json.loads(all_lines[place]), data)).encode() + b"\n")
    )
    one, _ = folded(runtime, iter([[*all_lines[:place], broken, *all_lines[place + 1 :]]]))
    assert session.parse(json.loads(json.dumps(session.value(one)))) is not None


@each_runtime
@given(tail=st.binary(max_size=300))
def test_no_tail_can_break_the_settling_of_a_command(runtime: str, tail: bytes) -> None:
    entry = feedback.entry("call-1", "make")
    for odd in (tail, b'"CommandExecution" "call-1" ' + b"[" * 100_000, tail * 2 + b"\n" + tail):
        assert registry.hooks(runtime).settled(entry, odd) == entry


@each_runtime
def test_an_event_of_no_session_is_none(runtime: str) -> None:
    hooks = registry.hooks(runtime)
    for payload in payloads(FOLDERS[runtime][0]):
        assert hooks.event({**payload, hooks.SESSION_KEY: ""}) is None
        assert hooks.event({**payload, hooks.EVENT_KEY: "NoSuchEvent"}) is None
    assert hooks.event({}) is None


@each_runtime
@pytest.mark.parametrize("kind", KINDS)
def test_a_reply_holds_the_context_and_is_plain_json(runtime: str, kind: str) -> None:
    text = 'NEXT ACTION: "x"\n漢 </handoff-packet>'
    reply = registry.hooks(runtime).reply(kind, text)
    assert text in list(strings(json.loads(json.dumps(reply))))


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from strings(item)


@each_runtime
@pytest.mark.parametrize("native_id", ["a4693f0f-8836", "x; rm -rf ~", "it's $(id) `id`", "-x"])
def test_the_way_back_is_one_command_whatever_the_id_holds(runtime: str, native_id: str) -> None:
    words = shlex.split(registry.launch(runtime).resume_command(native_id))
    assert words[-1] in (native_id, f"--resume={native_id}")
    assert len(words) <= 5
