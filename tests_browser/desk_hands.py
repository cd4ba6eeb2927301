"""Hands at the desk: start it, come in, click and count, look at what a page is like, and repeat by command."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Locator, Page, expect

PHONE, DESKTOP, ZOOMED = {"width": 390, "height": 844}, {"width": 1280, "height": 900}, {"width": 640, "height": 450}
"""A phone, a desk, and the desk at 200 %."""
COMMAND = str(Path(os.environ.get("SEKISHO_COMMAND", ".venv/bin/sekisho")).absolute())
PYTHON = str(Path(COMMAND).parent / "python")
PATIENCE, RUN_PATIENCE = 180_000, 1_200_000
"""So many milliseconds a page and a run are waited for; others may use the machine, and no timing decides a test."""
WIDTH = "document.documentElement.scrollWidth"
CUT_OFF = """() => [...document.querySelectorAll('header *, main *, aside *')].filter(each => {
    const box = each.getBoundingClientRect();
    return box.width > 1 && box.right > document.documentElement.clientWidth + 1 && !each.closest('.scroll, .sumline');
}).map(each => each.outerHTML.slice(0, 80))"""
ENTRANCE = re.compile(r"http://127\.0\.0\.1:\d+/s/[\w-]{22}")
OUT_OF = ("public", "confidential/proposed")
expect.set_options(timeout=PATIENCE)


@dataclass(frozen=True, kw_only=True)
class RunningDesk:
    """A desk that runs, and the page that leads in once."""

    process: subprocess.Popen[str]
    page: Path
    folder: Path


@contextmanager
def start_desk(folder: Path, *words: object) -> Iterator[RunningDesk]:
    """Start a desk, and end it."""
    line = [COMMAND, "desk", *map(str, words), "--folder", str(folder), "--no-browser", "--json"]
    with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            assert process.stdout is not None
            page = Path(json.loads(process.stdout.readline())["page"])
            yield RunningDesk(process=process, page=page, folder=folder)
        finally:
            process.terminate()


def write_made_up(folder: Path, *names: str) -> dict[str, Path]:
    """Write made-up files by the program's own Python, which has what it takes."""
    script = Path(__file__).with_name("made_up.py")
    subprocess.run([PYTHON, str(script), str(folder), *names], check=True)
    return {name: folder / name for name in names}


def open_page(
    browser: Browser, size: dict[str, int] = DESKTOP, *, script: bool = True, scheme: str = "light"
) -> tuple[Page, list[str]]:
    """Return a page, and what it complains of: requests to others than the desk, errors of script, refusals."""
    context = browser.new_context(
        viewport=size, locale="en-GB", java_script_enabled=script, color_scheme=scheme, accept_downloads=True
    )
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    complaints: list[str] = []
    ours = ("file://", "http://127.0.0.1:", "data:")
    page.on("request", lambda request: None if request.url.startswith(ours) else complaints.append(request.url))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda told: complaints.append(told.text) if told.type == "error" else None)
    return page, complaints


def come_in(page: Page, desk: RunningDesk) -> str:
    """Open the file that leads in; return how all addresses begin."""
    page.goto(desk.page.as_uri())
    if page.get_by_role("button").count() and "file://" in page.url:
        page.get_by_role("button").first.click()  # without script
    page.wait_for_url(re.compile(r"/s/[\w-]{22}/"))
    match = ENTRANCE.match(page.url)
    assert match
    return match[0]


def find_case(page: Page) -> str:
    """Return the name of the case that a page is of."""
    return unquote(page.url.partition("/cases/")[2].partition("/")[0])


