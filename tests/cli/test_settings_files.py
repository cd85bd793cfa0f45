from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handoff_cli import json_comments, settings_files
from handoff_cli.errors import HandoffError
from handoff_cli.settings_files import Entry, Place, add_hooks, hook_entries, remove_hooks

SETTINGS = Path(__file__).parents[1] / "data" / "settings"
MARK = ".handoff/engine hook"
STRICT = Place("settings.json", MARK)
JSONC = Place("settings.json", MARK, jsonc=True)


def entry(event: str, command: str = "python3 .handoff/engine hook", timeout: int = 10) -> Entry:
    handler = {"type": "command", "command": f"{command} {event}", "timeout": timeout}
    return Entry(event, {"matcher": "*", "hooks": [handler]})


ENTRIES = (entry("SessionStart"), entry("PostToolUse"), entry("SessionEnd"))
OLDER = (entry("Stop"), entry("SessionEnd", "/opt/py /home/me/.handoff/engine hook", 5))


def data(name: str) -> bytes:
    return (SETTINGS / name).read_bytes()


def plain(text: bytes | None) -> bytes:
    """The text as strict JSON; none as an empty object."""
    bare = json_comments.blanked((text or b"{}").removeprefix(b"\xef\xbb\xbf"))
    return json_comments.trailing_commas_blanked(bare)


def within(part: bytes, whole: bytes) -> bool:
    """Whether `whole` is `part` with bytes put in between."""
    rest = iter(whole)
    return all(byte in rest for byte in part)


# --- generated files -----------------------------------------------------------------------

WORDS = st.text(max_size=8).filter(lambda text: MARK not in text) | st.sampled_from(
    ["//", "/* */", ",]", '"', "\\", "é", "日本", "hooks", "command", "handoff"]
)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | WORDS
FINITE = SCALARS.filter(lambda value: value not in (float("inf"), float("-inf")))
VALUES = st.recursive(
    FINITE,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=6,
)
HANDLERS = st.fixed_dictionaries({"type": st.just("command"), "command": WORDS}) | VALUES
GROUPS = st.fixed_dictionaries({"hooks": st.lists(HANDLERS, max_size=2)}) | VALUES
EVENTS = st.sampled_from(["SessionStart", "SessionEnd", "Stop", "FutureEvent"])
HOOKS = st.dictionaries(EVENTS, st.lists(GROUPS, max_size=3), max_size=3)
FILES = st.builds(
    lambda members, hooks, at: dict([*members[:at], *hooks, *members[at:]]),
    st.lists(st.tuples(WORDS.filter(lambda key: key != "hooks"), VALUES), max_size=3),
    st.just([]) | HOOKS.map(lambda hooks: [("hooks", hooks)]),
    st.integers(0, 3),
)
DICE = st.integers(0, 2**32).map(random.Random)
NEWLINES = st.sampled_from(["\n", "\r\n", "\r"])


class Writer:
    """Writes JSON as untidily as its dialect allows."""

    def __init__(self, dice: random.Random, jsonc: bool, newline: str) -> None:
        self.dice, self.jsonc, self.newline = dice, jsonc, newline
        self.tidy = dice.random() < 0.3

    def gap(self) -> str:
        choices = ["", "", " ", "\t ", self.newline, self.newline + "   ", self.newline + "\t"]
        if self.jsonc:
            choices += [
                "/*,]*/",
                " /* é // */ ",
                f" // x, ]{self.newline}",
                f"// y \t{self.newline}",
            ]
            choices += [f"/* a{self.newline}b */"]
        return "".join(self.dice.choices(choices, k=self.dice.randrange(3)))

    def text(self, value: object) -> str:
        if self.tidy and not self.jsonc:
            indent = self.dice.choice([2, 4, "\t", None])
            return json.dumps(value, indent=indent).replace("\n", self.newline)
        if isinstance(value, dict):
            items = [
                f"{json.dumps(key)}{self.gap()}:{self.gap()}{self.text(item)}"
                for key, item in value.items()
            ]
            return self.bracketed("{", items, "}")
        if isinstance(value, list):
            return self.bracketed("[", [self.text(item) for item in value], "]")
        return json.dumps(value, ensure_ascii=self.dice.random() < 0.5)

    def bracketed(self, opening: str, items: list[str], closing: str) -> str:
        spaced = [f"{self.gap()}{item}{self.gap()}" for item in items]
        last = "," if items and self.jsonc and self.dice.random() < 0.3 else ""
        return f"{opening}{','.join(spaced)}{last}{self.gap()}{closing}"


