"""The desk by keys alone, without script, in two windows, by hasty hands, and by two persons."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from tests_browser.desk_hands import (
    RUN_PATIENCE,
    Hand,
    RunningDesk,
    come_in,
    find_case,
    open_page,
    start_desk,
    write_made_up,
)

PRIMARY = ".bar .actions :is(a, button)"
IS_PRIMARY = f"""() => {{
    const all = document.querySelectorAll('{PRIMARY}');
    return document.activeElement === all[all.length - 1];
}}"""
MOST_TABS = 150
WORDS = "seven wild geese"


def list_public(desk: RunningDesk, case: str) -> list[str]:
    """Return what lies in a case's ``public``."""
    return sorted(path.name for path in (desk.folder / "cases" / case / "public").iterdir())


def list_runs(desk: RunningDesk, case: str) -> list[Path]:
    """Return the runs of a case."""
    return [path for path in (desk.folder / "cases" / case / "runs").iterdir() if (path / "order.json").exists()]


def press_until(page: Page, condition: str) -> None:
    """Press Tab until the focus is where it shall be."""
    for _ in range(MOST_TABS):
        if page.evaluate(condition):
            return
        page.keyboard.press("Tab")
    pytest.fail(f"keys do not reach {condition} on {page.url}")


def reach_run(page: Page, at: str, hand: Hand) -> str:
    """Go from the page of a file straight to the aims; return the case."""
    hand.wait_for("file")
    hand.go_on()
    hand.wait_for("risk")
    case = find_case(page)
    page.goto(f"{at}/cases/{case}/run")
    return case


@pytest.mark.parametrize("language", ["en", "ja"])
def test_keys_alone_reach_release(browser: Browser, tmp_path: Path, language: str) -> None:
    page, complaints = open_page(browser)
    with start_desk(tmp_path / "desk", "--language", language) as desk:
        come_in(page, desk)
        press_until(page, "document.activeElement.closest('form[action$=\"/try/people\"]') !== null")
        page.keyboard.press("Enter")
        hand = Hand(page=page)
        for step in ("file", "risk", "trees", "run"):
            hand.wait_for(step)
            expect(page.locator("h1")).to_be_focused()  # where a page begins to be read
            if step == "file":
                press_until(page, "document.activeElement.matches('.role input')")
                chosen = page.evaluate("document.activeElement.id")
                page.keyboard.press("ArrowRight")  # another role, and back
                expect(page.locator(".saved")).to_contain_text(re.compile("version 2|第2版"))
                page.keyboard.press("Control+z")
                expect(page.locator(f"#{chosen}")).to_be_checked()
            press_until(page, IS_PRIMARY)
            page.keyboard.press("Enter")
        hand.wait_for_run()
        press_until(page, IS_PRIMARY)
        page.keyboard.press("Enter")
        hand.wait_for("decide")
        press_until(page, IS_PRIMARY)
        page.keyboard.press("Enter")
        page.locator(".bar a[href$='/public.zip']").wait_for()
        assert "certificate.json" in list_public(desk, find_case(page))
    assert complaints == []


def test_without_script_from_upload_to_release(browser: Browser, tmp_path: Path) -> None:
    data = write_made_up(tmp_path, "people.csv")["people.csv"]
    page, complaints = open_page(browser, script=False)
    with start_desk(tmp_path / "desk") as desk:
        come_in(page, desk)
        page.locator("input[type=file]").set_input_files(data)
        page.locator("form.drop button").click()
        hand = Hand(page=page)
        wait_and_look_again(page, "/file")
        for step in ("file", "risk", "trees"):
            hand.wait_for(step)
            hand.go_on()
        hand.wait_for("run")
        page.locator("#aim-k").fill("4")
        page.locator("form.aims noscript button, form.aims button").first.click()
        expect(page.locator("#aim-k")).to_have_value("4")
        hand.go_on()
        hand.wait_for_run()  # the page comes again by itself
        hand.go_on()
        hand.wait_for("decide")
        hand.go_on()
        page.locator(".bar a[href$='/public.zip']").wait_for()
        assert "certificate.json" in list_public(desk, find_case(page))
    assert complaints == []


def wait_and_look_again(page: Page, end: str) -> None:
    """Follow "Look again" until a page is there."""
    for _ in range(60):
        if re.search(end, page.url):
            return
        page.wait_for_timeout(500)
        page.get_by_role("link", name="Look again").click()
    pytest.fail(f"{end} does not come: {page.url}")


