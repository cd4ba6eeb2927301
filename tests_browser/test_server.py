"""The contest's server in a browser: from registration to the reveal, in both languages, on a phone and a desktop."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

PHONE, DESKTOP = {"width": 390, "height": 844}, {"width": 1100, "height": 900}
GRAVE = ("serious", "critical")
COMMAND = os.environ.get("SEKISHO_COMMAND", ".venv/bin/sekisho")
WIDTH = "document.documentElement.scrollWidth"
PATIENCE = 180_000
"""So many milliseconds a page is waited for; others may use the machine, and no timing decides a test."""
expect.set_options(timeout=PATIENCE)
NAME, SECRET = "kim", "a long password"
TEAM_PAGES = (
    "/",
    "/team",
    "/release",
    "/targets",
    "/targets/practice/baseline-triples",
    "/entries",
    "/teams/newcomers",
)
OPEN_PAGES = ("/rules", "/standings", "/matrix", "/login", "/register", "/none")
REFEREE_PAGES = ("/referee", "/referee/teams", "/referee/rejudgings", "/referee/audit")


@dataclass(frozen=True, kw_only=True)
class Demo:
    """A demonstration that runs."""

    url: str
    passwords: dict[str, str]


@pytest.fixture(scope="module")
def demo() -> Iterator[Demo]:
    """Start the demonstration."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    line = [COMMAND, "serve", "--demo", "--port", str(port), "--json"]
    with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            assert process.stdout is not None
            told = json.loads(process.stdout.readline())
            wait_for_port(port)
            yield Demo(url=told["url"], passwords=told["accounts"])
        finally:
            process.terminate()


def wait_for_port(port: int) -> None:
    end = time.monotonic() + PATIENCE / 1000
    while time.monotonic() < end:
        with socket.socket() as probe:
            probe.settimeout(1)
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    pytest.fail("the server does not listen")


def open_page(browser: Browser, size: dict[str, int], scheme: str = "light") -> tuple[Page, list[str]]:
    """Return a page, and what the browser complains about."""
    page = browser.new_context(viewport=size, color_scheme=scheme, locale="en-GB").new_page()
    page.set_default_timeout(PATIENCE)
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    return page, complaints


def log_in(page: Page, demo: Demo, name: str, password: str) -> None:
    page.goto(f"{demo.url}/login?language=en")
    page.get_by_label("Login name").fill(name)
    page.get_by_label("Password").fill(password)
    page.get_by_role("main").get_by_role("button", name="Log in").click()


def check_page(page: Page, url: str, size: dict[str, int]) -> None:
    """See that nothing grave is found, and that the page is no wider than the screen."""
    page.goto(url)
    page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true")
    grave = [each for each in Axe().run(page).response["violations"] if each["impact"] in GRAVE]
    assert not grave, (url, [(each["id"], [node["html"][:120] for node in each["nodes"]][:3]) for each in grave])
    assert page.evaluate(WIDTH) <= size["width"], url


def download_sample(page: Page, demo: Demo, name: str, folder: Path) -> Path:
    answer = page.request.get(f"{demo.url}/api/v1/samples/{name}")
    path = folder / name
    path.write_bytes(answer.body())
    return path