@st.composite
def files(draw: st.DrawFn, jsonc: bool) -> bytes:
    writer = Writer(draw(DICE), jsonc, draw(NEWLINES))
    text = writer.gap() + writer.text(draw(FILES)) + writer.gap()
    mark = b"\xef\xbb\xbf" if draw(st.booleans()) else b""
    return mark + text.encode("utf-8", "backslashreplace")


BLANK = st.sampled_from([None, b"", b"\n", b" \r\n\t", b"\xef\xbb\xbf", b"\xef\xbb\xbf\n"])
ANY_FILE = (
    st.tuples(BLANK, st.sampled_from([STRICT, JSONC]))
    | st.tuples(files(jsonc=False), st.just(STRICT))
    | st.tuples(files(jsonc=True), st.just(JSONC))
)


@given(ANY_FILE)
def test_removing_gives_back_the_bytes_from_before(file: tuple[bytes | None, Place]) -> None:
    text, place = file
    assert remove_hooks(add_hooks(text, ENTRIES, place), place) == text


@given(ANY_FILE)
def test_adding_twice_is_adding_once(file: tuple[bytes | None, Place]) -> None:
    text, place = file
    once = add_hooks(text, ENTRIES, place)
    assert add_hooks(once, ENTRIES, place) == once


@given(ANY_FILE)
def test_adding_only_puts_bytes_in(file: tuple[bytes | None, Place]) -> None:
    text, place = file
    added = add_hooks(text, ENTRIES, place)
    assert within(text or b"", added)
    events = {one.event: one for one in hook_entries(added, place)}
    assert events == {one.event: one for one in ENTRIES}


@given(ANY_FILE)
def test_an_update_leaves_nothing_of_the_older_entries(file: tuple[bytes | None, Place]) -> None:
    text, place = file
    updated = add_hooks(add_hooks(text, OLDER, place), ENTRIES, place)
    assert sorted(one.event for one in hook_entries(updated, place)) == sorted(
        one.event for one in ENTRIES
    )
    assert b"/opt/py" not in updated
    assert remove_hooks(updated, place) == text


@given(files(jsonc=False), st.sampled_from([None, 1, 4, "\t"]))
def test_after_somebody_reformatted_the_file_only_ours_goes(
    text: bytes, indent: int | str | None
) -> None:
    def reformatted(text: bytes) -> bytes:
        return json.dumps(json.loads(text.decode("utf-8-sig")), indent=indent).encode()

    left = remove_hooks(reformatted(add_hooks(text, ENTRIES, STRICT)), STRICT)
    expected = json.loads(text.decode("utf-8-sig"))
    value = json.loads(left or b"{}")
    hooks = {key: groups for key, groups in expected.get("hooks", {}).items() if groups}
    assert {key: groups for key, groups in value.pop("hooks", {}).items() if groups} == hooks
    expected.pop("hooks", None)
    assert list(value.items()) == list(expected.items())


@given(files(jsonc=True), DICE)
def test_wherever_ours_are_moved_the_rest_stays_when_they_go(
    text: bytes, dice: random.Random
) -> None:
    def shuffled(value: object) -> object:
        if isinstance(value, list):
            return dice.sample(value, len(value))
        return value

    value = json.loads(plain(add_hooks(text, ENTRIES, JSONC)))
    value["hooks"] = {event: shuffled(groups) for event, groups in value["hooks"].items()}
    foreign = {
        event: [group for group in groups if MARK not in json.dumps(group)]
        for event, groups in value["hooks"].items()
    }
    moved = Writer(dice, True, "\n").text(value).encode("utf-8", "backslashreplace")
    left = json.loads(plain(remove_hooks(moved, JSONC)))
    hooks = left.pop("hooks", {})
    assert {k: v for k, v in hooks.items() if v} == {k: v for k, v in foreign.items() if v}
    value.pop("hooks")
    assert left == value


