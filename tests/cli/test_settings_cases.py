"""Settings files from public trouble reports, with the real `handoff hooks` in real repositories.

The same files are tried on the functions that edit them in `test_settings_files`.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from handoff_cli import json_comments
from tests import repository
from tests.repository import SETTINGS, Repository, environment

FILES = Path(__file__).parents[1] / "data" / "settings"
CLAUDE = SETTINGS["claude-code"]
JSON_SETTINGS = {name: path for name, path in SETTINGS.items() if path.endswith(".json")}
SHARED = {name: path for name, path in JSON_SETTINGS.items() if name != "copilot"}
COMMENTED = ("gemini", "qwen")  # their readers take comments
TIMEOUT_KEYS = {"copilot": "timeoutSec"}
OURS = "# handoff-hook"
MARK = b'\xef\xbb\xbf{"model":"opus"'


@pytest.fixture
def bare(project: Repository) -> Repository:
    """The project without any of our hooks."""
    for path in SETTINGS.values():
        (project.path / path).unlink()
    return project


def given(project: Repository, runtime: str, text: bytes) -> Path:
    """The runtime's settings file with this text in it."""
    path = project.path / SETTINGS[runtime]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text)
    return path


def hooks(project: Repository, verb: str, *runtimes: str) -> None:
    named = [part for runtime in runtimes for part in ("--runtime", runtime)]
    done = project.handoff("hooks", verb, *named)
    assert done.returncode == 0, done.stderr


def all_settings(project: Repository) -> dict[str, bytes]:
    paths = [path for path in SETTINGS.values() if (project.path / path).exists()]
    return {path: (project.path / path).read_bytes() for path in paths}


def handlers(runtime: str, text: bytes) -> list[tuple[str, dict[str, Any]]]:
    """Our handlers in a settings file, each with the event that it stands under."""
    strict = json_comments.blanked(text.removeprefix(b"\xef\xbb\xbf"))
    value = json.loads(json_comments.trailing_commas_blanked(strict))
    return [
        (event, handler)
        for event, groups in value["hooks"].items()
        if isinstance(groups, list)
        for group in groups
        for handler in ([group] if runtime == "copilot" else group["hooks"])
        if OURS in handler.get("command", "")
    ]


def statuses(project: Repository, *runtimes: str) -> set[str]:
    rows = json.loads(project.handoff("hooks", "status", "--json").stdout)
    return {row["status"] for row in rows if row["runtime"] in runtimes}


# --- time limits ----------------------------------------------------------------------------


@pytest.mark.parametrize("runtime", JSON_SETTINGS)
def test_b02_b26_every_entry_has_a_time_limit_in_its_host_s_unit(
    project: Repository, runtime: str
) -> None:
    """Without one Claude Code gives an end 1.5 s; taken for milliseconds, 5 s are next to none."""
    ours = handlers(runtime, (project.path / SETTINGS[runtime]).read_bytes())
    assert {"SessionStart", "SessionEnd"} <= {event for event, _ in ours}
    for event, handler in ours:
        limit = handler[TIMEOUT_KEYS.get(runtime, "timeout")]
        assert type(limit) is int
        seconds = limit / 1000 if runtime == "gemini" else limit
        assert 2 <= seconds <= 60, event


def test_b26_gemini_s_entries_join_a_file_that_is_there_in_its_own_shape(bare: Repository) -> None:
    theirs = {"hooks": [{"type": "command", "command": "audit", "timeout": 5000, "name": "audit"}]}
    value = {"theme": "x", "hooksConfig": {"enabled": True}, "hooks": {"AfterAgent": [theirs]}}
    path = given(bare, "gemini", json.dumps(value, indent=2).encode())
    hooks(bare, "install", "gemini")
    after = json.loads(path.read_bytes())
    assert (after["theme"], after["hooksConfig"]) == ("x", {"enabled": True})
    assert after["hooks"]["AfterAgent"][0] == theirs
    expected = {"SessionStart", "BeforeAgent", "AfterTool", "AfterAgent", "SessionEnd"}
    assert set(after["hooks"]) == expected
    for groups in after["hooks"].values():
        (handler,) = groups[-1]["hooks"]
        assert handler["type"] == "command"
        assert handler["timeout"] >= 1000
        assert handler["command"].endswith(OURS)


# --- files that are not plain JSON ----------------------------------------------------------


