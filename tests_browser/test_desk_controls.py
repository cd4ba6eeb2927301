"""What only a browser does at the desk: groups by keys and by dragging, a cell asked why, other releases slid over."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect
from tests_browser.desk_hands import COMMAND, Hand, come_in, find_case, look_over, open_page, start_desk, write_made_up

GROUP = ".group[data-group='{}']"
LANGUAGES = ("en", "ja")


def test_groups_are_made_by_keys_and_by_dragging_and_taken_away(browser: Browser, tmp_path: Path) -> None:
    data = write_made_up(tmp_path, "people.csv")["people.csv"]
    page, complaints = open_page(browser)
    with start_desk(tmp_path / "desk", data) as desk:
        at = come_in(page, desk)
        Hand(page=page).wait_for("file")
        address = f"{at}/cases/{find_case(page)}/trees"
        page.goto(f"{address}?column=occupation&hand=1")
        page.locator("li[data-value=cook] input").focus()
        page.keyboard.press("Space")
        page.keyboard.press("Shift+ArrowDown")  # the next one, too
        page.keyboard.press("n")
        expect(page.locator("[data-new-group]")).to_be_focused()
        page.keyboard.type("hands")
        page.keyboard.press("Enter")
        group = page.locator(GROUP.format("hands"))
        expect(group.locator("li")).to_have_count(2)
        expect(page.locator(".saved")).to_contain_text("version 2")
        page.locator("li[data-value=teacher]").drag_to(group)
        expect(group.locator("li")).to_have_count(3)
        expect(page.locator(".saved")).to_contain_text("version 3")
        expect(page.locator("table.by-step tbody tr")).to_have_count(3)  # values, groups, all
        look_over(page)
        page.keyboard.press("Control+z")
        expect(group.locator("li")).to_have_count(2)
        page.keyboard.press("Control+Shift+z")
        expect(group.locator("li")).to_have_count(3)
        with page.expect_download() as download:
            page.locator("a[href*='/trees/file']").click()
        download.value.save_as(tmp_path / "occupation.csv")
        line = [COMMAND, "tree", "check", "occupation.csv", "--data", "people.csv", "--column", "occupation"]
        subprocess.run(line, cwd=tmp_path, check=True, capture_output=True)
        lines = (tmp_path / "occupation.csv").read_text().splitlines()
        assert "teacher;hands;*" in lines
        assert sum(";hands;" in each for each in lines) == 3
    assert complaints == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_hidden_cell_says_why_and_wishes_are_heard(browser: Browser, tmp_path: Path, language: str) -> None:
    data = write_made_up(tmp_path, "firms.csv")["firms.csv"]
    page, complaints = open_page(browser)
    with start_desk(tmp_path / "desk", data, "--language", language) as desk:
        come_in(page, desk)
        hand = Hand(page=page)
        hand.wait_for("file")
        if not page.locator("#shape-table").is_checked():
            hand.click("label[for=shape-table]")
            expect(page.locator(".saved")).to_contain_text(re.compile("version 2|第2版"))
        hand.go_on()
        hand.wait_for("table")
        hand.go_on()
        hand.wait_for_run()
        hidden = page.locator("table[data-grid] td.s a[data-cell]").first
        page.locator("table[data-grid] a[data-cell]").first.focus()
        page.keyboard.press("End")
        page.keyboard.press("ArrowDown")
        expect(page.locator("table[data-grid] [data-cell][tabindex='0']")).to_have_count(1)  # one stop of the tab key
        name = hidden.get_attribute("href")
        assert name is not None
        hidden.click()
        expect(page.locator("#why")).to_contain_text(re.compile("It protects|守る"))
        look_over(page)
        page.locator("#why button[value=show]").click()
        expect(page.locator(".saved")).to_contain_text(re.compile("version 3|第3版"))
        hand.go_on()
        hand.wait_for_run()
        expect(page.locator(f"table[data-grid] a[href='{name}']").locator("xpath=..")).not_to_have_class(
            re.compile(r"\b[ps]\b")
        )
        expect(page.get_by_role("heading", name=re.compile("What changed since|から変わった"))).to_be_visible()
        look_over(page)
    assert complaints == []


def test_one_release_is_compared_with_others_and_arrows_go_from_one_to_the_next(
    browser: Browser, tmp_path: Path
) -> None:
    data = write_made_up(tmp_path, "people.csv")["people.csv"]
    page, complaints = open_page(browser)
    with start_desk(tmp_path / "desk", data) as desk:
        at = come_in(page, desk)
        hand = Hand(page=page)
        hand.wait_for("file")
        page.goto(f"{at}/cases/{find_case(page)}/run")
        hand.go_on()
        hand.wait_for_run()
        expect(page.locator("[name=candidate]")).to_have_count(1)
        page.get_by_role("button", name="Compare it with k up to 20").click()
        expect(page.locator(".saved")).to_contain_text("version 2")
        hand.go_on()
        hand.wait_for_run()
        count = page.locator("[name=candidate]").count()
        assert count > 5
        expect(page.locator("#front svg a")).to_have_count(count)  # every point is a link
        page.locator("[name=candidate]").first.focus()
        page.keyboard.press("ArrowRight")
        second = page.locator("label[for=candidate-1]").inner_text().splitlines()[0]  # what differs: k = 6
        expect(page.locator("#candidate h2")).to_contain_text(second)
        runs = desk.folder / "cases" / find_case(page) / "runs"
        assert len(list(runs.glob("*/order.json"))) == 2  # sliding makes nothing anew
        look_over(page)
        page.locator("#front svg a").last.click()
        expect(page.locator("#candidate h2")).not_to_contain_text(second)
    assert complaints == []
