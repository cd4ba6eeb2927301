"""The page of a file in a browser: a click is a version, the page stays where it is, who it is stays masked."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import Browser, expect
from tests_browser.desk_hands import check_page, come_in, open_page, start_desk

FILE_PAGE = re.compile(r"/cases/[^/]+/file")
HEADER = "患者番号,氏名,生年月日,性別,血圧,診断名\r\n"
HOSPITAL = HEADER + "".join(
    f"P{row:04},見本 {'一二三四五六七'[row % 7]}子,"
    f"昭和{30 + row % 33}年{1 + row % 12}月{1 + row % 28}日,{'男女'[row % 2]},"
    f"{'未測定' if row % 11 == 0 else 100 + row % 60},{('喘息', '糖尿病', 'なし')[row % 3]}\r\n"
    for row in range(400)
)


def test_a_click_on_a_role_is_a_version_and_the_page_stays(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "外来.csv"
    path.write_bytes(HOSPITAL.encode("cp932"))
    with start_desk(tmp_path / "state", path) as desk:
        page, foreign = open_page(browser)
        come_in(page, desk)
        page.wait_for_url(FILE_PAGE)
        expect(page.locator(".columns .ask h3")).to_have_text("氏名")
        assert "見本" not in page.content()
        page.evaluate("window.scrollTo(0, 300)")
        chip = page.locator("#role-3-free")
        page.locator("label[for=role-3-free]").click()
        expect(page.locator(".saved")).to_contain_text("version 2")
        expect(chip).to_be_checked()
        expect(chip).to_be_focused()
        assert page.evaluate("window.scrollY") > 100
        page.keyboard.press("ArrowLeft")
        expect(page.locator("#role-3-home")).to_be_checked()
        expect(page.locator(".saved")).to_contain_text("version 3")
        page.locator("#shown").check()
        expect(page.locator("#rows")).to_contain_text("見本")
        page.locator("select[name=header]").select_option("no")
        expect(page.locator("#columns")).to_contain_text("column_1")
        page.locator("[data-undo=undo] button").click()
        expect(page.locator(".columns .ask h3")).to_have_text("氏名")
        assert "見本" not in page.content()
        check_page(page, page.url)
        assert not foreign


def test_without_script_an_apply_button_does_the_same(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "outpatients.csv"
    path.write_bytes(HOSPITAL.encode("cp932"))
    with start_desk(tmp_path / "state", path) as desk:
        page, _ = open_page(browser, script=False)
        page.goto(desk.page.as_uri())
        page.get_by_role("button").first.click()
        page.wait_for_url(FILE_PAGE)
        page.locator("label[for=role-3-free]").click()
        page.locator("button[form=roles]").click()
        expect(page.locator("#role-3-free")).to_be_checked()
        expect(page.locator(".saved")).to_contain_text("version 2")