def test_b18_comments_stay_where_the_host_reads_them(bare: Repository) -> None:
    """A file with comments was taken for an empty one, and written over."""
    text = (FILES / "comments.jsonc").read_bytes()
    paths = {runtime: given(bare, runtime, text) for runtime in COMMENTED}
    hooks(bare, "install", *COMMENTED)
    for runtime, path in paths.items():
        added = path.read_bytes()
        for line in text.splitlines():
            assert line in added.splitlines()
        assert len(handlers(runtime, added)) >= 5
    assert statuses(bare, *COMMENTED) == {"installed"}
    hooks(bare, "remove", *COMMENTED)
    assert {path.read_bytes() for path in paths.values()} == {text}


@pytest.mark.parametrize("runtime", ["claude-code", "codex"])
def test_b18_comments_that_the_host_would_not_read_are_refused_with_a_hint(
    bare: Repository, runtime: str
) -> None:
    text = (FILES / "comments.jsonc").read_bytes()
    path = given(bare, runtime, text)
    done = bare.handoff("hooks", "install")
    assert done.returncode == 1
    told = " ".join(done.stderr.split())
    assert f"`{SETTINGS[runtime]}` is not valid JSON: comment or trailing comma on line 1" in told
    assert "take comments and trailing commas out" in told
    assert path.read_bytes() == text
    assert list(all_settings(bare).values()) == [text]  # all or nothing


BROKEN = {
    "cut off": (FILES / "cut_off.json").read_bytes(),
    "a list": (FILES / "array_root.json").read_bytes(),
    "an event twice": (FILES / "duplicate_event.json").read_bytes().replace(b"PreCompact", b"Stop"),
    "merge marks": b'{\n<<<<<<< ours\n  "model": "a"\n=======\n  "model": "b"\n>>>>>>> theirs\n}\n',
    "UTF-16": '{"model": "x"}'.encode("utf-16"),
}


@pytest.mark.parametrize(
    ("runtime", "broken"),
    [
        *(("claude-code", broken) for broken in BROKEN),
        ("codex", "merge marks"),
        ("gemini", "cut off"),
        ("qwen", "an event twice"),
    ],
)
def test_b19_a_broken_file_is_refused_and_no_file_is_touched(
    bare: Repository, runtime: str, broken: str
) -> None:
    """Whatever part of a damaged file the parser did not keep was lost."""
    path = given(bare, runtime, BROKEN[broken])
    done = bare.handoff("hooks", "install")
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert SETTINGS[runtime] in done.stderr
    assert "left untouched" in " ".join(done.stderr.split())
    assert path.read_bytes() == BROKEN[broken]
    assert list(all_settings(bare).values()) == [BROKEN[broken]]  # all or nothing


def test_b19_an_event_that_stands_there_twice_and_is_not_ours_keeps_both(bare: Repository) -> None:
    text = (FILES / "duplicate_event.json").read_bytes().replace(b"PreCompact", b"Notification")
    path = given(bare, "claude-code", text)
    hooks(bare, "install", "claude-code")
    for command in (b"echo first", b"echo second"):
        assert path.read_bytes().count(command) == 1
    hooks(bare, "remove", "claude-code")
    assert path.read_bytes() == text


@pytest.mark.parametrize(
    ("text", "kept"),
    [(b"", b""), ((FILES / "byte_order_mark.json").read_bytes(), MARK)],
    ids=["empty", "byte order mark"],
)
def test_b19_an_empty_file_and_one_with_a_byte_order_mark_are_taken(
    bare: Repository, text: bytes, kept: bytes
) -> None:
    paths = {runtime: given(bare, runtime, text) for runtime in SHARED}
    hooks(bare, "install")
    for runtime, path in paths.items():
        added = path.read_bytes()
        assert added.startswith(kept)
        assert len(handlers(runtime, added)) >= 5
    assert statuses(bare, *SETTINGS) == {"installed"}
    hooks(bare, "remove")
    assert {path.read_bytes() for path in paths.values()} == {text}


# --- links ----------------------------------------------------------------------------------


def test_b20_a_link_into_dotfiles_stays_and_its_target_gets_the_hooks(bare: Repository) -> None:
    """Renamed over, the link became a plain file, and the dotfiles got no more changes."""
    target = bare.path.parent / "dotfiles" / "settings.json"
    target.parent.mkdir()
    target.write_bytes(b"{}\n")
    target.chmod(0o640)
    link = bare.path / CLAUDE
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(Path("../../dotfiles/settings.json"))
    hooks(bare, "install", "claude-code")
    assert link.readlink() == Path("../../dotfiles/settings.json")
    assert handlers("claude-code", target.read_bytes())
    assert target.stat().st_mode & 0o777 == 0o640
    assert statuses(bare, "claude-code") == {"installed"}
    hooks(bare, "remove", "claude-code")
    assert link.is_symlink()
    assert (target.read_bytes(), target.stat().st_mode & 0o777) == (b"{}\n", 0o640)