# --- layout --------------------------------------------------------------------------------


@pytest.mark.parametrize("indent", [2, 4, "\t"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_ours_is_written_in_the_style_of_the_file(indent: int | str, newline: str) -> None:
    foreign = {"hooks": [{"type": "command", "command": "echo é"}]}
    value: dict[str, dict[str, object]] = {"hooks": {"Stop": [foreign]}}
    before = json.dumps(value, indent=indent, ensure_ascii=False).replace("\n", newline)
    value["hooks"].update(Stop=[foreign, entry("Stop").group], Start=[entry("Start").group])
    after = json.dumps(value, indent=indent, ensure_ascii=False).replace("\n", newline)
    added = add_hooks(before.encode(), [entry("Stop"), entry("Start")], STRICT)
    assert added.decode() == after


def test_a_new_file_is_plain_two_space_json_with_a_last_newline() -> None:
    added = add_hooks(None, [entry("Stop")], STRICT)
    value = {"hooks": {"Stop": [entry("Stop").group]}}
    assert added.decode() == json.dumps(value, indent=2) + "\n"


def test_a_file_on_one_line_stays_on_one_line() -> None:
    added = add_hooks(b'{"a":1,"hooks":{"Stop":[]}}\n', [entry("Stop"), entry("Start")], STRICT)
    assert added.count(b"\n") == 1


def test_brackets_that_share_a_line_go_on_sharing_it() -> None:
    text = b'{\n  "hooks": {"Stop": [{\n    "hooks": []\n  }]}\n}\n'
    added = add_hooks(text, [Entry("Stop", {"hooks": [{"command": MARK}]})], STRICT)
    ours = (
        b'{\n    "hooks": [\n      {\n        "command": "%s"\n      }\n    ]\n  }' % MARK.encode()
    )
    assert added == text.replace(b"}]}", b"}, " + ours + b"]}")


def test_our_group_goes_after_comments_that_belong_to_others() -> None:
    text = data("comments.jsonc")
    added = add_hooks(text, [entry("SessionStart")], JSONC)
    for line in text.splitlines():
        assert line in added.splitlines()
    assert remove_hooks(added, JSONC) == text


# --- whose is it ---------------------------------------------------------------------------


def test_foreign_hooks_unknown_keys_and_odd_shapes_stay() -> None:
    text = data("foreign_hooks.json")
    added = add_hooks(text, ENTRIES, STRICT)
    assert within(text, added)
    assert hook_entries(text, STRICT) == ()
    assert sorted(hook_entries(added, STRICT), key=str) == sorted(ENTRIES, key=str)
    value = json.loads(added)
    assert list(value) == ["$schema", "model", "permissions", "hooks", "zz_unknown"]
    assert value["hooks"]["FutureEvent"] == {"shape": "object not array"}
    assert value["hooks"]["SessionStart"][-1] == ENTRIES[0].group
    assert remove_hooks(added, STRICT) == text


def test_an_older_entry_is_replaced_where_it_stands_and_a_look_alike_stays() -> None:
    old = b"/old/place/.handoff/engine hook end"
    text = data("older_release.json").replace(b"OUR_V1_COMMAND_AT_OLD_PATH", old)
    once = add_hooks(text, [entry("SessionEnd")], STRICT)
    groups = json.loads(once)["hooks"]["SessionEnd"]
    assert groups[0] == entry("SessionEnd").group
    assert groups[1] == json.loads(text)["hooks"]["SessionEnd"][1]
    assert len(groups) == 2
    assert add_hooks(once, [entry("SessionEnd")], STRICT) == once


def test_several_of_ours_become_one_and_events_no_longer_wanted_are_cleared() -> None:
    ours, other = entry("Stop").group, {"hooks": [{"type": "command", "command": "true"}]}
    value = {"hooks": {"Stop": [ours, other, ours], "Gone": [ours]}, "z": 0}
    added = add_hooks(json.dumps(value, indent=2).encode(), [entry("Stop")], STRICT)
    assert json.loads(added)["hooks"]["Stop"] == [ours, other]
    assert [one.event for one in hook_entries(added, STRICT)] == ["Stop"]


def test_of_a_group_shared_with_others_only_our_handler_goes() -> None:
    theirs = {"type": "command", "command": "theirs"}
    group = json.loads(json.dumps(entry("Stop").group))
    group["hooks"].append(theirs)
    text = json.dumps({"hooks": {"Stop": [group]}}).encode()
    assert hook_entries(text, STRICT) == (entry("Stop"),)
    assert add_hooks(text, [entry("Stop")], STRICT) == text
    left = {"hooks": {"Stop": [{"matcher": "*", "hooks": [theirs]}]}}
    assert json.loads(remove_hooks(text, STRICT) or b"") == left
    newer = add_hooks(text, [entry("Stop", timeout=99)], STRICT)
    groups = json.loads(newer)["hooks"]["Stop"]
    assert groups == [*left["hooks"]["Stop"], entry("Stop", timeout=99).group]


def test_two_groups_for_one_event_are_kept_apart() -> None:
    pair = [Entry("Pre", {**entry("Pre").group, "matcher": word}) for word in ("Edit", "Bash")]
    added = add_hooks(b"{}", pair, STRICT)
    assert hook_entries(added, STRICT) == tuple(pair)
    assert hook_entries(add_hooks(added, pair[1:], STRICT), STRICT) == (pair[1],)
    assert remove_hooks(added, STRICT) == b"{}"


def test_a_command_spelled_with_escapes_is_still_ours() -> None:
    text = rb'{"hooks": {"Stop": [{"hooks": [{"command": "x \u002ehandoff\/engine hook"}]}]}}'
    assert remove_hooks(text, STRICT) == b'{"hooks": {"Stop": []}}'


def test_the_mark_outside_a_command_makes_nothing_ours() -> None:
    text = json.dumps({"hooks": {"Stop": [{"note": MARK, "hooks": [{"prompt": MARK}]}]}}).encode()
    assert hook_entries(text, STRICT) == ()
    assert remove_hooks(text, STRICT) == text


def test_a_comment_that_somebody_put_into_our_container_outlives_it() -> None:
    added = add_hooks(None, [entry("Stop")], JSONC).replace(b"[", b"[ // mine", 1)
    assert b"// mine" in (remove_hooks(added, JSONC) or b"")
    above = b"// mine\n" + add_hooks(None, [entry("Stop")], JSONC)
    assert remove_hooks(above, JSONC) == b"// mine\n{}\n"


# --- other shapes of file ------------------------------------------------------------------


@pytest.mark.parametrize(
    "text", [None, b"", b"{}\n", b'{"version": 1}\n', b'{\n  "version": 1\n}\n']
)
def test_flat_entries_and_the_members_a_new_file_needs(text: bytes | None) -> None:
    place = Place("hooks.json", MARK, fresh={"version": 1})
    flat = Entry("stop", {"command": f"python3 {MARK} stop", "timeout": 5})
    added = add_hooks(text, [flat], place)
    assert hook_entries(added, place) == (flat,)
    assert remove_hooks(added, place) == text
    if not text:
        assert json.loads(added)["version"] == 1


@pytest.mark.parametrize("under", [(), ("a",), ("a", "b")])
@pytest.mark.parametrize("text", [None, b"{}", b'{"a": {}}', b'{"a": {"b": {"Stop": [ ]}}}'])
def test_events_may_stand_under_any_keys(text: bytes | None, under: tuple[str, ...]) -> None:
    place = Place("hooks.json", MARK, under=under)
    added = add_hooks(text, [entry("Stop")], place)
    value = json.loads(added)
    for key in under:
        value = value[key]
    assert value["Stop"] == [entry("Stop").group]
    assert remove_hooks(added, place) == text


# --- refusals ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (data("cut_off.json"), "not valid JSON"),
        (data("array_root.json"), "the top on line 1 of `settings.json` is not an object"),
        (data("duplicate_event.json"), "`PreCompact` stands there a second time on line 4"),
        (data("comments.jsonc"), "comment or trailing comma on line 1"),
        (b'{"hooks": {}, "hooks": {}}', "`hooks` stands there a second time on line 1"),
        (b'{\n"hooks": []}', "`hooks` on line 2 of `settings.json` is not an object"),
        (b'{"hooks": null}', "is not an object"),
        (b'{"hooks": {\n"PreCompact": {}}}', "`PreCompact` on line 2 of `settings.json` is not an"),
    ],
)
def test_a_shape_that_we_do_not_understand_is_refused(text: bytes, words: str) -> None:
    with pytest.raises(HandoffError) as caught:
        add_hooks(text, [entry("PreCompact")], STRICT)
    assert words in str(caught.value)
    assert "left untouched" in caught.value.hint