def test_hasty_hands_and_old_windows_do_no_harm(browser: Browser, tmp_path: Path) -> None:
    data = write_made_up(tmp_path, "people.csv")["people.csv"]
    page, complaints = open_page(browser)
    with start_desk(tmp_path / "desk", data) as desk:
        at = come_in(page, desk)
        hand = Hand(page=page)
        case = reach_run(page, at, hand)
        page.locator(PRIMARY).last.dblclick()  # Run
        hand.wait_for_run()
        assert len(list_runs(desk, case)) == 1
        old = page.context.new_page()
        old.goto(f"{at}/cases/{case}/decide")
        expect(old.locator(PRIMARY).last).to_have_text("Release")
        page.locator("#aim-k").fill("6")
        page.locator("#aim-k").blur()
        expect(page.locator(".saved")).to_contain_text("version 2")
        old.locator(PRIMARY).last.click()
        expect(old.locator("main")).to_contain_text("This tab shows version 1; the newest is 2")
        assert list_public(desk, case) == []  # what an old window releases is not the case any more
        page.locator("[data-undo=undo] button").click()
        expect(page.locator(".saved")).to_contain_text("version 1")
        page.goto(f"{at}/cases/{case}/decide")
        page.locator(PRIMARY).last.dblclick()  # Release
        page.locator(".bar a[href$='/public.zip']").wait_for()
        out = list_public(desk, case)
        assert "certificate.json" in out
        page.go_back()
        page.go_forward()
        page.goto(f"{at}/cases/{case}/run")
        page.go_back()
        expect(page.locator(".bar a[href$='/public.zip']")).to_be_visible()
        assert list_public(desk, case) == out
        assert len(list_runs(desk, case)) == 1
    refused = [told for told in complaints if "409" not in told]  # the old window's refusal
    assert refused == []


def test_two_windows_change_the_same_line(browser: Browser, tmp_path: Path) -> None:
    data = write_made_up(tmp_path, "people.csv")["people.csv"]
    page, complaints = open_page(browser)
    with start_desk(tmp_path / "desk", data) as desk:
        at = come_in(page, desk)
        case = reach_run(page, at, Hand(page=page))
        other = page.context.new_page()
        other.goto(page.url)
        page.locator("#aim-k").fill("6")
        page.locator("#aim-k").blur()
        expect(page.locator(".saved")).to_contain_text("version 2")
        other.locator("#aim-k").fill("7")
        other.locator("#aim-k").blur()
        expect(other.locator("h1")).to_contain_text("another tab")
        expect(other.locator("main")).to_contain_text("6")
        expect(other.locator("main")).to_contain_text("7")
        other.goto(f"{at}/cases/{case}/run")
        expect(other.locator("#aim-k")).to_have_value("6")
    assert complaints == []


def make_key(page: Page, folder: Path, name: str) -> Path:
    """Make a key at the desk, and download it."""
    if not page.locator("#new-pass").is_visible():
        page.locator("details.key summary").click()
    page.locator("#new-pass").fill(WORDS)
    with page.expect_download() as download:
        page.locator("details.key button").click()
    path = folder / name
    download.value.save_as(path)
    return path


def test_two_persons_decide_and_a_double_click_signs_once(browser: Browser, tmp_path: Path) -> None:
    data = write_made_up(tmp_path, "people.csv")["people.csv"]
    page, complaints = open_page(browser)
    with start_desk(tmp_path / "desk", data) as desk:
        at = come_in(page, desk)
        hand = Hand(page=page)
        case = reach_run(page, at, hand)
        page.locator("details:has(.limits) summary").click()
        page.locator(".limits input").first.fill("0.0001")
        page.locator(".limits input").first.blur()
        expect(page.locator(".saved")).to_contain_text("version 2")
        hand.go_on()
        hand.wait_for_run()
        hand.go_on()
        hand.wait_for("decide")
        expect(page.locator(".verdict.big.warn")).to_be_visible()
        first, second = make_key(page, tmp_path, "first.pem"), make_key(page, tmp_path, "second.pem")
        page.reload()
        page.locator("#asker").fill("A. Sample")
        page.locator("#purpose").fill("A made-up study of made-up people")
        page.locator("#asker-key").set_input_files(first)
        page.locator("#asker-pass").fill(WORDS)
        page.get_by_role("button", name="Ask for a decision").click()
        expect(page.locator("#decider")).to_be_visible()
        assert list_public(desk, case) == []
        page.locator("#decider").fill("B. Example")
        page.locator("#decider-key").set_input_files(second)
        page.locator("#decider-pass").fill(WORDS)
        page.locator("#reason").fill("The loss is small enough for what the study asks.")
        page.get_by_role("button", name="Approve and sign").dblclick()
        page.locator(".bar a[href$='/public.zip']").wait_for(timeout=RUN_PATIENCE)
        assert "certificate.json" in list_public(desk, case)
        expect(page.locator(".person .badge.good")).to_have_count(2)
    assert complaints == []
