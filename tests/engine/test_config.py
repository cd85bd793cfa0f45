from __future__ import annotations

import copy
from typing import Any

import pytest

from engine import config
from engine.errors import HandoffError


def whole() -> dict[str, Any]:
    return {
        "schema_version": 1,
        "runtimes": ["claude-code", "codex"],
        "acceptance_commands": ["pytest -q"],
        "artifacts": {key: f"work/{key}.json" for key in config.ARTIFACTS},
        "context_windows": {"gpt-*": 400_000},
        "stop_gate": "off",
        "gate": dict.fromkeys(config.CHECKS, "warn"),
        "tail_length": 10,
        "context_limits": {"notice": 50, "wrap_up": 75},
        "rendered": ["docs/handoff.md"],
    }


def changed(key: str, value: Any) -> dict[str, Any]:
    """The configuration with one key set, or taken out where `value` is Ellipsis."""
    given = copy.deepcopy(whole())
    *folders, last = key.split(".")
    inner = given
    for folder in folders:
        inner = inner[folder]
    if value is ...:
        del inner[last]
    else:
        inner[last] = value
    return given


def test_a_whole_configuration_is_read() -> None:
    found = config.parse(whole())
    assert found.runtimes == ("claude-code", "codex")
    assert found.acceptance_commands == ("pytest -q",)
    assert found.artifacts["state"] == "work/state.json"
    assert found.gate["tests"] == "warn"
    assert (found.tail_length, found.notice_percent, found.wrap_up_percent) == (10, 50, 75)
    assert found.rendered == ("docs/handoff.md",)


def test_keys_of_a_newer_version_do_no_harm() -> None:
    assert config.parse({**whole(), "colour": "red"}) == config.parse(whole())


@pytest.mark.parametrize(
    ("key", "value"),
    [
        *((key, ...) for key in whole() if key != "schema_version"),
        *((f"artifacts.{key}", ...) for key in config.ARTIFACTS),
        *((f"gate.{check}", ...) for check in config.CHECKS),
        ("runtimes", "codex"),
        ("runtimes", [1]),
        ("acceptance_commands", None),
        ("acceptance_commands", {"a": 1}),
        ("artifacts", []),
        ("artifacts.outputs", 3),
        ("artifacts.outputs", ["out"]),
        ("gate.tests", "REFUSE"),
        ("context_windows.gpt-*", "400k"),
        ("context_windows.gpt-*", 0),
        ("stop_gate", "warn"),
        ("gate.board", True),
        ("gate.branch", ["warn"]),
        ("tail_length", -1),
        ("tail_length", 31),
        ("tail_length", True),
        ("tail_length", "10"),
        ("tail_length", 10.0),
        ("context_limits.notice", 0),
        ("context_limits.wrap_up", 101),
        ("context_limits.wrap_up", None),
        ("rendered", "x"),
        ("not_secrets", "x"),
        ("not_secrets", [1]),
    ],
)
def test_each_wrong_key_is_named(key: str, value: Any) -> None:
    with pytest.raises(HandoffError) as told:
        config.parse(changed(key, value))
    assert f"`{key}`" in str(told.value)
    assert told.value.hint


@pytest.mark.parametrize(
    "path",
    [
        *("", "/etc/passwd", "..", "../up", "a/../../up", "a//b", "a/", "./a", "."),
        *(".git/hooks", "a/.git/b", ".GIT/hooks", "C:/x", "c:x", "a\\b", "\\\\host\\x"),
        *("a\nb", "a\x00b", "a\u202eb"),
    ],
)
def test_an_artifact_lies_inside_the_repository(path: str) -> None:
    with pytest.raises(HandoffError, match=r"`artifacts\.outputs` must be a path inside"):
        config.parse(changed("artifacts.outputs", path))


@pytest.mark.parametrize("path", ["out", "a/b c/d.json", ".handoff/state/x", "…/é", ".gitx/a:b"])
def test_any_relative_path_may_be_an_artifact(path: str) -> None:
    assert config.parse(changed("artifacts.outputs", path)).artifacts["outputs"] == path


@pytest.mark.parametrize("given", [None, [], "x", 3])
def test_a_file_without_an_object_is_told(given: Any) -> None:
    with pytest.raises(HandoffError, match="holds no JSON object"):
        config.parse(given)
