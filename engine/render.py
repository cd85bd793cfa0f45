"""The packet as JSON, and that JSON as Markdown: the second is made from the first."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from .gate import Issue
from .packet import Packet
from .redact import redacted
from .visible import visible

SCHEMA_VERSION = 1
_PIPE = "\\|"  # as a cell of a table holds it


def payload(packet: Packet) -> dict[str, Any]:
    """The packet's JSON value, with its version and digest."""
    return _sealed({"schema_version": SCHEMA_VERSION, **_plain(packet)})


def blocked_payload(packet: Packet, reasons: Iterable[Issue]) -> dict[str, Any]:
    """A blocked record: every reason, and everything that could be derived."""
    blocked = [
        {
            "check": one.check,
            "code": one.code,
            "severity": "block",
            "detail": one.detail,
            "mend": one.mend,
        }
        for one in reasons
    ]
    value = {"schema_version": SCHEMA_VERSION, "blocked": _plain(blocked), **_plain(packet)}
    return _sealed({**value, "status": "blocked"})


def with_status(value: dict[str, Any], status: str, superseded_by: str | None) -> dict[str, Any]:
    """The same packet in another place of the ledger."""
    return _sealed({**value, "status": status, "superseded_by": superseded_by})


def digest(value: dict[str, Any]) -> str:
    """sha256 of the canonical JSON without `digest`."""
    bare = {key: item for key, item in value.items() if key != "digest"}
    canonical = json.dumps(bare, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()


def text(value: dict[str, Any]) -> bytes:
    """The bytes of `handoff.json`, in which nothing is invisible."""
    return (visible(json.dumps(value, indent=2, ensure_ascii=False)) + "\n").encode("utf-8")


def markdown(value: dict[str, Any]) -> str:
    """The packet's JSON value for people."""
    return redacted("\n".join(map(_line, _markdown(value))).rstrip() + "\n")


def _plain(value: Any) -> Any:
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        fields = getattr(value, "_asdict")()  # noqa: B009 - not every tuple has it
        return {"from" if key == "origin" else key: _plain(v) for key, v in fields.items()}
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (tuple, list)):
        return [_plain(item) for item in value]
    if isinstance(value, str):
        return redacted(_writable(value))
    return value


def _writable(text: str) -> str:
    """Text that UTF-8 can hold: undecodable bytes, as in odd file names, become `\\xNN`."""
    try:
        text.encode("utf-8")
        return text
    except UnicodeEncodeError:
        paired = text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
    if any("\udc80" <= char <= "\udcff" for char in paired):
        raw = paired.encode("utf-8", "surrogateescape" if _only_escapes(paired) else "replace")
        return raw.decode("utf-8", "backslashreplace")
    return paired.encode("utf-8", "replace").decode("utf-8")


def _only_escapes(text: str) -> bool:
    return not any("\ud800" <= char <= "\udc7f" or "\udd00" <= char <= "\udfff" for char in text)


def _sealed(value: dict[str, Any]) -> dict[str, Any]:
    return {**value, "digest": digest(value)}


def _markdown(value: dict[str, Any]) -> Iterator[str]:
    session, task = value["session"], value["task"]
    yield f"# Handoff: {task['goal'] or value['branch'] or session['id']}"
    yield ""
    if value.get("blocked"):
        yield "## Blocked: this is no handoff yet"
        yield ""
        yield from _blocked(value)
        yield ""
    yield "## Next action"
    yield ""
    if value["next_action"]:
        yield f"**{value['next_action']}** (from: {value['next_action_source']})"
    else:
        yield "None could be derived."
    yield ""
    yield value["summary"]
    for title, lines in (
        ("Open risks", _risks(value)),
        ("Failed attempts", _attempts(value)),
        ("Questions for a human", (f"- {q}" for q in value["questions_for_human"])),
        ("Assumptions to validate", (f"- {a}" for a in value["assumptions_to_validate"])),
        ("Load first", _prerequisites(value)),
        ("Changed files", _files(value)),
        ("Commits", _commits(value)),
        ("Commands", _commands(value)),
        ("Last words of the agent (unverified)", _quoted(value["last_statement"])),
        ("Feedback tail", _tail(value)),
        ("Where this comes from", _facts(value)),
    ):
        shown = list(lines)
        if shown:
            yield from ("", f"## {title}", "", *shown)


def _prerequisites(value: dict[str, Any]) -> Iterator[str]:
    for item in value["next_session_prereqs"]:
        how = f": {_code(item['how'])}" if item["how"] else ""
        yield f"- {_code(item['path'])}{how}"


def _blocked(value: dict[str, Any]) -> Iterator[str]:
    for reason in value["blocked"]:
        yield f"- **{reason['code']}**: {reason['detail']}"
        yield f"  - first mend this: {reason['mend']}"