def test_a_team_gets_to_a_scored_attack_without_a_program(browser: Browser, demo: Demo, tmp_path: Path) -> None:
    page, complaints = open_page(browser, DESKTOP)
    page.goto(f"{demo.url}/?language=en")
    page.get_by_role("link", name="Register", exact=True).click()
    page.get_by_label("Name of the team").fill("newcomers")
    page.get_by_label("Login name").fill(NAME)
    page.get_by_label("Password").fill(SECRET)
    page.get_by_role("main").get_by_role("button", name="Register a team").click()
    expect(page.locator("main")).to_contain_text("First steps")  # what follows is what they say
    page.get_by_role("main").get_by_role("link", name="Hand a release in", exact=True).click()
    field = page.get_by_label("Release (CSV)")
    field.set_input_files(download_sample(page, demo, "release-with-errors.csv", tmp_path))
    expect(page.locator("#checked")).to_contain_text("Errors in the file: ")  # by the script, no button was pressed
    expect(page.locator("#checked table")).to_contain_text("quantity")
    field.set_input_files(download_sample(page, demo, "release.csv", tmp_path))
    expect(page.locator("#checked")).to_contain_text("The file is valid")
    page.get_by_role("button", name="Hand in", exact=True).click()
    expect(page.locator("#status")).to_contain_text("The file is valid", timeout=PATIENCE)  # the page refreshes itself
    page.get_by_role("main").get_by_role("link", name="Releases to attack", exact=True).click()
    page.get_by_role("link", name="baseline-triples", exact=True).first.click()
    page.get_by_label("Attack (CSV)").set_input_files(
        download_sample(page, demo, "attack-on-baseline-triples.csv", tmp_path)
    )
    expect(page.locator("#checked")).to_contain_text("The file is valid")
    page.get_by_role("button", name="Hand the attack in").click()
    expect(page.locator("#status")).to_contain_text("threshold r(n)", timeout=PATIENCE)
    expect(page.locator("#status")).to_contain_text(re.compile("guesses (is|are) right"))
    page.goto(f"{demo.url}/targets?round=practice")
    expect(page.locator("figure svg")).to_have_count(1)
    page.goto(f"{demo.url}/entries")
    expect(page.locator("figure svg circle")).to_have_count(2)  # the release and the attack, on their timeline
    page.goto(f"{demo.url}/matrix")
    expect(page.get_by_role("table")).to_contain_text("r = ")
    assert complaints == []


def test_the_referee_moves_the_phases_up_to_the_reveal(browser: Browser, demo: Demo) -> None:
    page, complaints = open_page(browser, DESKTOP)
    log_in(page, demo, "referee", demo.passwords["referee"])
    for phase, typed in (("Anonymisation (final)", ""), ("Reveal", "demo")):
        if typed:  # what cannot be taken back is asked twice
            page.get_by_label(f"Confirm: {phase}", exact=True).fill(typed)
        page.get_by_role("button", name=f"Open {phase}", exact=True).click()
        expect(page.get_by_role("button", name=f"Close {phase}", exact=True)).to_be_visible()
    page.get_by_label("In English", exact=True).fill("The results are out.")
    page.get_by_label("In Japanese", exact=True).fill("結果を公開しました。")
    page.get_by_role("button", name="Announce").click()
    page.goto(f"{demo.url}/?language=ja")
    expect(page.locator("main")).to_contain_text("結果を公開しました。")
    page.goto(f"{demo.url}/standings?language=en")
    expect(page.get_by_role("table")).to_contain_text("baseline-names")
    assert complaints == []


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_nothing_grave_is_found_on_any_page(
    browser: Browser, demo: Demo, size: dict[str, int], scheme: str, language: str
) -> None:
    for name, password, paths in (
        ("", "", OPEN_PAGES),
        (NAME, SECRET, TEAM_PAGES),
        ("referee", demo.passwords["referee"], REFEREE_PAGES),
    ):
        page, _ = open_page(browser, size, scheme)
        if name:
            log_in(page, demo, name, password)
        for path in paths:
            check_page(page, f"{demo.url}{path}?language={language}", size)
        page.context.close()


def test_keys_reach_the_content_and_the_languages(browser: Browser, demo: Demo) -> None:
    page, _ = open_page(browser, DESKTOP)
    page.goto(f"{demo.url}/?language=en")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "To the content"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    page.get_by_role("link", name="日本語").focus()
    page.keyboard.press("Enter")
    expect(page.locator("html")).to_have_attribute("lang", "ja")