def test_odd_shapes_off_our_path_are_not_our_business() -> None:
    text = data("duplicate_event.json")
    added = add_hooks(text, [entry("Stop")], STRICT)
    assert b"first" in added
    assert b"second" in added
    assert remove_hooks(added, STRICT) == text


@pytest.mark.parametrize("text", [b"[]", b'{"hooks": 1}', b'{"hooks": {"a": {}}}', b"null", b""])
def test_where_nothing_is_ours_there_is_nothing_to_remove(text: bytes) -> None:
    assert remove_hooks(text, STRICT) == text


def test_a_byte_order_mark_stays_first() -> None:
    added = add_hooks(data("byte_order_mark.json"), ENTRIES, STRICT)
    assert added.startswith(b'\xef\xbb\xbf{"model":"opus"')
    assert remove_hooks(added, STRICT) == data("byte_order_mark.json")


def test_an_entry_that_could_not_be_found_again_is_our_own_mistake() -> None:
    with pytest.raises(ValueError, match="recognised"):
        add_hooks(None, [Entry("Stop", {"hooks": [{"command": "elsewhere"}]})], STRICT)


# --- the disk ------------------------------------------------------------------------------


def test_a_link_and_the_mode_of_its_target_are_kept(tmp_path: Path) -> None:
    real, link = tmp_path / "dotfiles" / "s.json", tmp_path / "repo" / "s.json"
    real.parent.mkdir()
    link.parent.mkdir()
    real.write_bytes(b"{}\n")
    real.chmod(0o640)
    link.symlink_to(Path("../dotfiles/s.json"))
    assert settings_files.write(link, b"[]")
    assert link.is_symlink()
    assert (real.read_bytes(), real.stat().st_mode & 0o777) == (b"[]", 0o640)
    assert [path.name for path in real.parent.iterdir()] == ["s.json"]
    assert not settings_files.write(link, b"[]")


def test_a_link_to_nothing_leads_to_the_new_file(tmp_path: Path) -> None:
    link = tmp_path / "s.json"
    link.symlink_to("absent/s.json")
    assert settings_files.read(link) is None
    assert settings_files.write(link, b"{}")
    assert (tmp_path / "absent" / "s.json").read_bytes() == b"{}"
    assert settings_files.write(link, None)
    assert link.is_symlink()
    assert not link.exists()


@pytest.mark.parametrize("act", [settings_files.read, lambda path: settings_files.write(path, b"")])
def test_what_cannot_be_read_is_told(tmp_path: Path, act: Callable[[Path], object]) -> None:
    with pytest.raises(HandoffError, match="cannot read"):
        act(tmp_path)
