"""Every page can be read by everybody: axe finds nothing serious, nothing is cut off, and keys reach the languages."""

from __future__ import annotations

from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

PHONE, DESKTOP = {"width": 390, "height": 844}, {"width": 1100, "height": 900}
GRAVE = ("serious", "critical")
OPEN_FOLDS = "for (const fold of document.querySelectorAll('details')) fold.open = true"
WIDTH = "document.documentElement.scrollWidth"
CUT_OFF = """() => [...document.querySelectorAll('main *')].filter(each => {
    const box = each.getBoundingClientRect();
    return box.width > 0 && box.right > document.documentElement.clientWidth + 1 && !each.closest('.scroll');
}).map(each => each.outerHTML.slice(0, 80))"""

WIDE_TABLES = """() => [...document.querySelectorAll('table')]
    .map(table => table.getBoundingClientRect().right).filter(right => right > 674)"""


def open_page(browser: Browser, file: Path, *, size: dict[str, int], scheme: str, language: str) -> Page:
    """Return a page in one language, with all folds open."""
    page = browser.new_context(viewport=size, color_scheme=scheme).new_page()
    page.goto(file.absolute().as_uri())
    page.evaluate(f"document.getElementById('in-{language}').checked = true")
    page.evaluate(OPEN_FOLDS)
    return page


def test_there_are_pages_of_every_story() -> None:
    names = {page.stem for page in (Path(__file__).parent / "out").glob("*.html")}
    stories = ("compare", "gate", "demo", "keyed", "plan-release", "plan-survival", "protect", "risk", "study", "table")
    assert [story for story in stories if not any(name.startswith(story) for name in names)] == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_nothing_grave_is_found_in_either_language(
    browser: Browser, page_file: Path, size: dict[str, int], scheme: str
) -> None:
    page = open_page(browser, page_file, size=size, scheme=scheme, language="en")
    try:
        for language in ("en", "ja"):
            page.evaluate(f"document.getElementById('in-{language}').checked = true")
            report = Axe().run(page, options={"resultTypes": ["violations"]})
            grave = {
                each["id"]: [node["html"][:200] for node in each["nodes"][:3]]
                for each in report.response["violations"]
                if each["impact"] in GRAVE
            }
            assert (language, grave) == (language, {})
            assert page.evaluate(WIDTH) <= size["width"]
            assert page.evaluate(CUT_OFF) == []
    finally:
        page.context.close()


def test_the_languages_are_reached_and_chosen_by_keys(browser: Browser, page_file: Path) -> None:
    page = open_page(browser, page_file, size=DESKTOP, scheme="light", language="en")
    try:
        seen = page.locator("h1").inner_text()
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.name") == "language"
        page.keyboard.press("ArrowRight")
        assert page.evaluate("document.getElementById('in-ja').checked")
        assert page.locator("main [lang=en]:visible").count() == 0
        assert page.locator("h1").inner_text() != seen or page.locator("h1 [lang]").count() == 0
    finally:
        page.context.close()


@pytest.mark.parametrize("language", ["en", "ja"])
def test_nothing_is_cut_off_on_paper(browser: Browser, page_file: Path, language: str) -> None:
    """An A4 page less its margins is 178 mm, 673 pixels, wide."""
    page = open_page(browser, page_file, size={"width": 673, "height": 950}, scheme="light", language=language)
    try:
        page.emulate_media(media="print")
        assert page.evaluate(WIDTH) <= 673 + 1
        assert page.evaluate(WIDE_TABLES) == []
    finally:
        page.context.close()
