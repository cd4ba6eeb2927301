"""The browser, and the pages that it opens."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome")
QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
PAGES = Path(os.environ.get("SEKISHO_PAGES", "tests_browser/out"))


def find_chromium() -> str:
    """Return where a Chromium is: as $SEKISHO_CHROMIUM says, or the first on the path."""
    found = os.environ.get("SEKISHO_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if found is None or not Path(found).exists():
        pytest.exit(f"no Chromium found ({', '.join(NAMES)}): install one, or name it in SEKISHO_CHROMIUM", 2)
    return found


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Start the browser once."""
    with sync_playwright() as play:
        started = play.chromium.launch(executable_path=find_chromium(), args=list(QUIET))
        yield started
        started.close()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Give every test of a page every page."""
    if "page_file" in metafunc.fixturenames:
        files = sorted(PAGES.glob("*.html"))
        if not files:
            pytest.exit(f"no pages in {PAGES}: make them with tests_browser/make_pages.py", 2)
        metafunc.parametrize("page_file", files, ids=[file.stem for file in files])