def _risks(value: dict[str, Any]) -> Iterator[str]:
    for risk in value["open_risks"]:
        yield f"- **{risk['severity']}** {_code(risk['code'])}: {risk['detail']}"
    yield from _cut(value, "open_risks")


def _attempts(value: dict[str, Any]) -> Iterator[str]:
    for attempt in value["failed_attempts"]:
        code = "could not run" if attempt["did_not_run"] else "failed"
        passed = "passed later" if attempt["resolved_by"] else "**not resolved**"
        yield f"- {_code(attempt['command'])} {code}, exit code {attempt['exit_code']}; {passed}"
        if attempt["why"] and not attempt["resolved_by"]:
            yield from _fenced(attempt["why"])
    yield from _cut(value, "failed_attempts")


def _files(value: dict[str, Any]) -> Iterator[str]:
    for item in value["changed_files"]:
        origin = f" (was {_code(item['from'])})" if item["from"] else ""
        added, removed = item["added_lines"], item["removed_lines"]
        lines = f", +{added} −{removed}" if added is not None and removed is not None else ""
        left = "" if item["committed"] else ", **not committed**"
        yield f"- {_code(item['path'])}{origin}: {item['change']}{lines}{left}"
    yield from _cut(value, "changed_files")


def _commits(value: dict[str, Any]) -> Iterator[str]:
    yield from (f"- `{one['hash'][:12]}` {one['subject']}" for one in value["commits"])
    yield from _cut(value, "commits")


def _commands(value: dict[str, Any]) -> Iterator[str]:
    if value["commands_run"]:
        yield "| Exit code | Command | Verifies | Source |"
        yield "|---|---|---|---|"
    for run in value["commands_run"]:
        code = "unknown" if run["exit_code"] is None else run["exit_code"]
        note = f" ({run['note']})" if run["note"] else ""
        checks = "yes" if run["counts_as_verification"] else ""
        cells = (f"{code}{note}", _code(run["command"]), checks, run["source"])
        yield f"| {' | '.join(cell.replace('|', _PIPE) for cell in cells)} |"
    yield from _cut(value, "commands_run")


def _tail(value: dict[str, Any]) -> Iterator[str]:
    for entry in value["feedback_tail"]:
        code = "unknown" if entry["exit_code"] is None else entry["exit_code"]
        yield f"- {_code(entry['command'])} → exit code {code}"
        if entry["output"]:
            yield from _fenced(entry["output"])
    yield from _cut(value, "feedback_tail")


def _facts(value: dict[str, Any]) -> Iterator[str]:
    session, usage = value["session"], value["context_usage"]
    ended = session["ended_at"] or "not reported"
    yield f"- session {_code(session['id'])} ({session['runtime'] or 'no runtime'}), ended: {ended}"
    yield f"- branch {_code(str(value['branch']))}, head `{value['head_commit']}`"
    yield f"- started from `{value['base_commit'] or 'an unknown commit'}`"
    if value["supersedes"]:
        yield f"- supersedes the packet of session {_code(value['supersedes'])}"
    if usage["used_tokens"] is not None:
        percent = f", {usage['percent']} %" if usage["percent"] is not None else ""
        yield f"- context used: {usage['used_tokens']} tokens{percent}"
    for native in value["native_sessions"]:
        yield f"- go back to {native['runtime']}: {_code(native['resume_command'])}"
    for source in value["sources"]:
        counts = "" if source["records"] is None else f", {source['records']} records"
        skipped = f", {source['skipped']} skipped" if source["skipped"] else ""
        note = f": {source['note']}" if source["note"] else ""
        yield f"- read {source['kind']} {_code(source['path'])}{counts}{skipped}{note}"
    yield f"- digest `{value['digest']}`; `handoff.json` beside this file wins over this text"


def _cut(value: dict[str, Any], field: str) -> Iterator[str]:
    count = value["truncated"].get(field)  # an older packet may not have it
    if count and count["kept"] < count["total"]:
        yield ""
        yield f"{count['kept']} of {count['total']} shown."


def _quoted(said: str | None) -> list[str]:
    return [f"> {line}".rstrip() for line in said.splitlines()] if said else []


def _fenced(block: str) -> Iterator[str]:
    fence = "`" * max(3, _longest_run(block) + 1)
    lines = (f"  {line.expandtabs()}" for line in block.splitlines())
    yield from ("", f"  {fence}text", *lines, f"  {fence}", "")


def _code(text: str) -> str:
    """Inline code, whatever the text holds."""
    if "`" not in text:
        return f"`{text}`"
    fence = "`" * (_longest_run(text) + 1)
    return f"{fence} {text} {fence}"


def _longest_run(text: str) -> int:
    """Of backticks."""
    return max(map(len, re.findall("`+", text)), default=0)


def _line(text: str) -> str:
    """Text on one line: control characters, line breaks among them, become visible escapes."""
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)
