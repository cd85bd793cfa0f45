"""`.handoff/config.json` as a value: artifact paths and policies, rendered from the answers."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from .errors import HandoffError
from .layout import CONFIG

ARTIFACTS = (
    "state",
    "board",
    "feedback",
    "verification",
    "review",
    "scope",
    "rules",
    "clean_state",
    "outputs",
)
CHECKS = ("working_tree", "temporary_artifacts", "tests", "board", "branch", "review")
POLICIES = ("refuse", "warn", "off")
STOP_GATES = ("block", "off")
MAX_TAIL_LENGTH = 30
_HINT = "mend the file by hand, or restore it from git"


class Config(NamedTuple):
    runtimes: tuple[str, ...]
    acceptance_commands: tuple[str, ...]
    artifacts: dict[str, str]  # key: POSIX path from the project's root
    gate: dict[str, str]  # check: policy
    tail_length: int  # newest feedback records in a packet
    notice_percent: int  # of the context window
    wrap_up_percent: int
    rendered: tuple[str, ...]  # files of ours outside `.handoff/`
    debug_patterns: dict[str, str]  # endings, such as "js ts": pattern of a debug print
    context_windows: dict[str, int]  # pattern of a model's id: tokens
    not_secrets: tuple[str, ...]  # texts that redaction leaves as they are
    stop_gate: str  # block: hold up the end of a turn once at `wrap_up_percent`; or off


def parse(given: Any) -> Config:
    """The configuration in a parsed file.

    Raises: HandoffError naming the key and what was expected there.
    """
    if not isinstance(given, dict):
        raise HandoffError(f"`{CONFIG}` holds no JSON object", hint=_HINT)
    limits = _object(given, "context_limits")
    artifacts = _object(given, "artifacts")
    gate = _object(given, "gate")
    for key in ARTIFACTS:
        _path(artifacts, key)
    for check in CHECKS:
        _expect(gate.get(check) in POLICIES, f"gate.{check}", f"one of {', '.join(POLICIES)}")
    tail = given.get("tail_length")
    _expect(
        type(tail) is int and 0 <= tail <= MAX_TAIL_LENGTH, "tail_length", f"0 to {MAX_TAIL_LENGTH}"
    )
    notice, wrap_up = limits.get("notice"), limits.get("wrap_up")
    for key, percent in (("notice", notice), ("wrap_up", wrap_up)):
        _expect(type(percent) is int and 0 < percent <= 100, f"context_limits.{key}", "1 to 100")
    return Config(
        runtimes=_texts(given, "runtimes"),
        acceptance_commands=_texts(given, "acceptance_commands"),
        artifacts={key: artifacts[key] for key in ARTIFACTS},
        gate={check: gate[check] for check in CHECKS},
        tail_length=int(tail or 0),
        notice_percent=int(notice or 0),
        wrap_up_percent=int(wrap_up or 0),
        rendered=_texts(given, "rendered"),
        debug_patterns=_patterns(given),
        context_windows=_windows(given),
        not_secrets=_texts(given, "not_secrets") if "not_secrets" in given else (),
        stop_gate=_stop_gate(given),
    )


def _object(given: dict[str, Any], key: str) -> dict[str, Any]:
    value = given.get(key)
    _expect(isinstance(value, dict), key, "an object")
    return value if isinstance(value, dict) else {}


def _texts(given: dict[str, Any], key: str) -> tuple[str, ...]:
    value = given.get(key)
    good = isinstance(value, list) and all(isinstance(item, str) for item in value)
    _expect(good, key, "a list of strings")
    return tuple(value or ())


def _patterns(given: dict[str, Any]) -> dict[str, str]:
    """`debug_patterns`, which a project may add to its configuration."""
    patterns = _object(given, "debug_patterns") if "debug_patterns" in given else {}
    for endings, pattern in patterns.items():
        try:
            re.compile(pattern)
        except (re.error, TypeError):
            _expect(False, f"debug_patterns.{endings}", "a regular expression")
    return patterns


def _windows(given: dict[str, Any]) -> dict[str, int]:
    windows = _object(given, "context_windows")
    for pattern, tokens in windows.items():
        good = type(tokens) is int and tokens > 0
        _expect(good, f"context_windows.{pattern}", "a number of tokens")
    return windows


def _stop_gate(given: dict[str, Any]) -> str:
    value = given.get("stop_gate")
    _expect(value in STOP_GATES, "stop_gate", f"one of {', '.join(STOP_GATES)}")
    return str(value)


def _path(artifacts: dict[str, Any], key: str) -> None:
    given = artifacts.get(key)
    path = given if isinstance(given, str) else ""
    parts = path.lower().split("/")
    good = not {"", ".", "..", ".git"} & set(parts) and ":" not in parts[0]
    good = good and "\\" not in path and path.isprintable()
    _expect(good, f"artifacts.{key}", "a path inside the repository")


def _expect(good: bool, key: str, expected: str) -> None:
    if not good:
        raise HandoffError(f"`{CONFIG}`: `{key}` must be {expected}", hint=_HINT)