@dataclass(kw_only=True)
class Hand:
    """A hand that clicks, and counts its clicks."""

    page: Page
    clicks: int = 0
    way: list[str] = field(default_factory=list)

    def click(self, place: str | Locator, *, timeout: float = PATIENCE) -> None:
        """Click once."""
        (self.page.locator(place) if isinstance(place, str) else place).click(timeout=timeout)
        self.clicks += 1

    def go_on(self, *, timeout: float = PATIENCE) -> None:
        """Click what a page's bar offers as the next step: always its last."""
        self.way.append(self.page.url.partition("?")[0].rpartition("/")[2])
        self.click(self.page.locator(".bar .actions").locator("a, button").last, timeout=timeout)

    def wait_for(self, step: str, *, timeout: float = PATIENCE) -> None:
        """Wait for a step's page."""
        self.page.wait_for_url(re.compile(rf"/cases/[^/]+/{step}\b"), timeout=timeout)

    def wait_for_run(self, *, timeout: float = RUN_PATIENCE) -> None:
        """Wait until a run is over, and its page leads on."""
        self.page.locator(".bar a[href*='/decide']").wait_for(timeout=timeout)


def check_page(page: Page, address: str, sizes: tuple[dict[str, int], ...] = (DESKTOP, PHONE)) -> None:
    """See that axe finds nothing, and that nothing is wider than the screen or cut off by it."""
    for size in sizes:
        page.set_viewport_size(size)
        page.goto(address)
        look_over(page)
    page.set_viewport_size(DESKTOP)


def look_over(page: Page) -> None:
    """See that axe finds nothing on the page as it is, and that nothing is cut off."""
    faults = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    assert [(each["id"], [node["html"][:120] for node in each["nodes"]][:3]) for each in faults] == [], page.url
    width = page.evaluate("window.innerWidth")
    assert page.evaluate(WIDTH) <= width, (page.url, width)
    assert page.evaluate(CUT_OFF) == [], (page.url, width)
    assert page.locator("h1").count() == 1


def take(page: Page, at: str, address: str) -> bytes:
    """Download something."""
    answer = page.request.get(f"{at}/{address}", headers={"Sec-Fetch-Site": "none"})
    assert answer.ok, (address, answer.status)
    return answer.body()


def read_release(folder: Path) -> dict[str, bytes]:
    """Return what may leave, less the certificate, whose salt is drawn for every run."""
    paths = [path for sub in OUT_OF for path in (folder / sub).glob("*")]
    return {path.name: path.read_bytes() for path in paths if path.name != "certificate.json"}


def repeat_by_command(taken: Mapping[str, bytes], data: Path, folder: Path) -> dict[str, dict[str, bytes]]:
    """Return what comes out of a recipe by command, of the script, and of the cells of the notebook."""
    command = folder / "bin" / "sekisho"
    command.parent.mkdir(parents=True)
    command.symlink_to(COMMAND)
    (folder / "recipe.zip").write_bytes(taken["recipe"])
    shutil.unpack_archive(folder / "recipe.zip", folder / "by-recipe")
    script = taken["sh"].decode()
    epoch, language = re.search(r"SOURCE_DATE_EPOCH=(\d+)", script), re.search(r" --language (\w+)", script)
    assert epoch
    assert language
    environ = {**os.environ, "PATH": f"{command.parent}:{os.environ['PATH']}"}
    shutil.copy(data, folder / "by-recipe")
    timed = {**environ, "SOURCE_DATE_EPOCH": epoch[1]}
    _run([COMMAND, "gate", "recipe.toml", "--out", "release", "--language", language[1]], folder / "by-recipe", timed)
    (folder / "release.sh").write_text(script)
    _run(["/bin/sh", "release.sh", str(data), "by-script"], folder, environ)
    (folder / "notebook").mkdir()
    shutil.copy(data, folder / "notebook")
    cells = json.loads(taken["ipynb"])["cells"]
    code = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    _run([PYTHON, "-c", code], folder / "notebook", environ)
    places = (folder / "by-recipe", folder / "by-script", next((folder / "notebook").glob("*-v*")))
    return dict(zip(("recipe", "sh", "ipynb"), (read_release(place / "release") for place in places), strict=True))


def _run(line: list[str], folder: Path, environ: Mapping[str, str]) -> None:
    subprocess.run(line, cwd=folder, env=dict(environ), check=True, capture_output=True)
