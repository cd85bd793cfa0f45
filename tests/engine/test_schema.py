from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import schema
from tests.engine import builders

RULES = builders.schema()
PEER = jsonschema.Draft202012Validator(RULES)
PAYLOAD = builders.payload()

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 500)
    | st.floats(allow_nan=False)
    | st.sampled_from(
        [0.0, 1.0, -1.0, "", " ", "a" * 40, "b" * 64, "active", "2026-01-01T00:00:00Z"]
    )
    | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=6,
)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of every value inside `value`."""
    yield path
    if isinstance(value, dict):
        for key, item in value.items():
            yield from places(item, (*path, key))
    elif isinstance(value, list):
        for place, item in enumerate(value):
            yield from places(item, (*path, place))


PLACES = [place for place in places(PAYLOAD) if place and not set(place) & set(range(1, 99))]


def inner(value: Any, path: tuple[Any, ...]) -> Any:
    for part in path:
        value = value[part]
    return value


def agree(value: Any) -> bool:
    return (not schema.problems(value, RULES)) == PEER.is_valid(value)


def test_the_packet_of_the_story_has_no_problem() -> None:
    assert schema.problems(PAYLOAD, RULES) == ()
    PEER.validate(PAYLOAD)


def test_the_project_s_schema_uses_no_word_that_is_not_understood() -> None:
    def words(rules: Any) -> Iterator[str]:
        for word, value in rules.items():
            yield word
            if word in ("properties", "$defs"):
                for one in value.values():
                    yield from words(one)
            elif word == "anyOf":
                for one in value:
                    yield from words(one)
            elif word in ("items", "additionalProperties") and isinstance(value, dict):
                yield from words(value)

    assert set(words(RULES)) <= schema.KEYWORDS
    PEER.check_schema(RULES)


@settings(max_examples=120)
@given(st.data())
def test_a_changed_packet_is_judged_as_a_full_validator_judges_it(data: st.DataObject) -> None:
    value = copy.deepcopy(PAYLOAD)
    for _ in range(data.draw(st.integers(1, 3))):
        *path, last = data.draw(st.sampled_from(list(places(value))[1:] or [(None,)]))
        holder = inner(value, tuple(path))
        if last is None:
            break
        change = data.draw(st.sampled_from(["replace", "delete", "add", "repeat"]))
        if change == "replace":
            holder[last] = data.draw(json_values)
        elif change == "delete":
            del holder[last]
        elif isinstance(holder, dict):
            holder[data.draw(st.sampled_from(["x", "path", "code", "digest"]))] = holder[last]
        else:
            holder.extend([holder[last]] * data.draw(st.sampled_from([1, 30])))
    assert agree(value)


@pytest.mark.parametrize("place", PLACES, ids=str)
def test_every_value_is_judged_alike_when_it_is_another(place: tuple[Any, ...]) -> None:
    for other in (
        None,
        True,
        0,
        1,
        1.0,
        1.5,
        -1,
        "",
        " ",
        "a\n",
        "a" * 401,
        [],
        [None],
        {},
        {"x": 1},
    ):
        value = copy.deepcopy(PAYLOAD)
        inner(value, place[:-1])[place[-1]] = other
        assert agree(value)


@given(json_values)
def test_values_that_are_no_packet_are_judged_alike(value: Any) -> None:
    assert agree(value)


def test_all_problems_are_told_at_once_each_with_its_place() -> None:
    value = copy.deepcopy(PAYLOAD)
    value["commands_run"][1]["exit_code"] = "0"
    value["session"]["colour"] = "red"
    value["schema_version"] = True
    value["next_action"] = " \n"
    value["status"] = "stale"
    value["base_commit"] = "abc"
    del value["digest"]
    value["feedback_tail"] *= 20
    assert sorted(schema.problems(value, RULES)) == sorted(
        [
            "packet: `digest` is missing",
            "packet.commands_run[1].exit_code: must be integer or null, is string",
            "packet.session: `colour` is unknown",
            "packet.schema_version: must be 1",
            "packet.next_action: ' \\n' is not of the form \\S",
            "packet.status: must be one of 'active', 'superseded', 'archived'",
            "packet.base_commit: matches none of the shapes it may have",
            "packet.feedback_tail: has 80 items, at most 30 are allowed",
        ]
    )


@pytest.mark.parametrize(
    ("rules", "value", "fits"),
    [
        ({"type": "integer"}, 1.0, True),
        ({"type": "integer"}, 1.5, False),
        ({"type": "integer"}, True, False),
        ({"type": "number"}, False, False),
        ({"const": 1}, True, False),
        ({"const": False}, 0, False),
        ({"const": None}, None, True),
        ({"enum": [1, None]}, True, False),
        ({"enum": ["a", None]}, None, True),
        ({"minimum": 0}, True, True),
        ({"minimum": 0}, -0.5, False),
        ({"maximum": 3}, 3, True),
        ({"maxLength": 2}, "🎉🎉", True),
        ({"minLength": 1}, "", False),
        ({"pattern": "^b"}, "ab", False),
        ({"pattern": "b"}, "abc", True),
        ({"additionalProperties": {"type": "null"}}, {"a": None}, True),
        ({"additionalProperties": {"type": "null"}}, {"a": 1}, False),
        ({"required": ["a"]}, [], True),
        ({"items": {"type": "null"}}, [None, 1], False),
        ({"$ref": "#/$defs/a", "$defs": {"a": {"type": "null"}}}, 1, False),
        ({"anyOf": [{"type": "null"}, {"minimum": 3}]}, 4, True),
        ({"anyOf": [{"type": "null"}, {"minimum": 3}]}, 2, False),
    ],
)
def test_each_word_means_what_the_standard_says(
    rules: dict[str, Any], value: Any, fits: bool
) -> None:
    assert (schema.problems(value, rules) == ()) == fits
    assert jsonschema.Draft202012Validator(rules).is_valid(value) == fits
