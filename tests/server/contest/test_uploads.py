"""What arrives is capped while it arrives, told all its errors, kept once, and counted exactly."""

from __future__ import annotations

import io
import zipfile
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import anyio
import pytest
from httpx import ASGITransport, AsyncClient
from tests.server.contest.conftest import OpenCup
from tests.server.contest.cup_site import CupSite

from sekisho.server.contest.settings import RequestLimits
from sekisho.server.contest.store import Store

SMALL = RequestLimits(
    upload_bytes=200_000, file_bytes=100_000, body_bytes=20_000, team_requests=10_000, address_requests=10_000
)


def pack(**files: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(f"{name}.csv", data)
    return stream.getvalue()


def list_store(cup: CupSite) -> list[str]:
    return sorted(path.name for path in (cup.site.store.folder / "incoming").iterdir())


def test_a_receipt_names_digest_time_and_place_in_the_ledger(cup: CupSite) -> None:
    cup.open("anonymise", "final")
    answer = cup.submit("raw", cup.materials["raw"])
    assert answer.status_code == 201
    receipt = answer.json()
    state = cup.site.book.read()
    assert receipt["files"] == dict(state.state.entries[0].files)
    assert receipt["at"] == state.state.entries[0].at
    assert (receipt["ledger_lines"], receipt["ledger_head"]) == (None, state.head.digest)  # lines count others' files
    seen = cup.call("referee", "GET", "/api/v1/submissions/1/receipt").json()
    assert (seen["ledger_lines"], seen["ledger_head"]) == (state.head.count, state.head.digest)
    assert receipt["left"] == {"scored": 9, "attempted": 29}
    again = cup.call("raw", "GET", "/api/v1/submissions/1/receipt").json()
    assert again == receipt | {"repeated": True}
    kept = cup.call("raw", "GET", "/api/v1/submissions/1/files/released")
    assert kept.content == cup.materials["raw"]


def test_a_zip_counts_like_its_file(cup: CupSite) -> None:
    cup.open("anonymise", "final")
    files = {"archive": pack(released=cup.materials["raw"])}
    answer = cup.call("raw", "POST", "/api/v1/submissions", data={"round": "final"}, files=files)
    assert answer.status_code == 201, answer.text
    plain = cup.submit("pairs", cup.materials["raw"])
    assert answer.json()["files"] == plain.json()["files"]


@pytest.mark.parametrize(
    ("files", "rules"),
    [
        ({}, {"missing"}),
        ({"deleted": b"1"}, {"kind"}),
        ({"released": b""}, {"empty"}),
        ({"released": b"PK\x03\x04 and more"}, {"zip"}),
        ({"released": b"1", "archive": b"2"}, {"kind"}),
        ({"archive": b"no zip"}, {"zip"}),
        ({"archive": pack(other=b"1")}, {"name"}),
        ({"archive": pack(released=b"")}, {"empty"}),
        ({"deleted": b"PK\x03\x04 and more"}, {"kind", "zip"}),
    ],
)
def test_a_bad_upload_is_refused_with_all_its_rules(cup: CupSite, files: dict[str, bytes], rules: set[str]) -> None:
    cup.open("anonymise", "final")
    answer = cup.call("raw", "POST", "/api/v1/submissions", data={"round": "final"}, files=files or None)
    assert answer.status_code == 422
    assert {each["rule"] for each in answer.json()["errors"]} == rules
    assert list_store(cup) == []
    assert not cup.site.book.read().state.entries


def test_an_attack_on_nobody_is_an_empty_file_and_a_form_without_a_file_is_none(cup: CupSite) -> None:
    cup.open("practice")
    cup.submit("raw", cup.materials["raw"], round_name="practice")
    cup.worker.drain()
    number = cup.attack("pairs", "raw", b"", round_name="practice").json()["entry"]
    cup.worker.drain()
    entry = cup.call("pairs", "GET", f"/api/v1/submissions/{number}").json()
    assert (entry["status"], entry["score"]["claimed"]) == ("valid", 0)
    # what a browser sends where no file was chosen
    head = '--b\r\nContent-Disposition: form-data; name="{}"'
    fields = [head.format(name) + f"\r\n\r\n{value}\r\n" for name, value in (("round", "practice"), ("target", "raw"))]
    body = "".join([*fields, head.format("guess"), '; filename=""\r\n\r\n\r\n--b--\r\n']).encode()
    headers = {"Authorization": f"Bearer {cup.tokens['pairs']}", "Content-Type": "multipart/form-data; boundary=b"}
    answer = cup.client.request("POST", "/api/v1/attacks", headers=headers, content=body)
    assert answer.status_code == 422
    assert [each["rule"] for each in answer.json()["errors"]] == ["missing"]


def test_what_is_refused_is_not_kept(cup: CupSite) -> None:
    assert cup.submit("raw", b"nobody needs this\n").status_code == 409
    assert list_store(cup) == []
    digests = list(cup.site.store.list_digests())
    cup.open("anonymise", "final")
    assert cup.submit("raw", b"nobody needs this\n").status_code == 201
    assert len(list(cup.site.store.list_digests())) == len(digests) + 1


def test_the_same_key_counts_once_and_another_file_under_it_is_refused(cup: CupSite) -> None:
    cup.open("anonymise", "final")
    first = cup.submit("raw", cup.materials["raw"], key="one")
    again = cup.submit("raw", cup.materials["raw"], key="one")
    assert (first.status_code, again.status_code) == (201, 200)
    assert again.json()["entry"] == first.json()["entry"]
    assert again.json()["repeated"]
    assert cup.submit("raw", cup.materials["pairs"], key="one").json()["rule"] == "key"
    assert cup.submit("pairs", cup.materials["raw"], key="one").status_code == 201
    assert len(cup.site.book.read().state.entries) == 2


def test_one_slot_takes_exactly_one_of_many_at_once(cup: CupSite) -> None:
    cup.open("anonymise", "final")
    for number in range(9):
        assert cup.submit("raw", f"{number}\n".encode() + cup.materials["raw"]).status_code == 201
    assert cup.call("raw", "GET", "/api/v1/left?round=final").json() == {"scored": 1, "attempted": 21}
    with ThreadPoolExecutor(12) as pool:
        sent = [pool.submit(cup.submit, "raw", f"again {number}\n".encode()) for number in range(12)]
    statuses = [each.result().status_code for each in sent]
    assert sorted(statuses) == [201] + 11 * [409]
    assert len(cup.site.book.read().state.entries) == 10
    assert list_store(cup) == []


def test_a_fault_of_the_platform_costs_nothing(cup: CupSite, monkeypatch: pytest.MonkeyPatch) -> None:
    cup.open("anonymise", "final")
    cup.submit("raw", cup.materials["raw"])

    def fail(*arguments: object) -> None:
        del arguments
        raise MemoryError

    monkeypatch.setattr("sekisho.server.contest.vault.vault_contest.score_entry", fail)
    cup.worker.drain()
    entry = cup.call("raw", "GET", "/api/v1/submissions/1").json()
    assert (entry["status"], entry["valid"]) == ("faulted", None)
    assert cup.call("raw", "GET", "/api/v1/left?round=final").json() == {"scored": 10, "attempted": 30}
    assert cup.call("referee", "GET", "/api/v1/jobs?state=failed").json()[0]["attempt"] == 5


def test_a_body_that_says_it_is_too_large_is_not_read(open_cup: OpenCup) -> None:
    with open_cup(SMALL) as cup:
        cup.open("anonymise", "final")
        assert cup.submit("raw", b"1" * 300_000).status_code == 413
        assert cup.submit("raw", b"1" * 150_000).json()["errors"][0]["rule"] == "size"
        assert cup.call("", "POST", "/api/v1/session", json={"login": "a" * 30_000}).status_code == 413
        assert list_store(cup) == []


def test_a_body_without_a_length_is_cut_while_it_arrives(open_cup: OpenCup) -> None:
    sent = 0

    async def stream() -> AsyncIterator[bytes]:
        nonlocal sent
        border = b'--x\r\nContent-Disposition: form-data; name="released"; filename="a"\r\n\r\n'
        yield border
        for _ in range(1000):
            sent += 10_000
            yield b"1" * 10_000

    async def post(cup: CupSite) -> int:
        headers = {"Authorization": f"Bearer {cup.tokens['raw']}", "Content-Type": "multipart/form-data; boundary=x"}
        transport = ASGITransport(cup.client.app, raise_app_exceptions=False)
        async with AsyncClient(transport=transport, base_url="http://cup") as client:
            answer = await client.post("/api/v1/submissions", headers=headers, content=stream())
        return answer.status_code

    with open_cup(SMALL) as cup:
        cup.open("anonymise", "final")
        assert anyio.run(post, cup) == 413
        assert sent <= SMALL.upload_bytes + 20_000


def test_uploads_of_a_team_are_limited_and_another_team_is_not(open_cup: OpenCup) -> None:
    with open_cup(RequestLimits(team_uploads=3)) as cup:
        cup.open("anonymise", "final")
        statuses = [cup.submit("raw", cup.materials["raw"]).status_code for _ in range(4)]
        assert statuses == [201, 201, 201, 429]
        assert cup.submit("pairs", cup.materials["pairs"]).status_code == 201


@pytest.mark.parametrize("key", ["a b", "x" * 300])
def test_a_strange_key_is_refused(cup: CupSite, key: str) -> None:
    cup.open("anonymise", "final")
    assert cup.submit("raw", b"1", key=key).status_code == 422
    assert not cup.site.book.read().state.entries


def test_web_and_workers_of_one_group_read_what_the_other_keeps(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    assert store.find(store.keep_bytes(b"1\n")).stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("ends", [b"\n", b"\r\n", b"\r"])
def test_rows_are_counted_while_they_arrive(open_cup: OpenCup, ends: bytes) -> None:
    with open_cup(replace(SMALL, file_rows=1000)) as cup:
        cup.open("anonymise", "final")
        bomb = ends * 1001
        for path in ("/api/v1/submissions", "/api/v1/check/release"):
            for files in ({"released": bomb}, {"archive": pack(released=bomb)}):
                answer = cup.call("raw", "POST", path, data={"round": "final"}, files=files)
                (fault,) = answer.json()["errors"]
                assert (fault["rule"], fault["message"]) == ("rows", "the file has more than 1,000 rows")
        assert list_store(cup) == []
        assert list(cup.site.store.list_digests()) == sorted(set(cup.site.store.list_digests()))
        assert not cup.site.book.read().state.entries
