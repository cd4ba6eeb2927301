"""Make the pictures of the desk: ``python -m tests_browser.picture_desk docs/images`` (browser environment)."""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Browser, expect, sync_playwright
from tests_browser.conftest import QUIET, find_chromium
from tests_browser.desk_hands import Hand, come_in, find_case, open_page, start_desk, write_made_up

SIZE = {"width": 1180, "height": 800}


def take_picture(browser: Browser, folder: Path, out: Path, language: str) -> None:
    """Take a picture of how easily made-up people are found."""
    data = write_made_up(folder, "people.csv")["people.csv"]
    page, _ = open_page(browser, SIZE)
    with start_desk(folder / f"desk-{language}", data, "--language", language) as desk:
        at = come_in(page, desk)
        hand = Hand(page=page)
        hand.wait_for("file")
        hand.go_on()
        hand.wait_for("risk")
        page.goto(f"{at}/cases/{find_case(page)}/risk?language={language}")
        expect(page.locator(".keys .track").first).to_be_visible()
        page.screenshot(path=out / f"desk-{language}.png")
    page.context.close()


if __name__ == "__main__":
    with TemporaryDirectory() as place, sync_playwright() as play:
        chromium = play.chromium.launch(executable_path=find_chromium(), args=list(QUIET))
        for each in ("en", "ja"):
            take_picture(chromium, Path(place), Path(sys.argv[1]), each)
        chromium.close()
