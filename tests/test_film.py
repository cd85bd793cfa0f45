"""The recorded screens of the guides."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

from tests.real import film

GUIDES = Path(__file__).parents[1] / "docs" / "guides"


def test_each_screen_is_a_frame_and_each_row_is_there_once() -> None:
    cast = [
        {"version": 2, "width": 20, "height": 3},
        [0.5, "o", "\x1b[1;31m<b>&\x1b[0m\r\nsame"],
        [1.5, "o", "\x1b[1;1Hother"],
        [1.52, "o", " words"],
    ]
    picture = film.svg(map(json.dumps, cast))
    root = ElementTree.fromstring(picture)
    texts = ["".join(one.itertext()) for one in root.findall(".//{*}text")]
    assert [text.strip() for text in texts] == ["<b>&", "same", "other words"]
    assert picture.count("%{transform") == 3
    assert picture.count('font-weight="700"') == 1


def test_the_pictures_of_the_guides_need_nothing_from_elsewhere() -> None:
    for file in GUIDES.glob("*.svg"):
        text = file.read_text(encoding="utf-8")
        ElementTree.fromstring(text)
        assert text.replace('xmlns="http://www.w3.org/2000/svg"', "").find("http") < 0
        assert "script" not in text
