from __future__ import annotations

import re
import subprocess
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import names
from tests.engine.builders import odd_text

# Ids, topics and branches; short alphabets make near-collisions likely.
identifiers = (
    odd_text
    | st.text(st.sampled_from("aAbBcC1._-/+%"), max_size=6)
    | st.text(max_size=300)
    | st.sampled_from(["", ".", "..", "con", "CON", "com1", "aux.", "a" * 80, "a" * 81, "-a", "_a"])
)


@pytest.mark.parametrize(
    "identifier", ["a4693f0f-8836-4117-a0cf-3dcc10446e98", "s-1", "ses_01", "7", "common", "a" * 80]
)
def test_a_harmless_id_is_its_own_folder(identifier: str) -> None:
    assert names.folder(identifier) == identifier


@given(identifiers)
def test_a_folder_is_one_safe_path_component(identifier: str) -> None:
    folder = names.folder(identifier)
    assert re.fullmatch(r"[a-z0-9][a-z0-9_-]*(\+[0-9a-f]{16})?", folder)
    assert len(folder) <= 80
    # Windows opens a device for these, whatever follows a dot.
    assert not re.fullmatch(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", folder)


@given(identifiers, identifiers)
def test_two_ids_never_share_a_folder_even_where_case_and_form_are_ignored(a: str, b: str) -> None:
    if a != b:
        one, two = (unicodedata.normalize("NFKD", names.folder(x)).casefold() for x in (a, b))
        assert one != two


@given(identifiers)
def test_a_folder_read_back_from_a_packet_is_the_same_folder(identifier: str) -> None:
    assert names.known_folder(names.folder(identifier)) == names.folder(identifier)


@given(identifiers)
def test_what_a_packet_calls_its_folder_is_safe_whatever_it_says(text: str) -> None:
    assert re.fullmatch(r"[a-z0-9][a-z0-9_-]*(\+[0-9a-f]{16})?", names.known_folder(text))


@pytest.mark.parametrize(
    "name", ["../../etc+0123456789abcdef", "A+0123456789abcdef", "a+0123456789ABCDEF", "+0" * 9]
)
def test_a_forged_folder_is_not_taken_for_one_of_ours(name: str) -> None:
    assert names.known_folder(name) == names.folder(name) != name


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("main", "main"),
        ("feature/login", "feature%2Flogin"),
        ("Fix", "%46ix"),
        ("a.lock", "a%2Elock"),
        ("é", "%C3%A9"),
        ("\udce9", "%E9"),
        ("@{u}", "%40%7Bu%7D"),
        ("", "%"),
    ],
)
def test_a_ref_part_is_percent_encoded(name: str, part: str) -> None:
    assert names.ref_part(name) == part


@given(identifiers, identifiers)
def test_two_names_never_share_a_ref_even_where_case_is_ignored(a: str, b: str) -> None:
    if a != b:
        assert names.ref_part(a).casefold() != names.ref_part(b).casefold()


@given(identifiers)
def test_a_ref_part_fits_a_file_name(name: str) -> None:
    assert len(names.ref_part(name) + ".lock") < 200


@settings(max_examples=50)
@given(st.lists(identifiers, min_size=2, max_size=2))
def test_git_accepts_a_ref_made_of_parts(given_names: list[str]) -> None:
    branch, topic = map(names.ref_part, given_names)
    ref = f"refs/handoff/active/{branch}/{topic}"
    assert subprocess.run(["git", "check-ref-format", ref], check=False).returncode == 0