def test_b20_a_link_to_nothing_stays_a_link(bare: Repository) -> None:
    target = bare.path.parent / "dotfiles" / "absent.json"
    link = bare.path / CLAUDE
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(Path("../../dotfiles/absent.json"))
    hooks(bare, "install", "claude-code")
    assert link.readlink() == Path("../../dotfiles/absent.json")
    assert handlers("claude-code", target.read_bytes())
    hooks(bare, "remove", "claude-code")
    assert link.is_symlink()
    assert not target.exists()


def test_b20_a_folder_that_is_a_link_stays_one(tmp_path: Path) -> None:
    made = repository.new(tmp_path / "app")
    made.write("app.py", "print('hello')\n")
    made.commit("start")
    target = tmp_path / "dotfiles" / "claude" / "settings.json"
    target.parent.mkdir(parents=True)
    target.write_bytes(b"{}\n")
    (made.path / ".claude").symlink_to(Path("../dotfiles/claude"))
    done = made.handoff("init", "--defaults", "--data", "skills=false")
    assert done.returncode == 0, done.stderr
    assert (made.path / ".claude").readlink() == Path("../dotfiles/claude")
    assert handlers("claude-code", target.read_bytes())
    hooks(made, "remove", "claude-code")
    assert (made.path / ".claude").is_symlink()
    assert target.read_bytes() == b"{}\n"


# --- again, and away ------------------------------------------------------------------------


def test_b21_an_older_entry_of_ours_is_replaced_and_a_look_alike_stays(bare: Repository) -> None:
    """A newer installer left the older entry, which pointed nowhere, and added its own."""
    older = f"python3 /opt/old place/.handoff/engine hook claude-code {OURS}"
    stands_for = b"OUR_V1_COMMAND_AT_OLD_PATH"
    text = (FILES / "older_release.json").read_bytes().replace(stands_for, older.encode())
    look_alike = json.loads(text)["hooks"]["SessionEnd"][1]
    path = given(bare, "claude-code", text)
    seen = set()
    for _ in range(3):
        hooks(bare, "install", "claude-code")
        seen.add(path.read_bytes())
    assert len(seen) == 1
    value = json.loads(path.read_bytes())
    events = [event for event, _ in handlers("claude-code", path.read_bytes())]
    assert sorted(events) == sorted(set(events))
    assert older not in [one["command"] for _, one in handlers("claude-code", path.read_bytes())]
    assert value["hooks"]["SessionEnd"].count(look_alike) == 1
    hooks(bare, "remove", "claude-code")
    assert json.loads(path.read_bytes())["hooks"]["SessionEnd"] == [look_alike]


def test_b21_a_project_that_was_moved_has_nothing_to_install(project: Repository) -> None:
    before = all_settings(project)
    moved = Repository(project.path.parent / "elsewhere" / "app two")
    moved.path.parent.mkdir()
    project.path.rename(moved.path)
    done = moved.handoff("hooks", "install")
    assert done.returncode == 0
    assert done.stderr.count("nothing to change") == len(SETTINGS)
    assert all_settings(moved) == before


def test_b22_installing_again_leaves_every_entry_and_the_status_says_what_is_there(
    bare: Repository,
) -> None:
    """A cleaning pass took the fresh entries out, and the installer reported success."""
    paths = {runtime: bare.path / path for runtime, path in JSON_SETTINGS.items()}
    counts = []
    for _ in range(2):
        hooks(bare, "install")
        found = {runtime: handlers(runtime, path.read_bytes()) for runtime, path in paths.items()}
        counts.append({runtime: [event for event, _ in ours] for runtime, ours in found.items()})
        assert statuses(bare, *SETTINGS) == {"installed"}
    assert counts[0] == counts[1]
    for events in counts[0].values():
        assert len(events) == len(set(events)) >= 5

    for path in paths.values():
        value = json.loads(path.read_bytes())
        del value["hooks"]["SessionEnd"]
        path.write_text(json.dumps(value), encoding="utf-8")
    assert statuses(bare, *paths) == {"partly installed"}
    for path in paths.values():
        path.write_text('{"hooks": {}}', encoding="utf-8")
    assert statuses(bare, *paths) == {"not installed"}