def test_pages_work_without_scripts(browser: Browser, demo: Demo, tmp_path: Path) -> None:
    page = browser.new_context(java_script_enabled=False, locale="en-GB").new_page()
    log_in(page, demo, "visitors", demo.passwords["visitors"])
    page.goto(f"{demo.url}/release?round=practice")
    page.get_by_label("Release (CSV)").set_input_files(download_sample(page, demo, "release-with-errors.csv", tmp_path))
    page.get_by_role("button", name="Check only").click()
    expect(page.locator("#checked")).to_contain_text("Errors in the file: ")


CUPS = ("pwscup2023", "pwscup2024", "pwscup2025")
WIDE = {"width": 1280, "height": 900}
PLAYERS = ("ann", "bob")


def tell(*words: object) -> dict[str, object]:
    """Run a command that ends, and return its answer."""
    done = subprocess.run([COMMAND, *map(str, words), "--json"], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


@contextmanager
def serve_cup(folder: Path) -> Generator[Demo]:
    """Serve a contest from its archive, with a worker of its own."""
    places = ("--database", f"sqlite:///{folder / 'contest.sqlite3'}", "--store", folder / "store")
    tell("worker", "--import", folder / "cup.zip", "--vault", folder / "vault", *places)
    told = tell("serve", "--add-referee", "referee", *places)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    lines = [
        [COMMAND, "serve", "--port", str(port), *map(str, places)],
        [COMMAND, "worker", "--vault", str(folder / "vault"), *map(str, places)],
    ]
    running = [subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for line in lines]
    try:
        wait_for_port(port)
        yield Demo(url=f"http://127.0.0.1:{port}", passwords={"referee": str(told["password"])})
    finally:
        for process in running:
            process.terminate()
            process.wait()


def open_phases(page: Page, url: str, *phases: str, confirm: str = "") -> None:
    """Have the referee open phases one after another."""
    for phase in phases:
        page.goto(f"{url}/referee?language=en")
        if confirm:
            page.get_by_label(f"Confirm: {phase}", exact=True).fill(confirm)
        page.get_by_role("button", name=f"Open {phase}", exact=True).click()
        expect(page.get_by_role("button", name=f"Close {phase}", exact=True)).to_be_visible()


def register(page: Page, url: str, team: str) -> None:
    page.goto(f"{url}/register?language=en")
    page.get_by_label("Name of the team").fill(team)
    page.get_by_label("Login name").fill(team)
    page.get_by_label("Password").fill(SECRET)
    page.get_by_role("main").get_by_role("button", name="Register a team").click()
    expect(page.locator("main")).to_contain_text("What to do now")


def hand_release_in(page: Page, url: str, folder: Path, *, zipped: bool) -> None:
    """Hand a release in: first an archive with an error, then a good one, or its parts one by one."""
    page.goto(f"{url}/release?round=final&language=en")
    archive = page.get_by_label("or a zip archive")
    archive.set_input_files(folder / "wrong.zip")
    expect(page.locator("#checked")).to_contain_text("Errors in the file: ")
    if zipped:
        archive.set_input_files(folder / "release.zip")
    else:
        archive.set_input_files([])
        for path in sorted(folder.iterdir()):
            if path.stem != "attacks" and path.suffix != ".zip":
                page.locator(f"#part-{path.stem}").set_input_files(path)
    expect(page.locator("#checked")).to_contain_text("The file is valid")
    page.get_by_role("button", name="Hand in", exact=True).click()
    expect(page.locator("#status")).to_contain_text("utility", timeout=PATIENCE)


@pytest.mark.parametrize("like", CUPS)
def test_a_contest_of_tables_goes_from_registration_to_its_standings(
    browser: Browser, tmp_path: Path, like: str
) -> None:
    folder = tmp_path / "cup"
    maker = [str(Path(COMMAND).parent / "python"), "tests_browser/make_cups.py", like, str(folder)]
    paths = os.pathsep.join([".", *filter(None, [os.environ.get("PYTHONPATH")])])
    subprocess.run(maker, check=True, capture_output=True, env={**os.environ, "PYTHONPATH": paths})
    with serve_cup(folder) as demo:
        url = demo.url
        referee, complaints = open_page(browser, WIDE)
        log_in(referee, demo, "referee", demo.passwords["referee"])
        expect(referee.locator("main")).to_contain_text("Registration")
        open_phases(referee, url, "Registration")
        pages = {team: open_page(browser, WIDE)[0] for team in PLAYERS}
        for team, page in pages.items():
            register(page, url, team)
        open_phases(referee, url, "Anonymisation (final)")
        ann, bob = pages["ann"], pages["bob"]
        hand_release_in(ann, url, folder / "ann", zipped=False)
        hand_release_in(bob, url, folder / "bob", zipped=True)
        if like != "pwscup2023":  # there the last valid one counts
            hand_release_in(ann, url, folder / "ann", zipped=True)
            ann.goto(f"{url}/entries/1?language=en")
            ann.get_by_role("button", name="Let this entry count").click()
            expect(ann.locator("#status")).to_contain_text("counts now")
        for team in PLAYERS:
            look_at(pages[team], url, ("/team", "/release?round=final", "/entries/1"), f"{like}-{team}")
        open_phases(referee, url, "Publication (final)", confirm="final")
        for _ in range(600):
            ann.goto(f"{url}/targets?round=final&language=en")
            if ann.get_by_label("Attacks on all (CSV)").count():
                break
            time.sleep(0.2)
        open_phases(referee, url, "Attack (final)")
        for team, page in pages.items():
            page.goto(f"{url}/targets?round=final&language=en")
            page.get_by_label("Attacks on all (CSV)").set_input_files(folder / team / "attacks.csv")
            expect(page.locator("#checked")).to_contain_text("The file is valid")
            page.get_by_role("button", name="Hand the attacks in").click()
            expect(page.locator("#checked")).to_contain_text("Received. Attacks that are being scored:")
            page.locator("#checked a").first.click()
            expect(page.locator("#status")).to_contain_text("The file is valid", timeout=PATIENCE)
        look_at(ann, url, ("/targets?round=final", "/targets/final/bob"), f"{like}-ann")
        open_phases(referee, url, "Evaluation (final)")
        open_phases(referee, url, "Reveal", confirm="small")
        visitor, more = open_page(browser, WIDE)
        visitor.goto(f"{url}/standings?language=en")
        digest = visitor.locator("code").first.inner_text()
        boards = visitor.get_by_role("region", name="Attackers", exact=True)
        expect(boards).to_contain_text("ann")
        expect(visitor.get_by_role("region", name="Releases", exact=True)).to_contain_text("bob")
        look_at(visitor, url, ("/standings", "/matrix?round=final", "/rules"), like)
        assert (complaints, more) == ([], [])
    places = ("--database", f"sqlite:///{folder / 'contest.sqlite3'}", "--store", folder / "store")
    tell("worker", "--export", folder / "out.zip", "--vault", folder / "vault", *places)
    tell("contest", "import", folder / "out.zip", "--out", folder / "home")
    assert tell("contest", "evaluate", folder / "home", "--round", "final")["digest"] == digest


def look_at(page: Page, url: str, paths: tuple[str, ...], name: str) -> None:
    """See that pages fit the screen and have nothing grave, in both languages, wide and narrow; keep their pictures."""
    kept = os.environ.get("SEKISHO_PICTURES", "")
    for size in (WIDE, PHONE):
        page.set_viewport_size(size)
        for path in paths:
            for language in ("en", "ja"):
                mark = "&" if "?" in path else "?"
                check_page(page, f"{url}{path}{mark}language={language}", size)
                if kept:
                    shown = path.partition("?")[0].strip("/").replace("/", "-")
                    file = f"{name}-{shown}-{size['width']}-{language}.png"
                    page.screenshot(path=str(Path(kept) / file), full_page=True)
    page.set_viewport_size(WIDE)
