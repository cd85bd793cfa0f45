"""Hard moments of a session from public trouble reports, with the hooks as they are installed."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from engine import registry
from engine.runtimes import base
from tests.repository import SETTINGS, Repository, environment, run

CASES = Path(__file__).parents[1] / "data" / "cases"
SESSION = "5368d2c2-f4fc-4521-8e8e-8acd17cdd734"
PLUGIN = SETTINGS["opencode"]
PACKET_FILES = ["handoff.json", "handoff.md"]


def is_json(runtime: str) -> bool:
    """Whether the runtime's hooks are commands in a settings file, and no plugin."""
    return SETTINGS[runtime].endswith(".json")


each_runtime = pytest.mark.parametrize("runtime", SETTINGS)
needs_node = pytest.mark.skipif(not shutil.which("node"), reason="the plugin needs `node`")


def event(name: str, session: str = "s-1", **keys: Any) -> dict[str, Any]:
    return {"hook_event_name": name, "session_id": session, "transcript_path": "", **keys}


def started(project: Repository, session: str = "next", cwd: Path | None = None) -> str:
    """What a new session of another runtime is told."""
    said = project.hook("codex", event("SessionStart", session, source="startup"), cwd)
    context: str = json.loads(said)["hookSpecificOutput"]["additionalContext"] if said else ""
    return context


def hooked(
    command: str, payload: dict[str, Any] | bytes, cwd: Path, **variables: str
) -> subprocess.CompletedProcess[bytes]:
    """The installed command as a shell runs it, with bytes in and out."""
    data = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    return subprocess.run(
        ["sh", "-c", command],
        input=data,
        cwd=cwd,
        env={**environment(cwd), **variables},
        capture_output=True,
        check=False,
        timeout=60,
    )


def events(runtime: str) -> list[str]:
    """Every event that the runtime's settings have a hook for, as the runtime names it."""
    return [name for theirs in registry.hooks(runtime).EVENTS.values() for name in theirs]


def theirs(runtime: str, kind: str) -> str:
    """The runtime's own name for an event."""
    return str(registry.hooks(runtime).EVENTS[kind][0])


def program(folder: Path, name: str, text: str) -> None:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")
    (folder / name).chmod(0o755)


def before_others(folder: Path) -> str:
    return f"{folder}{os.pathsep}{os.environ['PATH']}"


def outputs(project: Repository) -> dict[str, bytes]:
    """Every file in the outputs folder."""
    paths = [path for path in project.path.glob("outputs/handoff/*/*") if path.is_file()]
    return {f"{path.parent.name}/{path.name}": path.read_bytes() for path in paths}


def valid(project: Repository, packet: dict[str, Any]) -> bool:
    schema = json.loads((project.path / "handoff.schema.json").read_text(encoding="utf-8"))
    return jsonschema.Draft202012Validator(schema).is_valid(packet)


