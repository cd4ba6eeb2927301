"""``sekisho desk`` as a process: one a folder, let in by a page of its own, ended without loss."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import closing, contextmanager
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from time import sleep
from urllib.parse import urlencode, urlsplit

import pytest

from sekisho.cli.door import open_door

CANARY = "Kurosawa"
PEOPLE = "name,sex,age,city,ill\n" + "".join(
    f"{CANARY}{row},{'fm'[row % 2]},{20 + row % 50},{'abcd'[row % 4]},{'yn'[row % 3 == 0]}\n" for row in range(300)
)


@pytest.fixture
def people(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    path.write_text(PEOPLE)
    return path


@contextmanager
def start(*words: object) -> Generator[tuple[subprocess.Popen[str], dict[str, str]]]:
    line = [sys.executable, "-m", "sekisho", "desk", *map(str, words), "--no-browser", "--json"]
    with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield process, json.loads(process.stdout.readline())
        finally:
            process.kill()


class Visitor:
    """What a browser does with the page that leads in."""

    def __init__(self, page: str) -> None:
        text = Path(page).read_text(encoding="utf-8")
        assert Path(page).stat().st_mode & 0o777 == 0o600
        self.origin = urlsplit(re.findall(r'action="([^"]+)"', text)[0])
        secret = re.findall(r'name="secret" value="([^"]+)"', text)[0]
        headers = {"Origin": "null", "Content-Type": "application/x-www-form-urlencoded"}
        answer, _ = self._ask("POST", "/open", headers, urlencode({"secret": secret}))
        self.cookie = str(answer.getheader("Set-Cookie")).partition(";")[0]
        self.target = str(answer.getheader("Refresh")).partition("url=")[2]

    def _ask(self, method: str, path: str, headers: dict[str, str], body: str = "") -> tuple[HTTPResponse, str]:
        connection = HTTPConnection(str(self.origin.hostname), self.origin.port or 0, timeout=30)
        with closing(connection):
            connection.request(method, path, body or None, headers)
            answer = connection.getresponse()
            return answer, answer.read().decode()

    def get(self, path: str) -> tuple[int, str]:
        answer, text = self._ask("GET", path, {"Cookie": self.cookie, "Sec-Fetch-Site": "same-origin"})
        return answer.status, text

    def wait_for_case(self) -> str:
        """Return where the page of an arriving file leads to once it was looked at."""
        for _ in range(6000):
            headers = {"Cookie": self.cookie, "Sec-Fetch-Site": "same-origin"}
            answer, _ = self._ask("GET", self.target, headers)
            if answer.status == 303:
                return str(answer.getheader("Location"))
            sleep(0.1)
        raise AssertionError(self.target)

    def post(self, path: str, **fields: str) -> int:
        headers = {"Cookie": self.cookie, "Sec-Fetch-Site": "same-origin", "Origin": f"http://{self.origin.netloc}"}
        headers["Content-Type"] = "application/x-www-form-urlencoded"
        return self._ask("POST", path, headers, urlencode(fields))[0].status


def test_a_file_leads_to_its_page_and_a_second_desk_hands_its_file_to_the_first(tmp_path: Path, people: Path) -> None:
    other = tmp_path / "others.csv"
    other.write_text(PEOPLE)
    folder = tmp_path / "state" / ("long" * 30) / "desk"
    with start(people, "--folder", folder, "--language", "ja") as (process, told):
        visitor = Visitor(told["page"])
        place = re.fullmatch(r"(/s/[\w-]{22})/uploads/([\w-]+-people-\w{4})\?language=ja", visitor.target)
        assert place
        assert visitor.wait_for_case().endswith(f"/cases/{place[2]}/file")
        with start(other, "--folder", folder) as (second, handed):
            assert second.wait(60) == 0
            assert "-others-" in Visitor(handed["page"]).target
        with start(people, "--folder", folder) as (again, handed):
            assert again.wait(60) == 0
            assert Visitor(handed["page"]).target == f"{place[1]}/cases/{place[2]}/file?language=en"  # its case goes on
        status, page = visitor.get(f"{place[1]}/?language=ja")
        assert status == 200
        assert "people.csv" in page
        token = re.findall(r'name="token" value="([0-9a-f]{64})"', page)[0]
        assert visitor.post(f"{place[1]}/close", token=token) == 200
        assert process.wait(60) == 0
    assert not list(folder.glob("open-*"))
    assert not (folder / "desk.sock").exists()
    assert {(path.stat().st_mode & 0o777, path.name) for path in folder.glob("desk.*")} == {
        (0o600, "desk.lock"),
        (0o600, "desk.log"),
    }
    log = (folder / "desk.log").read_text()
    assert '"route": "/close"' in log
    assert not any(word in log for word in (CANARY, "people", 'name"', "city"))


def test_an_interruption_ends_it_well_and_another_begins_where_it_ended(tmp_path: Path, people: Path) -> None:
    for expected in (True, False):
        with start(people, "--folder", tmp_path / "desk") as (process, told):
            visitor = Visitor(told["page"])
            target = visitor.target.partition("/cases/")[2] or visitor.wait_for_case().partition("/cases/")[2]
            process.send_signal(signal.SIGINT if expected else signal.SIGKILL)
            assert process.wait(60) == (0 if expected else -signal.SIGKILL)
    with start(people, "--folder", tmp_path / "desk") as (process, told):
        assert Visitor(told["page"]).target.partition("/cases/")[2].partition("?")[0] == target.partition("?")[0] != ""


def test_a_file_that_cannot_be_read_is_said(tmp_path: Path, people: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = ["--folder", str(tmp_path / "desk"), "--no-browser"]
    assert open_door(["desk", str(tmp_path / "none.csv"), *folder]) == 2
    assert "no such file" in capsys.readouterr().err
    empty = tmp_path / "empty.csv"
    empty.touch()
    with start(people, *folder[:2]):
        assert open_door(["desk", str(empty), *folder, "--language", "ja"]) == 0  # its page says what is wrong
    assert "uploads" not in capsys.readouterr().err