def test_b23_removal_leaves_the_files_of_others_as_they_were(bare: Repository) -> None:
    """Uninstalling deleted the shared file, or the entries whose shape it did not know."""
    text = (FILES / "foreign_hooks.json").read_bytes()
    paths = {runtime: given(bare, runtime, text) for runtime in SHARED}
    hooks(bare, "install")
    for runtime, path in paths.items():
        assert handlers(runtime, path.read_bytes())
    hooks(bare, "remove")
    assert all_settings(bare) == {SETTINGS[runtime]: text for runtime in SHARED}


def test_b23_what_a_person_changed_since_survives_the_removal(bare: Repository) -> None:
    text = (FILES / "foreign_hooks.json").read_bytes()
    paths = {runtime: given(bare, runtime, text) for runtime in SHARED}
    hooks(bare, "install")
    mine = {"matcher": "x", "hooks": [{"type": "command", "command": "mine"}]}

    def edited(value: Any) -> Any:
        for groups in (value["hooks"]["SessionStart"], value["hooks"].setdefault("Later", [])):
            groups.append(mine)
        value["permissions"]["deny"] = ["Bash(rm:*)"]
        return value

    for path in paths.values():
        value = edited(json.loads(path.read_bytes()))
        path.write_text(json.dumps(value, indent=1), encoding="utf-8")
    hooks(bare, "remove")
    expected = edited(json.loads(text))
    for runtime, path in paths.items():
        left = json.loads(path.read_bytes())
        assert left == expected
        assert list(left) == list(expected)
        assert not handlers(runtime, path.read_bytes())


# --- trust ----------------------------------------------------------------------------------


def test_b24_hooks_keep_their_text_so_that_they_stay_trusted(
    project: Repository, tmp_path: Path
) -> None:
    """Codex runs a hook whose text was accepted; another one it skips without a word."""
    accepted = (project.path / SETTINGS["codex"]).read_bytes()
    hooks(project, "remove", "codex")
    hooks(project, "install", "codex")
    assert (project.path / SETTINGS["codex"]).read_bytes() == accepted
    other = repository.new(tmp_path / "another place")
    other.write("app.py", "print('hello')\n")
    path = other.write(SETTINGS["codex"], '{"hooks": {"Stop": [{"hooks": []}]}}\n')
    done = other.handoff("init", "--defaults", "--data", "runtimes=[codex]")
    assert done.returncode == 0, done.stderr
    ours = dict(handlers("codex", accepted))
    assert dict(handlers("codex", path.read_bytes())) == ours
    assert len(ours) >= 5
    told = " ".join(done.stderr.split())
    assert "Codex runs new hooks only once you accepted them" in told
    assert "/hooks" in told


def test_a_folder_that_is_a_link_is_not_removed_with_our_file(
    project: Repository, tmp_path: Path
) -> None:
    project.handoff("hooks", "remove")
    (tmp_path / "dot").mkdir()
    (project.path / ".codex").symlink_to(tmp_path / "dot")
    for act in ("install", "remove"):
        done = project.handoff("hooks", act, "--runtime", "codex")
        assert done.returncode == 0, done.stderr
    assert (project.path / ".codex").is_symlink()
    assert list((tmp_path / "dot").iterdir()) == []


def test_line_ends_that_a_checkout_changed_are_no_older_version(project: Repository) -> None:
    plugin = project.path / ".opencode" / "plugins" / "handoff.js"
    changed = plugin.read_bytes().replace(b"\n", b"\r\n")
    plugin.write_bytes(changed)
    rows = json.loads(project.handoff("hooks", "status", "--json").stdout)
    assert {row["status"] for row in rows} == {"installed"}
    assert project.handoff("hooks", "install").returncode == 0
    assert plugin.read_bytes() == changed


def test_a_diff_shows_where_a_code_page_lacks_its_characters(project: Repository) -> None:
    project.handoff("hooks", "remove")
    project.write(".claude/settings.json", '{"model": "⟦日本 🚀⟧"}\n')
    env = environment(project.path) | {"PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0"}
    done = subprocess.run(
        [sys.executable, "-m", "handoff_cli", "hooks", "install", "--dry-run"],
        cwd=project.path,
        env=env | {"LC_ALL": "C"},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert b"\\u65e5" in done.stdout