def plugin(project: Repository, script: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run JavaScript in which `Handoff` is what the installed plugin exports."""
    module = project.path.parent / "plugin.mjs"
    shutil.copyfile(project.path / PLUGIN, module)
    code = f"import * as all from {json.dumps(module.as_uri())}\n"
    code += f"const directory = {json.dumps(str(project.path))}\n{script}\n"
    return subprocess.run(
        [shutil.which("node") or "node", "--input-type=module", "-e", code],
        cwd=project.path,
        env={**environment(project.path), **variables},
        text=True,
        capture_output=True,
        check=False,
        timeout=60,
    )


# --- the end of a session -------------------------------------------------------------------


def test_b01_a_session_that_nobody_closed_is_recovered_once(
    project: Repository, tmp_path: Path
) -> None:
    """Some ways out of an agent report no end: the next start has to find what was left."""
    project.git("checkout", "--quiet", "-b", "feat/login")
    transcript = tmp_path / "t.jsonl"
    start = event("SessionStart", SESSION, source="startup")
    project.hook("claude-code", start | {"transcript_path": str(transcript)})
    project.write("app.py", "print('login form')\n")
    transcript.write_bytes((CASES / "unclosed-session" / "t.jsonl").read_bytes())
    assert project.packets() == {}

    assert "Goal: add login form" in started(project)
    (packet,) = project.packets().values()
    assert packet == project.active()
    assert (packet["session"]["id"], packet["session"]["recovered"]) == (SESSION, True)
    assert (packet["branch"], packet["session"]["ended_at"]) == ("feat/login", None)
    runs = [(one["command"], one["exit_code"]) for one in packet["commands_run"]]
    assert runs == [("npm test", 0)]
    assert valid(project, packet)

    before = outputs(project)
    assert "Goal: add login form" in started(project, "the one after")
    assert outputs(project) == before
    assert project.hook_log() == ""


def test_b01_an_unclosed_session_without_a_next_action_is_told_and_not_passed_over(
    project: Repository, tmp_path: Path
) -> None:
    transcript = tmp_path / "t.jsonl"
    start = event("SessionStart", SESSION, source="startup")
    project.hook("claude-code", start | {"transcript_path": str(transcript)})
    transcript.write_bytes((CASES / "unclosed-session" / "t.jsonl").read_bytes())
    told = started(project)
    assert "next_action.missing" in told
    assert f"claude --resume {SESSION}" in told
    assert sorted(outputs(project)) == [f"{SESSION}/blocked.json", f"{SESSION}/blocked.md"]


@pytest.mark.parametrize(
    ("command", "done"),
    [("status", False), ("mktree", False), ("update-ref", False), ("update-ref", True)],
)
def test_b02_an_end_hook_killed_in_the_middle_leaves_whole_packets_only(
    project: Repository, tmp_path: Path, command: str, done: bool
) -> None:
    """Hosts cancel an end hook after a second or two, wherever it is just then."""
    project.play("claude-code")
    before, earlier = project.active(), outputs(project)
    transcript = str(CASES / "unclosed-session" / "t.jsonl")
    end = event("SessionEnd", SESSION, reason="other") | {"transcript_path": transcript}
    project.write("app.py", "print('login form')\n")
    git = shlex.quote(shutil.which("git") or "git")
    run_it = f'{git} "$@"; ' if done else ""
    killing = f'#!/bin/sh\ncase " $* " in *" {command} "*) {run_it}touch ../killed; '
    program(tmp_path / "bin", "git", f'{killing}kill -9 $PPID; exit 1;; esac\nexec {git} "$@"\n')

    (hook,) = project.hook_commands("claude-code", "SessionEnd")
    ended = hooked(hook, end, project.path, PATH=before_others(tmp_path / "bin"))
    assert (ended.returncode, ended.stdout) == (0, b"")
    assert list(tmp_path.rglob("killed"))  # else nothing was tried
    assert outputs(project) == earlier
    active = project.active()
    assert valid(project, active)
    if done:
        assert active["session"]["id"] == SESSION
    else:
        assert active == before
    assert [path for path in project.path.rglob("*.tmp") if ".git" not in path.parts] == []
    assert project.hook_log() == ""  # no second Python was asked to read what the first one had

    told = started(project)  # nobody ends it again: the next start finds what was left
    recovered = project.active()
    assert recovered["session"]["id"] == SESSION
    assert recovered == project.packets()[SESSION]
    assert recovered["next_action"] in told


@each_runtime
def test_b07_no_hook_starts_an_agent(project: Repository, tmp_path: Path, runtime: str) -> None:
    """A hook that asks an agent for a summary opens a session whose end asks again, for ever."""
    calls = tmp_path / "calls"
    logged = f'#!/bin/sh\necho "$0 $*" >> {shlex.quote(str(calls))}\n'
    agents = ("claude", "codex", "gemini", "qwen", "copilot", "opencode", "gh", "npx")
    for name in agents:
        program(tmp_path / "bin", name, logged)
    path = before_others(tmp_path / "bin")
    project.write("app.py", "print('changed')\n")
    for name in events(runtime):
        payload = event(name, source="startup", prompt="go on", reason="other", tool_name="Bash")
        payload |= {"tool_input": {"command": "make"}, "last_assistant_message": "Next: go on."}
        (command,) = set(project.hook_commands(runtime, name))
        for _ in range(3 if name == theirs(runtime, base.SESSION_END) else 1):
            done = hooked(command, payload, project.path, PATH=path)
            assert (done.returncode, done.stderr) == (0, b"")
    assert project.active()["session"]["id"] == "s-1"
    assert not calls.exists()
    hooked("claude -p summarise", b"", project.path, PATH=path)
    assert "claude -p summarise" in calls.read_text(encoding="utf-8")


@each_runtime
def test_b08_the_end_of_a_turn_or_session_prints_no_open_work(
    project: Repository, runtime: str
) -> None:
    """Remaining work that a hook prints at the end makes the agent go on instead of ending."""
    assert project.engine("state", "set", "next_action", "write the docs").returncode == 0
    hooks = registry.hooks(runtime)
    for kind in (base.TURN_END, base.PRE_COMPACT, base.SESSION_END):
        for name in hooks.EVENTS.get(kind, ()):
            payload = event(name, reason="other", stop_hook_active=False, trigger="auto")
            payload |= {"last_assistant_message": "Done.", "prompt_response": "Done."}
            assert project.hook(runtime, payload) == ""
    assert project.active()["next_action"].startswith("write the docs")
    assert "write the docs" in started(project)


@needs_node
def test_b10_a_host_killed_right_after_the_event_leaves_a_complete_packet(
    project: Repository,
) -> None:
    """OpenCode ends while handlers of its plugins are at work: nothing may be left to a promise."""
    project.write("app.py", "print('changed')\n")
    script = """
    const hooks = await all.Handoff({ directory })
    const parts = [{ id: "p", type: "text", text: "Greet the world" }]
    await hooks["chat.message"]({ sessionID: "ses_1" }, { parts })
    hooks.event({ event: { type: "session.idle", properties: { sessionID: "ses_1" } } })
    process.kill(process.pid, "SIGKILL")
    """
    done = plugin(project, script)
    assert done.returncode == -signal.SIGKILL
    assert sorted(outputs(project)) == [f"ses_1/{name}" for name in PACKET_FILES]
    packet = project.active()
    assert packet == project.packets()["ses_1"]
    assert packet["task"]["goal"] == "Greet the world"
    assert valid(project, packet)
    assert project.hook_log() == ""


def test_b12_of_several_open_sessions_only_one_with_work_gets_a_packet(
    project: Repository, tmp_path: Path
) -> None:
    """Crashed sessions hold the most; one that only read has nothing to hand over."""
    left = (CASES / "unclosed-session" / "t.jsonl").read_bytes()
    reply = {"type": "assistant", "message": {"role": "assistant", "content": "It greets."}}
    talk = [{"type": "user", "message": {"role": "user", "content": "what is app.py?"}}, reply]

    def opened(session: str, transcript: bytes) -> None:
        path = tmp_path / f"{session}.jsonl"
        start = event("SessionStart", session, source="startup")
        project.hook("claude-code", start | {"transcript_path": str(path)})
        path.write_bytes(transcript)

    project.play("claude-code", session_id="packed")
    opened("edited", left)
    project.write("app.py", "print('login form')\n")
    opened("read-only", "".join(json.dumps(line) + "\n" for line in talk).encode())
    started(project)

    assert list(project.packets()) == ["edited", "packed"]
    assert project.packets()["edited"]["session"]["recovered"] is True
    rows = json.loads(project.engine("status", "--json").stdout)["sessions"]
    missing = {row["id"] for row in rows if not row["packet"]} - {"next"}
    assert missing == {"read-only"}
    before = outputs(project)
    started(project, "another")
    assert outputs(project) == before
    assert project.active()["session"]["id"] == "edited"


# --- how a hook is started ------------------------------------------------------------------


def test_b14_a_project_folder_in_the_windows_way_is_found(
    tmp_path: Path, project: Repository
) -> None:
    """Backslashes in a hook's command are eaten by the bash that runs it on Windows."""
    windows = "C:\\Users\\Dev One\\app"
    project.path.rename(tmp_path / windows)
    moved = Repository(tmp_path / windows)
    moved.write("app.py", "print('changed')\n")
    for runtime in SETTINGS:
        if is_json(runtime):
            for command in moved.hook_commands(runtime, theirs(runtime, base.TURN_END)):
                assert "\\" not in command
                assert "cmd /c" not in command.lower()
    (stop,) = moved.hook_commands("claude-code", "Stop")
    done = hooked(stop, event("Stop"), tmp_path, CLAUDE_PROJECT_DIR=windows)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert [item["path"] for item in moved.active()["changed_files"]] == ["app.py"]


STORE_STUB = "#!/bin/sh\necho 'Python was not found; install it from the store.' >&2\nexit 49\n"
SHIM = "#!/bin/sh\necho 'shim: no version is set' >&2\nexit 127\n"


@pytest.mark.parametrize("runtime", [name for name in SETTINGS if is_json(name)])
def test_b15_where_python3_is_none_the_other_name_is_tried(
    project: Repository, tmp_path: Path, runtime: str
) -> None:
    program(tmp_path / "bin", "python3", SHIM)
    program(tmp_path / "bin", "python", f'#!/bin/sh\nexec {shlex.quote(sys.executable)} "$@"\n')
    project.write("app.py", "print('changed')\n")
    name = theirs(runtime, base.TURN_END)
    (command,) = project.hook_commands(runtime, name)
    path = before_others(tmp_path / "bin")
    done = hooked(command, event(name), project.path, PATH=path)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert project.active()["session"]["id"] == "s-1"


@needs_node
@pytest.mark.parametrize("stub", [STORE_STUB, SHIM], ids=["store stub", "shim without a version"])
def test_b15_the_plugin_tries_the_other_name_too(
    project: Repository, tmp_path: Path, stub: str
) -> None:
    program(tmp_path / "bin", "python3", stub)
    program(tmp_path / "bin", "python", f'#!/bin/sh\nexec {shlex.quote(sys.executable)} "$@"\n')
    project.write("app.py", "print('changed')\n")
    script = """
    const hooks = await all.Handoff({ directory })
    const parts = [{ id: "p", type: "text", text: "Greet the world" }]
    await hooks["chat.message"]({ sessionID: "ses_1" }, { parts })
    await hooks.dispose()
    """
    done = plugin(project, script, PATH=before_others(tmp_path / "bin"))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert project.active()["session"]["id"] == "ses_1"


def test_b16_a_clone_with_windows_line_ends_and_no_mode_bits_works(
    project: Repository, tmp_path: Path
) -> None:
    """Hooks that were checked out with CRLF or without the executable bit cannot start."""
    project.commit("set up handoff")
    settings = ["-c", "core.autocrlf=true", "-c", "core.fileMode=false"]
    project.git("clone", "--quiet", *settings, ".", str(tmp_path / "clone"))
    clone = Repository(tmp_path / "clone")
    for path in clone.path.rglob("*"):
        if path.is_file() and ".git" not in path.parts:
            path.chmod(0o644)
    assert b"\r\n" in (clone.path / "app.py").read_bytes()
    assert b"\r" not in (clone.path / ".handoff/engine/__main__.py").read_bytes()
    for number, runtime in enumerate(SETTINGS):
        said = clone.hook(runtime, event("SessionStart", runtime, source="startup"))
        assert ("app.py" in said) == (number > 0)
        clone.write("app.py", f"print('changed by {runtime}')\n")
        assert clone.hook(runtime, event(theirs(runtime, base.TURN_END), runtime)) == ""
        changed = clone.packets()[runtime]["changed_files"]
        assert [item["path"] for item in changed] == ["app.py"]
    assert clone.hook_log() == ""


# --- what goes in and out -------------------------------------------------------------------


def shapes(runtime: str, reply: dict[str, Any]) -> str:
    """The text that a reply hands to the model; the reply must have the host's shape exactly."""
    if runtime == "copilot":
        assert list(reply) == ["additionalContext"]
        return str(reply["additionalContext"])
    if not is_json(runtime):
        assert list(reply) == ["context"]
        return str(reply["context"])
    assert list(reply) == ["hookSpecificOutput"]
    inner = reply["hookSpecificOutput"]
    assert set(inner) == {"hookEventName", "additionalContext"}
    assert inner["hookEventName"] == "SessionStart"
    return str(inner["additionalContext"])


@each_runtime
def test_b25_a_start_prints_nothing_or_one_object_in_the_host_s_shape(
    project: Repository, tmp_path: Path, runtime: str
) -> None:
    """Hosts refuse a start hook whose output has anything else in it, warnings for one."""
    profile = tmp_path / "profile"
    profile.write_text("echo welcome to this machine\n", encoding="utf-8")
    noisy = {"PYTHONWARNINGS": "always", "PYTHONVERBOSE": "1", "PYTHONDEVMODE": "1"}
    noisy |= {"ENV": str(profile), "PYTHONSTARTUP": str(profile), "GIT_TRACE": "1"}
    (command,) = set(project.hook_commands(runtime, "SessionStart"))
    start = event("SessionStart", "next", source="startup")
    without = hooked(command, start, project.path, **noisy)
    assert (without.returncode, without.stdout) == (0, b"")
    project.write("app.py", "print('changed')\n")
    project.hook("claude-code", event("Stop"))
    done = hooked(command, start, project.path, **noisy)
    assert done.returncode == 0
    told = shapes(runtime, json.loads(done.stdout))
    assert "review and commit, or stash, `app.py`" in told
    assert "welcome" not in told


MARK = b"\xef\xbb\xbf"
INNER = "Next: keep the \ufeff mark"


@pytest.mark.parametrize(
    ("before", "after"),
    [(MARK, b""), (MARK * 2, b""), (b"", b"\r\n"), (MARK, b"\r\n"), (MARK + b"\r\n", b"\r\n")],
    ids=["one mark", "two marks", "line end", "mark and line end", "line ends all round"],
)
def test_b27_byte_order_marks_and_line_ends_round_the_input_do_no_harm(
    project: Repository, before: bytes, after: bytes
) -> None:
    """Some hosts on Windows send one or two marks before the JSON, and the event is lost."""
    payload = event("Stop", last_assistant_message=INNER)
    data = before + json.dumps(payload, ensure_ascii=False, indent=1).encode() + after
    project.write("app.py", "print('changed')\n")
    (command,) = project.hook_commands("claude-code", "Stop")
    done = hooked(command, data.replace(b"\n", b"\r\n"), project.path)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    record = json.loads((project.path / ".handoff/state/sessions/s-1.json").read_bytes())
    assert INNER in record.values()
    assert project.active()["session"]["id"] == "s-1"
    assert project.hook_log() == ""


@pytest.mark.parametrize(
    "data",
    [
        json.dumps(event("Stop")).encode("utf-16-le"),
        json.dumps(event("Stop")).encode("utf-16"),
        json.dumps(event("Stop")).encode()[:40],
        b"",
        MARK,
        b"\r\n",
    ],
    ids=["utf-16", "utf-16 with a mark", "cut off", "empty", "a mark only", "a line end only"],
)
def test_b27_input_that_cannot_be_read_is_refused_with_a_reason_on_record(
    project: Repository, data: bytes
) -> None:
    (command,) = project.hook_commands("claude-code", "Stop")
    done = hooked(command, data, project.path)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert "claude-code: the hook's input is not JSON" in project.hook_log()
    assert "the hook's input is not JSON" in project.engine("status").stdout
    assert outputs(project) == {}


@needs_node
def test_b28_the_plugin_exports_functions_only(project: Repository) -> None:
    """OpenCode drops a plugin that exports anything else, and others with it, without a word."""
    kinds = "console.log(JSON.stringify(Object.entries(all).map(([k, v]) => [k, typeof v])))"
    done = plugin(project, kinds)
    assert done.stderr == ""
    exported = json.loads(done.stdout)
    assert exported == [["Handoff", "function"]]


@needs_node
@pytest.mark.parametrize("missing", ["engine", "Python"])
def test_b28_the_plugin_never_throws_where_a_part_is_missing(
    project: Repository, tmp_path: Path, missing: str
) -> None:
    if missing == "engine":
        shutil.rmtree(project.path / ".handoff")
    (tmp_path / "empty").mkdir()
    path = str(tmp_path / "empty") if missing == "Python" else os.environ["PATH"]
    script = """
    const hooks = await all.Handoff({ directory })
    const output = { parts: [{ id: "p", type: "text", text: "Greet the world" }], system: [] }
    const idle = { event: { type: "session.idle", properties: { sessionID: "ses_1" } } }
    await hooks["chat.message"]?.({ sessionID: "ses_1" }, output)
    await hooks["experimental.chat.system.transform"]?.({ sessionID: "ses_1" }, output)
    await hooks.event?.(idle)
    await hooks.dispose?.()
    console.log(JSON.stringify([output.parts.length, output.system]))
    """
    done = plugin(project, script, PATH=path)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == [1, []]


@pytest.mark.parametrize(
    ("place", "deep", "branch"),
    [
        ("app", "", "main"),
        ("app", "deep/er", "main"),
        ("wt", "", "feat/wt"),
        ("wt", "deep/er", "feat/wt"),
        ("app/vendor/lib", "", "main"),
    ],
    ids=["main", "subfolder", "work tree", "subfolder of a work tree", "submodule"],
)
def test_b29_hooks_work_where_git_s_folder_is_a_file(
    tmp_path: Path, place: str, deep: str, branch: str
) -> None:
    """In a linked work tree and a submodule `.git` is a file, and a relative path leads astray."""
    script = str(CASES / "worktree-and-submodule" / "setup.sh")
    made = run(["sh", script, str(tmp_path / "case")], tmp_path)
    assert made.returncode == 0, made.stderr
    one = Repository(tmp_path / "case" / place)
    assert (one.path / ".git").is_file() == (place != "app")
    cwd = one.path / deep
    cwd.mkdir(parents=True, exist_ok=True)
    assert one.handoff("init", "--defaults").returncode == 0
    status = json.loads(Repository(cwd).handoff("hooks", "status", "--json").stdout)
    assert status
    assert {row["status"] for row in status} == {"installed"}
    one.write("new.txt", "new\n")
    for runtime in ("claude-code", "codex"):
        if (one.path / SETTINGS[runtime]).exists():
            one.hook(runtime, event("Stop", runtime, last_assistant_message="Next: go on"), cwd)
    packet = one.active()
    assert (packet["branch"], packet["detached"]) == (branch, False)
    assert [item["path"] for item in packet["changed_files"]] == ["new.txt"]
    said = one.hook("claude-code", event("SessionStart", "next", source="startup"), cwd)
    assert f"on `{branch}`" in said
    assert one.hook_log() == ""


@each_runtime
def test_b30_words_of_every_script_pass_through_a_shell_without_unicode(
    project: Repository, runtime: str
) -> None:
    """On a locale of old one emoji in the output raised an error, and all of it was lost."""
    plain = {"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "cp1252"}
    plain |= {"PYTHONCOERCECLOCALE": "0"}
    project.write("日本 🚀.txt", "⟦x⟧\n")
    transcript = str(CASES / "non-ascii-session" / "t.jsonl")
    end = event("SessionEnd", reason="other") | {"transcript_path": transcript}
    (command,) = project.hook_commands("claude-code", "SessionEnd")
    done = hooked(command, end, project.path, **plain)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    (command,) = set(project.hook_commands(runtime, "SessionStart"))
    start = event("SessionStart", "next", source="startup")
    done = hooked(command, start, project.path, **plain)
    assert (done.returncode, done.stderr) == (0, b"")
    told = shapes(runtime, json.loads(done.stdout))
    for words in ("Prüfe ⟦x⟧ → 日本語 🚀", "fertig → nächster Schritt: README", "日本 🚀.txt"):
        assert words in told
    assert project.hook_log() == ""


def test_b30_the_command_shows_them_where_output_is_in_a_code_page(project: Repository) -> None:
    project.write("日本 🚀.txt", "⟦x⟧\n")
    stop = event("Stop", last_assistant_message="Next: write → 日本語 🚀")
    project.hook("claude-code", stop)
    page = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "cp1252"}
    for verb in ("show", "status"):
        command = shlex.join([sys.executable, "-m", "handoff_cli", verb])
        done = hooked(command, b"", project.path, **page)
        assert done.returncode == 0, done.stderr
        assert "write → 日本語 🚀" in done.stdout.decode("utf-8")
