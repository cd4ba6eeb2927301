"""The desk in a browser: in through a file that only its owner reads, to the page of a file, in both languages."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect
from tests_browser.desk_hands import (
    COMMAND,
    PATIENCE,
    RUN_PATIENCE,
    check_page,
    come_in,
    find_case,
    open_page,
    start_desk,
)

MOST_CLICKS = 7
FILE_PAGE = re.compile(r"^http://127\.0\.0\.1:\d+/s/[\w-]{22}/cases/[\w-]+/file")
PEOPLE = "name,sex,age,city,ill\n" + "".join(
    f"person{row},{'fm'[row % 2]},{20 + row % 50},{'abcd'[row % 4]},{'yn'[row % 3 == 0]}\n" for row in range(300)
)
RAGGED = "a,b,c\n1,2,3\n" + "1,2\n" * 40 + "1,2,3,4,5\n" * 30


@pytest.fixture
def people(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    path.write_text(PEOPLE)
    return path


@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_named_file_leads_to_its_page_and_the_button_ends_the_desk(
    browser: Browser, tmp_path: Path, people: Path, language: str
) -> None:
    page, complaints = open_page(browser)
    with start_desk(tmp_path / "desk", people, "--language", language) as desk:
        at = come_in(page, desk)
        expect(page).to_have_url(FILE_PAGE)
        expect(page.locator("html")).to_have_attribute("lang", language)
        expect(page.locator("header .file")).to_have_text("people.csv")
        page.goto(desk.page.as_uri())  # a second time it leads nowhere
        expect(page.locator("pre")).to_have_text("sekisho desk")
        page.goto(f"{at}/")
        expect(page.locator(".task")).to_contain_text("people.csv")
        page.locator("footer button").click()
        assert desk.process.wait(PATIENCE / 1000) == 0
    assert [told for told in complaints if "403" not in told] == []  # the second time is refused


@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_dropped_file_and_a_faulty_one(browser: Browser, tmp_path: Path, people: Path, language: str) -> None:
    ragged = tmp_path / "ragged.csv"
    ragged.write_text(RAGGED)
    page, complaints = open_page(browser)
    with start_desk(tmp_path / "desk", "--language", language) as desk:
        at = come_in(page, desk)
        page.locator("input[type=file]").set_input_files(people)  # by the script: no button is pressed
        expect(page).to_have_url(FILE_PAGE)
        case = find_case(page)
        page.goto(f"{at}/")
        page.locator("input[type=file]").set_input_files(ragged)
        expect(page.locator("[role=alert]")).to_be_visible()
        faulty = page.url
        for address in (f"{at}/", f"{at}/cases/{case}/versions?old=1&new=1", f"{at}/cases/{case}/take/case", faulty):
            check_page(page, address)
    assert [told for told in complaints if "422" not in told] == []  # the faulty one is refused


@pytest.mark.parametrize("language", ["en", "ja"])
def test_from_a_file_to_public_without_a_terminal(browser: Browser, tmp_path: Path, language: str) -> None:
    page, complaints = open_page(browser)
    with start_desk(tmp_path / "desk", "--language", language) as desk:
        at, clicks = come_in(page, desk), 0
        page.locator("aside form[action$='/try/people'] button").click()
        for step in ("file", "risk", "trees", "run"):
            page.wait_for_url(re.compile(rf"/cases/[\w-]+/{step}\b"))
            page.locator(".bar a, .bar button").last.click()  # the next step is always a button; of the last it is Run
            clicks += 1
        case = find_case(page)
        page.locator(".bar a[href$='/decide']").click(timeout=RUN_PATIENCE)
        page.wait_for_url(re.compile("/decide"))
        public = tmp_path / "desk" / "cases" / case / "public"
        assert not list(public.iterdir())  # looking releases nothing
        page.locator(".bar button, main button").last.click()
        clicks += 2
        expect(page.locator("main")).to_contain_text("public/")
        assert {path.name for path in public.iterdir()} >= {"release.csv", "certificate.json"}
        page.goto(f"{at}/")
        expect(page.locator(".badge.good")).to_have_count(1)
        recipe = page.request.get(f"{at}/cases/{case}/take/recipe", headers={"Sec-Fetch-Site": "none"})
        (tmp_path / "recipe.zip").write_bytes(recipe.body())
    folder = tmp_path / "again"
    shutil.unpack_archive(tmp_path / "recipe.zip", folder)
    shutil.copy(next((tmp_path / "desk" / "cases" / case / "incoming").iterdir()), folder)
    subprocess.run([COMMAND, "gate", "recipe.toml", "--out", "out"], cwd=folder, check=True, capture_output=True)
    assert (folder / "out" / "public" / "release.csv").read_bytes() == (public / "release.csv").read_bytes()
    assert clicks <= MOST_CLICKS
    assert complaints == []


def test_without_script_a_form_brings_a_file(browser: Browser, tmp_path: Path, people: Path) -> None:
    page, complaints = open_page(browser, script=False)
    with start_desk(tmp_path / "desk") as desk:
        come_in(page, desk)  # the file's own script does not run either
        page.locator("input[type=file]").set_input_files(people)
        page.locator("form.drop button").click()
        expect(page).to_have_url(FILE_PAGE)
    assert complaints == []
