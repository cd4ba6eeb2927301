"""The first page: files that come piece by piece or by a form, what is wrong with them, cases to go on with."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path

import httpx
import pytest
from tests.server.desk.desk_client import DeskClient, open_desk
from tests.server.desk.test_shown import PEOPLE

from sekisho.data.shape import Shape
from sekisho.server.desk import arrivals
from sekisho.server.desk.arrivals import MADE_UP
from sekisho.server.desk.cases import DeskFolder
from sekisho.server.desk.entry import COOKIE

SENT = PEOPLE.encode()


@pytest.fixture
def client(tmp_path: Path) -> DeskClient:
    return open_desk(tmp_path / "desk")


@pytest.fixture
def cases(tmp_path: Path) -> DeskFolder:
    return DeskFolder(tmp_path / "desk")


def send_bytes(client: DeskClient, path: str, content: bytes, headers: dict[str, str]) -> httpx.Response:
    entrance = client.entrance
    usual = {"host": entrance.host, "sec-fetch-site": "same-origin", "origin": entrance.origin}
    usual |= {"cookie": f"{COOKIE}={client.cookie}", "x-desk-token": entrance.token, **headers}

    async def ask() -> httpx.Response:
        transport = httpx.ASGITransport(app=client.app, client=("127.0.0.1", 50000))
        async with httpx.AsyncClient(transport=transport) as browser:
            return await browser.post(entrance.origin + entrance.prefix + path, content=content, headers=usual)

    return asyncio.run(ask())


def drop(client: DeskClient, content: bytes, *, at: int, end: int, name: str = "people.csv") -> httpx.Response:
    address = f"/upload?name={name}&size={len(content)}&changed=17"
    return send_bytes(client, address, content[at:end], {"x-desk-offset": str(at)})


def test_a_file_dropped_in_pieces_becomes_a_case_and_goes_on_after_a_break(tmp_path: Path, cases: DeskFolder) -> None:
    first = open_desk(tmp_path / "desk")
    assert drop(first, SENT, at=0, end=1000).json() == {"received": 1000, "next": ""}
    assert "% of it has come" in first.send("GET", "/").text
    client = open_desk(tmp_path / "desk")  # the program was killed in between
    question = f"/upload?name=people.csv&size={len(SENT)}&changed="
    assert client.send("GET", question + "17").json() == {"received": 1000, "next": ""}
    assert client.send("GET", question + "18").json()["received"] == 0  # it was written since: another file
    assert drop(client, SENT, at=0, end=1000).status_code == 422  # does not follow
    answer = drop(client, SENT, at=1000, end=len(SENT)).json()
    (case,) = cases.list_cases()
    assert answer["next"] == f"{client.entrance.prefix}/cases/{case.name}/file"
    assert case.file.read_bytes() == SENT
    assert not cases.list_uploads()
    page = client.send("GET", "/?language=ja").text
    assert "people.csv" in page
    assert "まだ実行していません" in page


def test_a_piece_beyond_the_size_and_one_without_place_are_refused(client: DeskClient, cases: DeskFolder) -> None:
    address = "/upload?name=people.csv&size=10"
    assert send_bytes(client, address, SENT, {"x-desk-offset": "0"}).status_code == 422
    assert send_bytes(client, address, b"a", {}).status_code == 422
    assert send_bytes(client, address, b"a", {"x-desk-offset": "0", "x-desk-token": "0" * 64}).status_code == 403
    assert not cases.list_cases()


def test_a_disk_that_would_be_full_is_said_and_what_has_come_is_kept(
    client: DeskClient, cases: DeskFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert drop(client, SENT, at=0, end=1000).status_code == 200
    monkeypatch.setattr(arrivals, "LEAST_BYTES", 1 << 62)
    monkeypatch.setattr(arrivals, "LEAST_SHARE", 1.0)
    assert drop(client, SENT, at=1000, end=2000).status_code == 507
    assert [one.received for one in cases.list_uploads()] == [1000]


def test_a_form_without_script_brings_a_file(client: DeskClient, cases: DeskFolder) -> None:
    boundary = "x" * 20
    head = f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="../名簿.csv"\r\n\r\n'
    body = head.encode() + SENT + f"\r\n--{boundary}--\r\n".encode()
    answer = send_bytes(client, "/upload/form", body, {"content-type": f"multipart/form-data; boundary={boundary}"})
    (case,) = cases.list_cases()
    assert (answer.status_code, case.title) == (303, "../名簿.csv")
    assert case.file.parent == case.folder / "incoming"
    assert case.file.read_bytes() == SENT


def test_what_is_wrong_with_a_file_is_told_and_it_can_be_read_otherwise(client: DeskClient, cases: DeskFolder) -> None:
    rows = (f"{'fm'[row % 2]}:{20 + row % 50}:{'abcd'[row % 4]}{',x' * (row % 3)}\n" for row in range(300))
    ragged = ("sex:age:city,\n" + "".join(rows)).encode()
    address = drop(client, ragged, at=0, end=len(ragged), name="ragged.csv").json()["next"]
    (dropped,) = cases.list_uploads()
    assert address.endswith(f"/uploads/{dropped.id}")
    page = client.send("GET", f"/uploads/{dropped.id}")
    assert page.status_code == 422
    assert 'role="alert"' in page.text
    assert dropped.part.read_bytes() == ragged
    assert client.post(f"/uploads/{dropped.id}/read", {"encoding": "no such"}).status_code == 422
    assert client.send("GET", "/uploads/none").status_code == 404
    other = client.post(f"/uploads/{dropped.id}/read", {"separator": ":", "shape": "records"})
    assert (other.status_code, len(cases.list_cases())) == (303, 1)
    assert not cases.list_uploads()


def test_what_was_dropped_can_be_discarded(client: DeskClient, cases: DeskFolder) -> None:
    drop(client, SENT, at=0, end=1000)
    (dropped,) = cases.list_uploads()
    assert client.post(f"/uploads/{dropped.id}/discard").status_code == 303
    assert not cases.list_uploads()


def test_made_up_files_lead_to_cases(client: DeskClient, cases: DeskFolder) -> None:
    for name, shape in (("people", Shape.RECORDS), ("firms", Shape.TABLE)):
        answer = client.post(f"/try/{name}")
        case = cases.list_cases()[0]
        assert answer.headers["location"].endswith(f"/cases/{case.name}/file")
        assert case.shape is shape
    assert client.post("/try/other").status_code == 404
    assert MADE_UP["people"].write() == MADE_UP["people"].write()


def test_a_card_tells_how_a_case_stands(tmp_path: Path, client: DeskClient, cases: DeskFolder) -> None:
    (tmp_path / "people.csv").write_text(PEOPLE)
    case = cases.create(tmp_path / "people.csv")
    assert "not run yet" in client.send("GET", "/").text
    (case.public / "release.csv").write_text("a\n")
    assert re.search(r'badge good">released', client.send("GET", "/").text)
    (case.public / "release.csv").unlink()
    (tmp_path / "people.csv").unlink()
    assert "the file is gone" in client.send("GET", "/").text
    assert json.loads((case.folder / "case.json").read_text())["title"] == "people.csv"
