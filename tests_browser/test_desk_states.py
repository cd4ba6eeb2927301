"""Every page of the desk in every state: axe finds nothing, nothing is cut off, in both languages, on every screen."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

import pytest
from playwright.sync_api import Browser, Page, expect
from playwright.sync_api import TimeoutError as PlaywrightTimeout
from tests_browser.desk_hands import (
    DESKTOP,
    PHONE,
    ZOOMED,
    Hand,
    RunningDesk,
    check_page,
    come_in,
    find_case,
    look_over,
    open_page,
    start_desk,
    write_made_up,
)

STEPS = ("file", "risk", "trees", "run", "decide")
A4 = {"width": 673, "height": 950}
"""A4 less its margins, in pixels."""


@dataclass(frozen=True, kw_only=True)
class Walked:
    """A desk with cases in several states, and a page that has come in."""

    desk: RunningDesk
    page: Page
    at: str
    cases: dict[str, str]
    complaints: list[str]

    def address(self, case: str, step: str, language: str) -> str:
        """Return the address of a step of a case."""
        joined = "&" if "?" in step else "?"
        return f"{self.at}/cases/{self.cases[case]}/{step}{joined}language={language}"


@pytest.fixture(scope="module")
def walked(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Walked]:
    """Bring four files: one is only looked at, one released, one must not leave, one is a table."""
    folder = tmp_path_factory.mktemp("walked")
    files = write_made_up(folder, "people.csv", "外来.csv", "purchases.csv", "firms.csv")
    page, complaints = open_page(browser)
    cases: dict[str, str] = {}
    with start_desk(folder / "desk", files["people.csv"]) as desk:
        at = come_in(page, desk)
        hand = Hand(page=page)
        hand.wait_for("file")
        cases["new"] = find_case(page)
        for name in ("外来.csv", "firms.csv", "purchases.csv"):
            page.goto(f"{at}/")
            page.locator("input[type=file]").set_input_files(files[name])
            hand.wait_for("file")
            cases[name] = find_case(page)
            if name == "firms.csv":
                page.locator("label[for=shape-table]").click()
                expect(page.locator(".saved")).to_contain_text("version 2")
                hand.go_on()
                hand.wait_for("table")
            else:
                hand.go_on()
                hand.wait_for("risk")
                page.goto(f"{at}/cases/{cases[name]}/run")
            if name == "外来.csv":
                page.locator("input[name=methods][value=microaggregate]").check()
                expect(page.locator(".saved")).to_contain_text("version 2")
            hand.go_on()
            hand.wait_for_run()
        page.goto(f"{at}/cases/{cases['外来.csv']}/decide")
        hand.go_on()
        page.locator(".bar a[href$='/public.zip']").wait_for()
        yield Walked(desk=desk, page=page, at=at, cases=cases, complaints=complaints)


STATES = (
    *(("new", step) for step in STEPS),
    *(("外来.csv", step) for step in (*STEPS, "run?candidate=1&rows=0", "versions?old=1&new=2", "take/case")),
    *(("purchases.csv", step) for step in ("file", "risk", "run", "decide")),
    *(("firms.csv", step) for step in ("file", "table", "decide")),
)


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize(("case", "step"), STATES)
def test_every_page_is_for_everybody(walked: Walked, case: str, step: str, language: str) -> None:
    check_page(walked.page, walked.address(case, step, language))
    expect(walked.page.locator("html")).to_have_attribute("lang", language)


@pytest.mark.parametrize("scheme", ["dark", "forced"])
def test_other_colours(walked: Walked, scheme: str) -> None:
    page = walked.page
    try:
        if scheme == "dark":
            page.emulate_media(color_scheme="dark")
        else:
            page.emulate_media(forced_colors="active")
        for case, step in (*(("外来.csv", step) for step in STEPS), ("firms.csv", "table")):
            check_page(page, walked.address(case, step, "en"), (DESKTOP,))
    finally:
        page.emulate_media(color_scheme="light", forced_colors="none")


def test_at_twice_the_size_nothing_is_lost(walked: Walked) -> None:
    for case, step in (*(("外来.csv", step) for step in STEPS), ("firms.csv", "table"), ("purchases.csv", "risk")):
        check_page(walked.page, walked.address(case, step, "ja"), (ZOOMED,))


@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_sheet_to_sign_is_one_page_of_a4(walked: Walked, language: str) -> None:
    page = walked.page
    for case in ("外来.csv", "firms.csv", "purchases.csv"):
        page.goto(walked.address(case, "sheet", language))
        pages = page.pdf(format="A4", prefer_css_page_size=True).count(b"/Type /Page\n")
        assert pages == 1, (case, pages)
        page.set_viewport_size(A4)
        page.emulate_media(media="print")
        assert page.evaluate("document.documentElement.scrollWidth") <= A4["width"] + 1
        page.emulate_media(media="null")  # "screen" would hold on paper as well
        page.set_viewport_size(DESKTOP)


def test_the_page_of_the_decision_prints_what_was_decided_and_no_controls(walked: Walked) -> None:
    page = walked.page
    page.goto(walked.address("外来.csv", "decide", "en"))
    page.emulate_media(media="print")
    try:
        expect(page.locator(".bar")).to_be_hidden()
        expect(page.locator(".verdict.big")).to_be_visible()
        assert page.pdf(format="A4").count(b"/Type /Page\n") == 1
    finally:
        page.emulate_media(media="null")


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_the_first_page_and_one_primary_button_on_each(walked: Walked, size: dict[str, int]) -> None:
    page = walked.page
    page.set_viewport_size(size)
    page.goto(f"{walked.at}/?language=en")
    look_over(page)
    for case, step in (("new", "file"), ("new", "risk"), ("外来.csv", "run"), ("外来.csv", "decide")):
        page.goto(walked.address(case, step, "en"))
        primary = page.locator(".bar").locator(":is(button, .button):not(.second):not(.quiet)")
        expect(primary).to_have_count(1)
        with suppress(PlaywrightTimeout):
            primary.scroll_into_view_if_needed(timeout=2000)
        expect(primary).to_be_in_viewport()
        current = page.locator(".steps [aria-current=step] .words")
        expect(current).to_be_in_viewport()
    page.set_viewport_size(DESKTOP)


def test_nobody_else_was_asked_and_nothing_complained(walked: Walked) -> None:
    assert walked.complaints == []
