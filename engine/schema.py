"""JSON Schema, the part of draft 2020-12 that `handoff.schema.json` uses: all problems at once."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "boolean": (bool,),
    "null": (type(None),),
    "integer": (int,),
    "number": (int, float),
}
KEYWORDS = {
    "$schema", "$id", "$defs", "$ref", "title", "description", "$comment", "type", "const", "enum",
    "properties", "required", "additionalProperties", "items", "maxItems", "minLength", "maxLength",
    "pattern", "minimum", "maximum", "anyOf",
}  # fmt: skip


def problems(value: Any, schema: dict[str, Any]) -> tuple[str, ...]:
    """What is wrong with `value`, each with where it is; empty where nothing is."""
    return tuple(_problems(value, schema, schema, "packet"))


def _problems(
    value: Any, schema: dict[str, Any], root: dict[str, Any], where: str
) -> Iterator[str]:
    if "$ref" in schema:
        target: Any = root
        for part in schema["$ref"][2:].split("/"):
            target = target[part]
        yield from _problems(value, target, root, where)
    if "anyOf" in schema and all(
        list(_problems(value, one, root, where)) for one in schema["anyOf"]
    ):
        yield f"{where}: matches none of the shapes it may have"
    if "type" in schema and not _is(value, schema["type"]):
        yield f"{where}: must be {_or(schema['type'])}, is {_name(value)}"
        return
    if "const" in schema and not _equal(value, schema["const"]):
        yield f"{where}: must be {schema['const']!r}"
    if "enum" in schema and not any(_equal(value, one) for one in schema["enum"]):
        yield f"{where}: must be one of {', '.join(map(repr, schema['enum']))}"
    if isinstance(value, dict):
        yield from _object(value, schema, root, where)
    elif isinstance(value, list):
        if len(value) > schema.get("maxItems", len(value)):
            yield f"{where}: has {len(value)} items, at most {schema['maxItems']} are allowed"
        for number, item in enumerate(value):
            yield from _problems(item, schema.get("items", {}), root, f"{where}[{number}]")
    elif isinstance(value, str):
        yield from _string(value, schema, where)
    elif type(value) in (int, float) and not _in_range(value, schema):
        yield f"{where}: {value} is out of range"


def _in_range(value: float, schema: dict[str, Any]) -> bool:
    return bool(schema.get("minimum", value) <= value <= schema.get("maximum", value))


def _object(
    value: dict[str, Any], schema: dict[str, Any], root: dict[str, Any], where: str
) -> Iterator[str]:
    known = schema.get("properties", {})
    for key in schema.get("required", ()):
        if key not in value:
            yield f"{where}: `{key}` is missing"
    others = schema.get("additionalProperties", True)
    for key, item in value.items():
        if key in known:
            yield from _problems(item, known[key], root, f"{where}.{key}")
        elif others is False:
            yield f"{where}: `{key}` is unknown"
        elif isinstance(others, dict):
            yield from _problems(item, others, root, f"{where}.{key}")


def _string(value: str, schema: dict[str, Any], where: str) -> Iterator[str]:
    if not schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", len(value)):
        yield f"{where}: {len(value)} characters are too few or too many"
    if "pattern" in schema and not re.search(schema["pattern"], value):
        yield f"{where}: {value!r} is not of the form {schema['pattern']}"


def _is(value: Any, types: str | list[str]) -> bool:
    wanted = [types] if isinstance(types, str) else types
    if isinstance(value, bool):
        return "boolean" in wanted
    if isinstance(value, float) and value.is_integer() and "integer" in wanted:
        return True
    return any(isinstance(value, _TYPES[name]) for name in wanted)


def _equal(left: Any, right: Any) -> bool:
    """Equality of JSON values, in which `true` is not 1."""
    return isinstance(left, bool) == isinstance(right, bool) and bool(left == right)


def _or(types: str | list[str]) -> str:
    return types if isinstance(types, str) else " or ".join(types)


def _name(value: Any) -> str:
    for name in ("null", "boolean", "integer", "number", "string", "array", "object"):
        if _is(value, name):
            return name
    return type(value).__name__
