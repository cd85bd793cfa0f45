"""`handoff view`: the command, the page as text, and the loopback server."""

from __future__ import annotations

import base64
import hashlib
import http.client
import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta, timezone
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from handoff_cli import engine, page
from handoff_cli.errors import HandoffError
from handoff_cli.pages import plot, prose, timeline, turns
from tests.cli import timelines
from tests.repository import Repository, environment

VOID = {"meta", "link", "input", "line", "path", "polyline"}


def html(value: Any, **more: Any) -> str:
    return page.html(timeline.parse(value), timezone.utc, **more)


def saved(folder: Path, value: Any) -> Path:
    path = folder / "timeline.json"
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


class Elements(HTMLParser):
    """Every element with its attributes, and the text of scripts and styles."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.code: dict[str, list[str]] = {"script": [], "style": []}
        self._open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] in self.code:
            self.code[self._open[-1]].append(data)


def test_the_page_goes_to_a_new_file_whose_path_is_told(tmp_path: Path) -> None:
    given = str(saved(tmp_path, timelines.conversation()))
    done = Repository(tmp_path).handoff("view", "--from", given)
    assert done.returncode == 0, done.stderr
    made = Path(done.stdout.strip())
    assert made.is_absolute()
    assert made.parent.stat().st_mode & 0o077 == 0
    assert "Fields with a comma in quotes are torn apart" in made.read_text(encoding="utf-8")


def test_the_page_can_be_piped_and_written_over(tmp_path: Path) -> None:
    given = saved(tmp_path, timelines.conversation())
    here = Repository(tmp_path)
    printed = here.handoff("view", "--from", str(given), "--output", "-")
    assert printed.returncode == 0, printed.stderr
    for _ in range(2):
        done = here.handoff("view", "--from", str(given), "--output", "page.html")
        assert done.returncode == 0, done.stderr
        assert Path(done.stdout.strip()) == (tmp_path / "page.html").resolve()
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == printed.stdout


def test_a_file_that_is_no_page_of_ours_is_left_alone(tmp_path: Path) -> None:
    given = saved(tmp_path, timelines.conversation())
    (tmp_path / "notes.html").write_text("<p>mine</p>")
    done = Repository(tmp_path).handoff("view", "--from", str(given), "--output", "notes.html")
    assert done.returncode == 1
    assert "is no page of handoff's" in " ".join(done.stderr.split())
    assert (tmp_path / "notes.html").read_text() == "<p>mine</p>"


@pytest.mark.parametrize("text", ["", "[1, 2]", "{", '{"entries": 7}', "[" * 100_000, "\udcff"])
def test_what_is_no_timeline_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "given").write_bytes(text.encode(errors="surrogateescape"))
    done = Repository(tmp_path).handoff("view", "--from", "given", "--output", "-")
    assert (done.returncode, done.stdout) == (1, "")
    assert "handoff timeline --json" in done.stderr


def test_options_that_exclude_each_other_are_wrong_usage(tmp_path: Path) -> None:
    for options in (
        ["--serve", "--output", "x"],
        ["--serve", "--from", "-"],
        ["--open", "--output", "-"],
    ):
        assert Repository(tmp_path).handoff("view", *options).returncode == 2


def test_a_project_s_own_sessions_are_shown(project: Repository) -> None:
    project.play("claude-code")
    project.play("codex")
    done = project.handoff("view", "--output", "-")
    assert done.returncode == 0, done.stderr
    shown = Elements(done.stdout)
    kinds = {attributes.get("data-kind") for _, attributes in shown.found}
    assert {"prompt", "command", "packet"} <= kinds
    assert "Make lint.py pass" in done.stdout


def test_nothing_on_record_is_said_so() -> None:
    assert "Nothing is on record here yet" in html({"entries": []})


def test_hostile_text_becomes_no_element_and_no_attribute() -> None:
    value = timelines.conversation()
    value["packets"][3]["session"] = value["packets"][0]["session"]  # two of one: a line is drawn
    value["entries"][0]["text"] = "folded\n" * 100
    ours = Elements(html(value))
    names = {(tag, name) for tag, attributes in ours.found for name in attributes}
    shown = Elements(html(timelines.hostile()))
    assert {tag for tag, _ in shown.found} <= {tag for tag, _ in ours.found}
    assert {(tag, name) for tag, attributes in shown.found for name in attributes} <= names
    for tag, attributes in shown.found:
        assert not [
            name for name in attributes if name.startswith("on") or name in ("style", "src")
        ]
        if tag == "a":
            assert re.fullmatch(r"#[etp]\d+|#timeline", attributes["href"] or "")
    assert shown.code["script"] == ours.code["script"]


@pytest.mark.parametrize("version", [None, "1"])
def test_the_policy_lets_the_page_s_own_code_run_and_nothing_else(version: str | None) -> None:
    text = html(timelines.conversation(), version=version)
    shown = Elements(text)
    metas = [attributes for tag, attributes in shown.found if tag == "meta"]
    told = next(one["content"] or "" for one in metas if one.get("http-equiv"))
    policy = dict(part.split(" ", 1) for part in told.split("; "))
    for kind, codes in shown.code.items():
        digests = [
            base64.b64encode(hashlib.sha256(one.encode()).digest()).decode() for one in codes
        ]
        assert policy[f"{kind}-src"] == " ".join(f"'sha256-{digest}'" for digest in digests)
    assert policy["default-src"] == "'none'"
    assert ("connect-src" in policy) == (version is not None)
    assert ("XMLHttpRequest" in text) == (version is not None)


def test_characters_that_act_or_hide_become_signs() -> None:
    assert prose.plain("\x1b[1;31mred\x1b[0m \x1b]0;t\x07\x1b]8;;u\x1b\\x") == "red x"
    assert prose.plain("\x1b]0;never ended") == "0;never ended"
    assert prose.plain("a\r\nb\rc\u2028d\te") == "a\nb\nc\nd\te"
    assert prose.plain("\x00\x7f\x85\u202e\ud800\U000e0041") == "␀␡⟨U+0085⟩⟨U+202E⟩\ufffd⟨U+E0041⟩"
    assert prose.line(" a\n\tb ") == "a b"


def test_an_agent_s_markdown_is_told_apart() -> None:
    text = "Run `make`:\n```sh\nmake **all**\n```\nthen **rest**\n```\nno end"
    assert [tuple(one) for one in prose.segments(text)] == [
        ("text", "Run "),
        ("code", "make"),
        ("text", ":"),
        ("block", "make **all**"),
        ("text", "then "),
        ("strong", "rest"),
        ("block", "no end"),
    ]


@pytest.mark.parametrize("text", ["`" * 50_001, "*" * 50_000, "```\n" * 20_001, "** a" * 20_000])
def test_marks_without_end_cost_no_time(text: str) -> None:
    began = time.process_time()
    list(prose.segments(text))
    assert time.process_time() - began < 2


START = datetime(2026, 1, 5, 9, 0, tzinfo=timezone.utc)


def told(*entries: tuple[str, str, int | None], **more: Any) -> timeline.Timeline:
    """A timeline of entries a minute apart: `session.kind`, the text, an exit code."""
    rows = []
    for number, (what, text, code) in enumerate(entries):
        session, kind = what.split(".")
        at = (START + timedelta(minutes=number)).isoformat()
        who = {"session": session, "runtime": f"agent-{session}", "at": at}
        rows.append({**who, "kind": kind, "text": text, "exit_code": code})
    return timeline.parse({"entries": rows, **more})


def test_a_failure_is_joined_with_the_next_pass_of_the_same_command() -> None:
    entries = [
        ("a.command", "make", 1),
        ("a.command", "make  test", 1),
        ("b.command", "make", 2),
        ("b.command", "make", 0),
        ("b.command", "make", 0),
        ("b.command", "make", 3),
    ]
    rows = turns.rows(told(*entries).entries)
    fixed = [row.fixed_by.number if row.fixed_by else None for row in rows]
    assert fixed == [4, None, 4, None, None, None]
    assert [one.number for one in rows[3].fixes] == [1, 3]
    assert [row.kind for row in rows] == ["failed"] * 3 + ["command"] * 2 + ["failed"]


def test_sessions_side_by_side_keep_their_turns_whole() -> None:
    one = told(
        ("a.prompt", "first", None),
        ("b.prompt", "second", None),
        ("a.command", "make", 0),
        ("b.reply", "done", None),
        ("a.prompt", "third", None),
    )
    found = turns.turns(one, turns.rows(one.entries))
    assert [[row.entry.text for row in turn.rows] for turn in found] == [
        ["first", "make"],
        ["second", "done"],
        ["third"],
    ]


def packet(session: str, minute: int, **more: Any) -> dict[str, Any]:
    at = (START + timedelta(minutes=minute, seconds=30)).isoformat()
    return {"session": session, "runtime": f"agent-{session}", "made_at": at, **more}


def test_packets_stand_at_their_time_and_know_their_chain() -> None:
    entries = [(f"{one}.prompt", "go", None) for one in "abc"]
    packets = [packet("a", 0), packet("b", 1, supersedes="a"), packet("c", 9, supersedes="gone")]
    one = told(*entries, packets=packets)
    found = turns.turns(one, turns.rows(one.entries))
    made = turns.milestones(one, found)
    assert [item.agent for item in turns.flow(found, made)] == [0, 0, 1, 1, 2, 2]
    assert (made[1].after, made[0].before, made[2].after) == (made[0], made[1], None)


def test_the_plot_joins_the_packets_of_one_session() -> None:
    usage = [{"context_usage": {"percent": percent}} for percent in (10, 60, 250)]
    packets = [packet("a", 0, **usage[0]), packet("b", 1, **usage[1]), packet("a", 2, **usage[2])]
    one = told(("a.prompt", "go", None), packets=packets)
    drawn = plot.plot(turns.milestones(one, []))
    assert drawn is not None
    assert [point.percent for point in drawn.points] == [10, 60, 100]
    assert [agent for agent, _ in drawn.paths] == [0]
    assert plot.plot([]) is None


@contextmanager
def serving(folder: Path, *arguments: str) -> Iterator[str]:
    """The address of `handoff view --serve`, which must end well when interrupted."""
    command = [sys.executable, "-m", "handoff_cli", "view", "--serve", *arguments]
    process = subprocess.Popen(
        command, cwd=folder, env=environment(folder), stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip()
    finally:
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0
        process.stdout.close()


def get(address: str, path: str | None = None, **headers: str) -> tuple[int, str, dict[str, str]]:
    where = urlsplit(address)
    connection = http.client.HTTPConnection(where.hostname or "", where.port, timeout=20)
    connection.request("GET", where.path if path is None else path, headers=headers)
    answer = connection.getresponse()
    found = answer.status, answer.read().decode(), dict(answer.headers)
    connection.close()
    return found


def test_the_server_shows_the_page_to_who_was_told_its_address(tmp_path: Path) -> None:
    given = saved(tmp_path, timelines.conversation())
    with serving(tmp_path, "--from", str(given)) as address:
        where = urlsplit(address)
        assert where.hostname == "127.0.0.1"
        status, text, headers = get(address)
        assert status == 200
        assert "Fields with a comma" in text
        assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
        assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
        for path in ("/", "/version", f"{where.path}../", f"{where.path}x"):
            assert get(address, path)[0] == 404
        for host in ("evil.example", f"evil.example:{where.port}", "127.0.0.1", ""):
            assert get(address, Host=host)[0] == 403
        assert get(address, Host=f"localhost:{where.port}")[0] == 200


def test_the_server_has_another_version_when_the_timeline_has_grown(tmp_path: Path) -> None:
    value = timelines.conversation()
    given = saved(tmp_path, value)
    with serving(tmp_path, "--from", str(given)) as address:
        version = f"{urlsplit(address).path}version"
        before = get(address, version)[1]
        value["entries"].append({**value["entries"][0], "text": "And one thing more."})
        saved(tmp_path, value)
        until(lambda: get(address, version)[1] != before)
        assert "And one thing more." in get(address)[1]
        given.write_text("{")
        until(lambda: get(address, version)[0] == 503)


def until(happened: Callable[[], bool], seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < end
        time.sleep(0.1)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "import argparse, sys\nparser = argparse.ArgumentParser()\n"
            "verbs = parser.add_subparsers(dest='verb', metavar='VERB')\n"
            "verbs.add_parser('show')\nparser.parse_args(sys.argv[1:])\n",
            "too old for `timeline`",
        ),
        ("import time\ntime.sleep(600)\n", "did not answer `timeline` in 1 s"),
    ],
)
def test_an_engine_that_cannot_answer_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, told: str
) -> None:
    place = tmp_path / engine.ENGINE
    place.mkdir(parents=True)
    (place / "__main__.py").write_text(text)
    monkeypatch.setattr(engine, "TIMEOUT_SECONDS", 1)
    with pytest.raises(HandoffError, match=re.escape(told)):
        engine.ask(tmp_path, ["timeline", "--json"])
