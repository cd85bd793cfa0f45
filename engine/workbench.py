"""People's workbench artifacts as values: what is well-formed is used, the rest is reported."""

from __future__ import annotations

from typing import Any

from .model import AgentState, Feature, Finding, Report, Review

_FEATURE_STATUSES = ("todo", "in_progress", "done", "blocked")
_SEVERITIES = ("info", "warn", "block")
NEXT_ACTION_SESSION = "next_action_session"  # in `agent_state.json`
SESSION = "session"  # in our own reports


class Reader:
    """Reads keys of one artifact, and keeps what is wrong with it as findings."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.problems: list[Finding] = []

    def wrong(self, key: str, expected: str) -> None:
        detail = f"`{self.path}`: `{key}` must be {expected}"
        self.problems.append(Finding("artifact.malformed", "warn", detail))

    def object(self, value: Any, key: str) -> dict[str, Any]:
        if not isinstance(value, dict):
            self.wrong(key, "an object")
            return {}
        return value

    def text(self, given: dict[str, Any], key: str) -> str:
        value = given.get(key)
        if value is not None and not isinstance(value, str):
            self.wrong(key, "a string")
        return value.strip() if isinstance(value, str) else ""

    def texts(self, given: dict[str, Any], key: str) -> tuple[str, ...]:
        value = given.get(key, [])
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            self.wrong(key, "a list of strings")
            return ()
        return tuple(item.strip() for item in value if item.strip())

    def list(self, value: Any, key: str) -> list[Any]:
        if not isinstance(value, list):
            self.wrong(key, "a list")
            return []
        return value


def agent_state(reader: Reader, given: Any, current: bool) -> AgentState:
    """`agent_state.json`; `current` tells whether it was written in this session."""
    value = reader.object(given, "(top level)")
    return AgentState(
        active_task=reader.text(value, "active_task_id") or None,
        next_action=reader.text(value, "next_action"),
        current=current,
        assumptions=reader.texts(value, "assumptions"),
        blockers=reader.texts(value, "blockers"),
        questions=reader.texts(value, "questions"),
    )


def recorded_session(given: Any, key: str) -> str | None:
    """The session in which an artifact was written, where it says so under `key`."""
    recorded = given.get(key) if isinstance(given, dict) else None
    return recorded if isinstance(recorded, str) and recorded else None


def features(reader: Reader, given: Any) -> tuple[Feature, ...]:
    """`feature_list.json`, or the older `task_board.json`, a bare list of tasks."""
    if isinstance(given, list):
        return tuple(_feature(reader, item, f"[{n}]") for n, item in enumerate(given))
    value = reader.object(given, "(top level)")
    listed = reader.list(value.get("features", []), "features")
    return tuple(_feature(reader, item, f"features[{n}]") for n, item in enumerate(listed))


def _feature(reader: Reader, given: Any, key: str) -> Feature:
    value = reader.object(given, key)
    status = reader.text(value, "status")
    if status not in _FEATURE_STATUSES:
        reader.wrong(f"{key}.status", f"one of {', '.join(_FEATURE_STATUSES)}")
    if isinstance(value.get("acceptance"), list):
        done_when = " && ".join(reader.texts(value, "acceptance"))
    else:
        done_when = reader.text(value, "done_when")
    started, reason = value.get("started_at"), value.get("reason")
    return Feature(
        id=reader.text(value, "id"),
        status=status,
        goal=reader.text(value, "goal"),
        done_when=done_when,
        started_at=started if isinstance(started, str) else "",
        reason=reason if status == "blocked" and isinstance(reason, str) else "",
    )


def verification(reader: Reader, given: Any, older: bool) -> Report | None:
    """A verification report, or None where it has no verdict; `older` than this session, or not."""
    value = reader.object(given, "(top level)")
    if not isinstance(value.get("passed"), bool):
        reader.wrong("passed", "true or false")
        return None
    found = []
    for number, item in enumerate(reader.list(value.get("findings", []), "findings")):
        finding = reader.object(item, f"findings[{number}]")
        severity = reader.text(finding, "severity")
        if severity not in _SEVERITIES:
            reader.wrong(f"findings[{number}].severity", f"one of {', '.join(_SEVERITIES)}")
            severity = "warn"
        found.append(
            Finding(reader.text(finding, "code"), severity, reader.text(finding, "detail"))
        )
    return Report(reader.path, value["passed"], tuple(found), older, SESSION in value)


def review(reader: Reader, given: Any) -> Review | None:
    """A review report, or None where it has no total."""
    value = reader.object(given, "(top level)")
    total = value.get("total")
    if type(total) is not int:
        reader.wrong("total", "a whole number")
        return None
    score = None
    for item in reader.list(value.get("dimensions", []), "dimensions"):
        dimension = reader.object(item, "dimensions")
        if dimension.get("name") == "assumptions" and type(dimension.get("score")) is int:
            score = dimension["score"]
    return Review(reader.path, total, reader.text(value, "verdict"), score)
