from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from typing import Any

import jsonschema
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

from engine import packet, render
from engine.gate import Issue
from engine.model import (
    AgentState,
    Finding,
    NativeSession,
    Previous,
    Report,
    Snapshot,
    Source,
    Stash,
    Workbench,
)
from engine.records import Step
from tests.engine import builders
from tests.engine.builders import BASE, HEAD, changed, config, odd_text, run, session

UNSHRUNK = (Phase.explicit, Phase.generate)  # to make such a snapshot smaller takes minutes
TITLES = (
    *("Next action", "Open risks", "Failed attempts", "Questions for a human"),
    *("Assumptions to validate", "Load first", "Changed files", "Commits", "Commands"),
    *("Last words of the agent (unverified)", "Feedback tail", "Where this comes from"),
)
VALIDATOR = jsonschema.Draft202012Validator(builders.schema())

names = odd_text.filter(bool)
texts = st.lists(odd_text, max_size=3).map(tuple)
counts = st.none() | st.integers(0)


def given_as(
    kind: Callable[..., Any], /, **parts: st.SearchStrategy[Any]
) -> st.SearchStrategy[Any]:
    """Values of a kind: what is not given has its default, and is not made up."""
    return st.fixed_dictionaries(parts).map(lambda chosen: kind(**chosen))


def some(strategy: st.SearchStrategy[Any], most: int = 2) -> st.SearchStrategy[Any]:
    return st.lists(strategy, max_size=most).map(tuple)


runs = given_as(
    run, command=odd_text, exit_code=st.none() | st.integers(-300, 300), id=odd_text,
    stdout_tail=odd_text, stderr_tail=odd_text, note=st.none() | odd_text,
    started_at=st.none() | st.floats(-1, 1e11),
)  # fmt: skip
files = given_as(
    changed, path=names, origin=st.none() | odd_text, committed=st.booleans(), added_lines=counts,
    change=st.sampled_from(["added", "modified", "deleted", "renamed", "untracked"]),
)  # fmt: skip
states = given_as(
    AgentState, active_task=st.none() | odd_text, next_action=odd_text, current=st.booleans(),
    assumptions=texts, blockers=texts, questions=texts,
)  # fmt: skip
findings = given_as(
    Finding, code=names, severity=st.sampled_from(["info", "warn", "block"]), detail=odd_text
)
steps = given_as(Step, key=odd_text, text=odd_text, status=st.just("open"))
natives = given_as(
    NativeSession, runtime=odd_text, native_id=odd_text, resume_command=odd_text,
    turns=st.integers(0),
)  # fmt: skip
snapshots = given_as(
    builders.snapshot,
    config=given_as(config, acceptance_commands=texts),
    session=given_as(
        session, goal=st.none() | odd_text, statement=st.none() | odd_text, native_id=odd_text,
        end_reason=st.none() | odd_text, note=st.none() | odd_text, plan=some(steps),
        ended_at=st.none() | st.floats(), used_tokens=counts, window_tokens=counts,
    ),
    git=given_as(
        builders.git, branch=st.none() | names, detached=st.booleans(), ahead=counts,
        head=st.sampled_from([None, HEAD]), base=st.sampled_from([None, BASE]),
        upstream=st.none() | odd_text, remotes=st.booleans(), dirty=some(names, 4),
        changed=some(files), commits=some(given_as(builders.commit, subject=odd_text)),
        problems=texts, left_behind=texts,
        stashes=some(given_as(Stash, commit=st.just(HEAD), note=names)),
    ),
    workbench=given_as(
        Workbench, state=st.none() | states, problems=some(findings),
        verification=st.none()
        | given_as(Report, path=names, passed=st.booleans(), findings=some(findings)),
        sources=some(
            given_as(
                Source, kind=names, path=odd_text, sha256=st.none(), records=counts,
                skipped=counts, note=st.none() | odd_text,
            )
        ),
    ),
    feedback=some(runs, 4),
    resume_command=odd_text,
    previous=st.none() | given_as(
        Previous, session_id=odd_text, last_known_good_commit=st.just(BASE),
        native_sessions=some(natives), supersedes=st.none() | odd_text,
    ),
    file_hashes=st.dictionaries(names, st.just("c" * 64), max_size=3),
)  # fmt: skip


def test_the_markdown_of_the_story(snapshot: SnapshotAssertion) -> None:
    assert render.markdown(builders.payload()) == snapshot


@settings(max_examples=60, phases=UNSHRUNK)
@given(snapshots)
def test_whatever_happened_gives_a_valid_packet_and_a_readable_page(given_one: Snapshot) -> None:
    made = packet.generate(given_one)
    value = render.payload(made)
    if made.next_action:
        VALIDATOR.validate(value)
    data = render.text(value)
    assert json.loads(data.decode("utf-8")) == value
    page = render.markdown(value)
    assert page == render.markdown(json.loads(data))
    assert page.encode("utf-8").decode("utf-8") == page
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f\x85\u2028\u202e\u200b]", page)
    titles = [line for line in page.split("\n") if line.startswith("#")]
    assert titles[0].startswith("# Handoff: ")
    assert set(titles[1:]) <= {f"## {title}" for title in TITLES}


