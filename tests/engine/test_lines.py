from __future__ import annotations

from typing import Any

import pytest

from engine.records import Skipped
from engine.runtimes import lines


def test_each_line_gives_its_object_or_the_reason_why_there_is_none() -> None:
    given = [b'\xef\xbb\xbf{"a": 1}\r\n', b"\n", b"  \n", b"[1]\n", b'{"cut": \n', b"null\n"]
    found = list(lines.objects(given))
    no_object = Skipped("JSON, but no object")
    assert found == [{"a": 1}, no_object, Skipped("not JSON"), no_object]


def test_bytes_that_are_no_utf_8_do_not_lose_the_line() -> None:
    assert list(lines.objects([b'{"a": "\xff"}\n'])) == [{"a": "\ufffd"}]


def test_a_line_nested_too_deeply_is_skipped() -> None:
    (found,) = lines.objects([b"[" * 200_000 + b"\n"])
    assert found == Skipped("not JSON")


@pytest.mark.parametrize(
    ("timestamp", "seconds"),
    [
        ("2026-11-29T16:04:24.963Z", 1_795_968_264.963),
        ("2026-11-29T16:04:24Z", 1_795_968_264.0),
        ("2026-11-29T17:04:24+01:00", 1_795_968_264.0),
        ("2026-11-29T16:04:24.963", 1_795_968_264.963),  # without a zone: UTC on every machine
        ("yesterday", None),
        ("", None),
        (None, None),
        (1_795_968_264, None),
    ],
)
def test_a_timestamp_is_epoch_seconds(timestamp: Any, seconds: float | None) -> None:
    assert lines.seconds(timestamp) == seconds
