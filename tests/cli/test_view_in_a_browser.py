"""The page of `handoff view` in headless Chromium, as a reader uses it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timezone
from pathlib import Path
from typing import Any

import pytest

from handoff_cli import page as pages
from handoff_cli.pages import timeline
from tests.cli import browser, timelines
from tests.cli.browser import Page
from tests.cli.test_view import saved, serving

SHOWN = """[...document.querySelectorAll('.e, .packet')].filter(
    (el) => el.checkVisibility()).map((el) => el.id)"""
FAILED = """[...document.querySelectorAll('[data-kind=failed]')].map((el) => el.id)"""
BAR = "document.querySelector('.bar')"
PAINTED = "CSS.highlights.get('found').size"
COLOURS = """[...document.querySelectorAll('.agent, .quiet, .exit, .later, .model')].map((el) => {
    const ground = (one) => getComputedStyle(one).backgroundColor;
    let on = el;
    while (on.parentElement && !ground(on).startsWith('rgb(')) on = on.parentElement;
    return [el.className, getComputedStyle(el).color, ground(on)];
})"""
WIDE = """[...document.querySelectorAll('main *')].filter((el) => el.checkVisibility()
    && !el.closest('pre') && el.getBoundingClientRect().right > 361).map((el) => el.outerHTML)"""
FRAME = """(async () => {
    const began = performance.now();
    %s;
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    return (performance.now() - began) / 1000;
})()"""


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    with browser.started(tmp_path_factory.mktemp("profile")) as page:
        yield page


@pytest.fixture
def tab(chromium: Page) -> Page:
    chromium.size(1200, 900)
    chromium.prefer("light")
    return chromium


def load(tab: Page, folder: Path, value: Any) -> float:
    """Load the page of a timeline; return how many seconds the browser took."""
    path = folder / "page.html"
    path.write_text(pages.html(timeline.parse(value), timezone.utc), encoding="utf-8")
    return tab.goto(path.as_uri())


def is_clean(tab: Page) -> bool:
    """Nothing but the file was asked for, nothing was complained about."""
    assert tab.complaints == []
    outside = [url for url in tab.requested[1:] if not url.startswith("data:image/svg+xml")]
    assert outside == []
    return True


def test_filters_hide_what_they_name_and_say_how_much_is_left(tab: Page, tmp_path: Path) -> None:
    load(tab, tmp_path, timelines.conversation())
    everything = tab.run(SHOWN)
    for kind in ("prompt", "reply", "command", "packet"):
        tab.click(f"input[name=kind][value={kind}]")
    assert tab.run(SHOWN) == tab.run(FAILED)
    assert tab.run("document.getElementById('hits').textContent") == f"6 of {len(everything)}"
    tab.click("input[name=agent][value='0']")
    assert len(tab.run(SHOWN)) == 3
    tab.click("#all")
    assert tab.run(SHOWN) == everything
    assert is_clean(tab)


def test_a_search_is_typed_walked_through_and_cleared_by_keys(tab: Page, tmp_path: Path) -> None:
    load(tab, tmp_path, timelines.conversation())
    everything = tab.run(SHOWN)
    tab.press("/")
    tab.type("NEED annotation")
    tab.until("document.getElementById('hits').textContent.startsWith('1 of')")
    (found,) = tab.run(SHOWN)
    assert tab.run(f"document.querySelector('#{found} .in-output') !== null")
    tab.press("Enter")
    assert tab.run(f"document.querySelector('#{found} details').open")
    tab.until(f"{PAINTED} === 2")
    tab.press("Escape")
    assert tab.run(SHOWN) == everything
    assert tab.run(PAINTED) == 0
    tab.press("/")
    tab.type("no such thing anywhere")
    tab.until("document.getElementById('none').checkVisibility()")
    assert is_clean(tab)


def test_j_and_k_walk_from_turn_to_turn(tab: Page, tmp_path: Path) -> None:
    load(tab, tmp_path, timelines.conversation())
    seen = []
    for key in "jjjjk":
        tab.press(key)
        seen.append(tab.run("document.activeElement.id"))
    assert seen == ["t1", "t2", "p1", "t3", "p1"]
    top, bar = (f"{one}.getBoundingClientRect()" for one in ("document.activeElement", BAR))
    tab.until(f"{top}.top >= {bar}.bottom")  # it scrolls there
    tab.click("#keys")
    tab.until("document.activeElement.id === 'keys'")
    tab.press("j")
    assert tab.run("document.activeElement.id") == "keys"


def test_a_failure_leads_to_its_pass_also_where_that_is_filtered_out(
    tab: Page, tmp_path: Path
) -> None:
    load(tab, tmp_path, timelines.conversation())
    tab.click("input[name=kind][value=command]")
    failed = tab.run(FAILED)[0]
    assert (
        tab.run(f"document.querySelector('#{failed} .later').textContent")
        == "passed later at 09:15"
    )
    tab.click(f"#{failed} .later a")
    target = tab.until("document.querySelector(':target').id")
    text = tab.run(f"document.getElementById('{target}').textContent")
    assert text.startswith("09:15python -m pytest -q")
    assert tab.run(f"document.getElementById('{target}').checkVisibility()")
    assert is_clean(tab)


def test_nothing_hostile_runs_loads_or_breaks_the_page(tab: Page, tmp_path: Path) -> None:
    load(tab, tmp_path, timelines.hostile())
    tab.click("input[name=kind][value=reply]")
    tab.run("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    tab.press("/")
    tab.type("<script>")
    tab.until("document.getElementById('hits').textContent.includes(' of ')")
    assert len(tab.run(SHOWN)) > len(timelines.ATTACKS)
    tab.press("Enter")
    tab.press("Escape")
    tab.press("j")
    tab.pdf(tmp_path / "page.pdf")
    assert tab.run("window.__pwned") is None
    assert tab.run("location.protocol") == "file:"
    assert is_clean(tab)


@pytest.mark.parametrize("told", [timelines.conversation, timelines.hostile])
def test_a_phone_needs_no_scrolling_sideways(tab: Page, tmp_path: Path, told: Any) -> None:
    tab.size(360, 740, phone=True)
    load(tab, tmp_path, told())
    tab.run("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    drawn = "one.style.contentVisibility = 'visible'"
    tab.run(f"document.querySelectorAll('.item').forEach((one) => {{ {drawn}; }})")
    assert tab.run("document.documentElement.scrollWidth") == 360
    assert tab.run(WIDE) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_colour_of_text_can_be_read(tab: Page, tmp_path: Path, scheme: str) -> None:
    value = timelines.large(sessions=9, turns=2)
    for number, session in enumerate(value["sessions"]):
        session["runtime"] = f"agent-{number}"
    tab.prefer(scheme)
    load(tab, tmp_path, value)
    found = tab.run(COLOURS)
    hues = {colour for name, colour, _ in found if name == "agent"}
    assert len(hues) == pages.HUES
    for name, colour, ground in found:
        assert contrast(colour, ground) >= 4.5, (name, colour, ground)


def test_the_theme_can_be_changed_and_stays_so(tab: Page, tmp_path: Path) -> None:
    load(tab, tmp_path, timelines.conversation())
    ground = "getComputedStyle(document.documentElement).backgroundColor"
    light = tab.run(ground)
    tab.click("#theme")
    dark = tab.run(ground)
    assert dark != light
    tab.send("Page.reload")
    tab.until("document.readyState === 'complete' && document.documentElement.dataset.theme")
    assert tab.run(ground) == dark


def test_everything_that_takes_the_focus_has_a_name(tab: Page, tmp_path: Path) -> None:
    load(tab, tmp_path, timelines.conversation())
    nodes = tab.send("Accessibility.getFullAXTree")["nodes"]
    unnamed = []
    for node in nodes:
        facts = {one["name"]: one["value"].get("value") for one in node.get("properties", [])}
        role = node.get("role", {}).get("value")
        if facts.get("focusable") and role != "RootWebArea" and not node["name"]["value"].strip():
            unnamed.append((role, node["nodeId"]))
    assert unnamed == []
    roles = {node.get("role", {}).get("value") for node in nodes}
    assert {"main", "search", "contentinfo", "heading", "article", "status"} <= roles


def test_printed_it_has_what_failed_with_its_output_and_no_controls(
    tab: Page, tmp_path: Path
) -> None:
    load(tab, tmp_path, timelines.conversation())
    tab.prefer("dark", media="print")
    printed = "document.querySelector('{} pre').checkVisibility()"
    assert tab.run(printed.format(".failed"))
    assert not tab.run(printed.format(".command"))
    assert not tab.run("document.querySelector('.bar').checkVisibility()")
    assert tab.run("getComputedStyle(document.documentElement).color") == "rgb(29, 33, 37)"


def test_200_sessions_of_50_turns_stay_usable(tab: Page, tmp_path: Path) -> None:
    value = timelines.large()
    assert len(value["entries"]) == 30_000
    seconds = {"load": load(tab, tmp_path, value)}
    click = "document.querySelector('{}').click()"
    seconds["filter"] = tab.run(FRAME % click.format("input[name=kind][value=reply]"))
    search = "const q = document.getElementById('query'); q.value = '137'; "
    enter = "q.dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', bubbles: true}))"
    seconds["search"] = tab.run(FRAME % (search + enter))
    assert tab.run("document.getElementById('hits').textContent").startswith("1 of ")
    seconds["all"] = tab.run(FRAME % click.format("#all"))
    print(json.dumps(seconds))
    assert seconds.pop("load") < 30
    assert max(seconds.values()) < 5
    assert is_clean(tab)


def test_served_it_takes_in_what_is_new_and_keeps_the_reader_s_place(
    tab: Page, tmp_path: Path
) -> None:
    value = timelines.conversation()
    given = saved(tmp_path, value)
    with serving(tmp_path, "--from", str(given)) as address:
        tab.goto(address)
        tab.until("document.getElementById('live').textContent === 'live'")
        tab.run("document.querySelector('#e6 details').open = true")
        tab.press("/")
        tab.type("pytest")
        tab.until("document.getElementById('hits').textContent.includes(' of ')")
        before = len(tab.run(SHOWN))
        again = {"text": "python -m pytest -x", "exit_code": 1}
        value["entries"].append({**value["entries"][5], **again})
        saved(tmp_path, value)
        tab.until("document.body.textContent.includes('python -m pytest -x')")
        tab.until(
            "document.activeElement.id === 'query' && document.activeElement.value === 'pytest'"
        )
        assert len(tab.run(SHOWN)) == before + 1
        assert tab.run("document.querySelector('#e6 details').open")
        assert tab.complaints == []
        assert {url.split("/")[2] for url in tab.requested if not url.startswith("data:")} == {
            address.split("/")[2]
        }
    tab.until("document.getElementById('live').textContent === 'no longer live'")


def contrast(one: str, other: str) -> float:
    """The ratio of two colours, as WCAG defines it."""
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def luminance(colour: str) -> float:
    parts = [int(part) / 255 for part in colour[colour.index("(") + 1 : -1].split(",")[:3]]
    red, green, blue = (
        part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