@pytest.mark.parametrize("text", ["x" * 200_000, "`" * 200_000, "\x00" * 50_000, "漢\n" * 10_000])
def test_texts_of_any_length_are_rendered(text: str) -> None:
    state = AgentState(text, text, True, (text,), (text,), (text,))
    given_one = builders.snapshot(
        session=session(goal=text, statement=text, end_reason=text),
        git=builders.git(branch=text, changed=(changed(text),)),
        workbench=Workbench(state=state),
        feedback=(run(text, 1, stdout_tail=text, note=text),),
    )
    value = builders.payload(given_one)
    VALIDATOR.validate(value)
    assert render.markdown(value) == render.markdown(json.loads(render.text(value)))


def test_the_digest_is_that_of_the_canonical_json_without_itself() -> None:
    value = builders.payload()
    bare = {key: item for key, item in value.items() if key != "digest"}
    canonical = json.dumps(bare, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert value["digest"] == hashlib.sha256(canonical.encode()).hexdigest()
    shuffled = dict(sorted(value.items(), reverse=True))
    assert render.digest(shuffled) == value["digest"] == builders.payload()["digest"]


@pytest.mark.parametrize("key", ["summary", "status", "detached", "changed_files"])
def test_any_change_changes_the_digest(key: str) -> None:
    value = builders.payload()
    assert render.digest({**value, key: "other"}) != value["digest"]


def test_the_file_is_utf_8_for_readers() -> None:
    given_one = builders.snapshot(session=session(goal="größer 漢 🎉"))
    text = render.text(builders.payload(given_one)).decode("utf-8")
    assert "größer 漢 🎉" in text
    assert text.endswith("}\n")


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("caf\udce9.txt", "caf\\xe9.txt"),
        ("\udcff\udcfe", "\\xff\\xfe"),
        ("\ud83c\udf89", "🎉"),
        ("\ud800x", "?x"),
        ("a\udce9\ud800", "a??"),
        ("é漢🎉", "é漢🎉"),
    ],
)
def test_text_that_utf_8_cannot_hold_is_written_out(path: str, shown: str) -> None:
    value = builders.payload(builders.snapshot(git=builders.git(changed=(changed(path),))))
    assert value["changed_files"][0]["path"] == shown


def test_a_status_is_changed_with_its_digest() -> None:
    value = builders.payload()
    later = render.with_status(value, "superseded", "s-2")
    assert (later["status"], later["superseded_by"]) == ("superseded", "s-2")
    assert later["digest"] == render.digest(later) != value["digest"]
    assert render.with_status(later, "active", None) == value


def test_a_blocked_record_has_every_reason_and_all_that_could_be_derived() -> None:
    made = packet.generate(builders.snapshot())
    reasons = [
        Issue("tests", "a.b", "refuse", "first", "mend it"),
        Issue("board", "c", "refuse", "two\nlines", "mend\nthat"),
    ]
    value = render.blocked_payload(made, reasons)
    assert [reason["code"] for reason in value["blocked"]] == ["a.b", "c"]
    assert value["status"] == "blocked"
    assert value["digest"] == render.digest(value)
    assert set(value) == {*builders.payload(), "blocked"}
    page = render.markdown(value)
    assert (
        "## Blocked: this is no handoff yet\n\n"
        "- **a.b**: first\n  - first mend this: mend it\n"
        "- **c**: two\\nlines\n  - first mend this: mend\\nthat\n"
    ) in page
    assert "None could be derived." in page


def page_of(**changes: Any) -> str:
    return render.markdown(builders.payload(builders.snapshot(**changes)))


@pytest.mark.parametrize(
    ("command", "cell"),
    [
        ("a | b", "`a \\| b`"),
        ("echo `x`", "`` echo `x` ``"),
        ("``` x", "```` ``` x ````"),
        ("a\nb\tc", "`a\\nb\\tc`"),
        ("\x1b[31mred\u202e", "`\\x1b[31mred\\u202e`"),
    ],
)
def test_a_command_stays_in_its_cell(command: str, cell: str) -> None:
    row = f"| 0 (odd \\| note) | {cell} |  | hook |"
    assert row in page_of(feedback=(run(command, 0, note="odd | note"),)).split("\n")


def test_output_cannot_close_its_fence() -> None:
    page = page_of(feedback=(run("make", 1, stderr_tail="```\n# Heading\n````\ttab\x1b[0m"),))
    assert "\n  `````text\n  ```\n  # Heading\n  ````    tab\\x1b[0m\n  `````\n" in page


def test_the_page_tells_what_it_leaves_out() -> None:
    failures = tuple(run(f"./c{n}.sh", 1) for n in range(130))
    files = tuple(changed(f"f{n}") for n in range(201))
    commits = (builders.commit(),) * 51
    page = page_of(feedback=failures, git=builders.git(changed=files, commits=commits))
    for count in ("200 of 201", "50 of 51", "100 of 130", "60 of 130", "30 of 130"):
        assert f"\n{count} shown.\n" in page


def test_a_page_of_an_older_packet_without_all_counts_is_shown() -> None:
    value = builders.payload()
    value["truncated"] = {}
    assert render.markdown(value).startswith("# Handoff: ")
