"""What a hostile or unlucky visitor tries at the edges: hosts, look-alikes, full disks, shared addresses, odd archives."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Iterator
from errno import EIO, ENOSPC
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from fastapi.routing import APIRoute
from tests.server.contest.conftest import OpenCup
from tests.server.contest.cup_site import PHRASE, CupSite

from sekisho.server.contest.settings import RequestLimits
from sekisho.server.contest.store import Store


def list_addresses(cup: CupSite) -> Iterator[tuple[str, str]]:
    for route in cup.client.app.routes:
        if isinstance(route, APIRoute):
            path = route.path.replace("{number}", "1").replace("{team}", "raw").replace("{kind}", "released")
            yield from ((method, path.partition("{")[0]) for method in route.methods or ())


def test_no_answer_sends_anybody_to_the_host_that_a_request_names(cup: CupSite) -> None:
    """Every address, and with a slash behind it, where frameworks like to redirect."""
    for method, path in list_addresses(cup):
        for address in (path, f"{path.rstrip('/')}/", f"/{path}"):
            answer = cup.client.request(method, address, headers={"Host": "evil.example"})
            assert "evil.example" not in answer.headers.get("location", ""), (method, address)
            assert not answer.headers.get("location", "/").startswith(("http", "//"))


@pytest.mark.parametrize("team", ["RAW", "raw\u200d", "ｒａｗ", "г\u0430w"])
def test_a_team_that_looks_like_another_does_not_register(cup: CupSite, team: str) -> None:
    cup.open("register")
    body = {"team": team, "login": f"captain-{len(team)}", "password": PHRASE}
    answer = cup.call("", "POST", "/api/v1/teams", json=body)
    assert answer.status_code in {409, 422}
    assert answer.json()["rule"] in {"team-alike", "team-name", "model"}
    assert team not in cup.site.book.read().state.teams


def test_a_look_alike_is_told_which_team_it_looks_like(cup: CupSite) -> None:
    cup.open("register")
    body = {"team": "RAW", "login": "another", "password": PHRASE}
    answer = cup.call("", "POST", "/api/v1/teams", json=body).json()
    assert (answer["rule"], answer["error"]) == ("team-alike", "RAW looks like team raw, which has registered already")
    assert "紛らわしい" in answer["error_ja"]


def fill_disk(monkeypatch: pytest.MonkeyPatch, number: int = ENOSPC) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr("sekisho.server.contest.store.os.fsync", refuse)


def test_a_full_disk_is_said_and_the_server_is_not_ready(cup: CupSite, monkeypatch: pytest.MonkeyPatch) -> None:
    cup.open("anonymise", "final")
    assert cup.client.request("GET", "/ready").status_code == 200
    with monkeypatch.context() as patch:
        fill_disk(patch)
        answer = cup.submit("raw", cup.materials["raw"])
        assert (answer.status_code, answer.json()["rule"]) == (507, "room")
        ready = cup.client.request("GET", "/ready")
        assert (ready.status_code, ready.json()["status"]) == (503, "there is no room left for files")
    assert not cup.site.book.read().state.entries  # it costs the team nothing
    assert cup.submit("raw", cup.materials["raw"]).status_code == 201


def test_another_error_of_the_disk_is_a_fault_of_ours(cup: CupSite, monkeypatch: pytest.MonkeyPatch) -> None:
    cup.open("anonymise", "final")
    fill_disk(monkeypatch, EIO)
    assert cup.submit("raw", cup.materials["raw"]).status_code == 500


def test_too_little_room_for_an_upload_is_not_ready(tmp_path: Path) -> None:
    store = Store(tmp_path)
    assert store.has_room(1)
    assert not store.has_room(1 << 60)


def log_in(cup: CupSite, login: str, password: str = PHRASE) -> int:
    return cup.call("", "POST", "/api/v1/session", json={"login": login, "password": password}).status_code


def test_a_room_behind_one_address_does_not_keep_the_referee_out(open_cup: OpenCup) -> None:
    limits = RequestLimits(address_requests=30, login_failures=3, name_failures=20)
    with open_cup(limits) as cup:
        statuses = [cup.client.request("GET", "/").status_code for _ in range(40)]
        assert 429 in statuses  # they have used up what an address may ask
        assert log_in(cup, "referee") == 200
        assert [log_in(cup, "referee", "not the phrase") for _ in range(5)] == [401] * 5
        assert log_in(cup, "referee") == 200
        assert [log_in(cup, "raw-captain", "not the phrase") for _ in range(4)] == [401, 401, 401, 429]


@pytest.mark.parametrize("until", ["tomorrow", "8月1日", "2026/08/01"])
def test_a_moment_that_is_none_is_told_in_words(cup: CupSite, until: str) -> None:
    answer = cup.open("anonymise", "final", until=until)
    assert answer.status_code in {409, 422}
    words = answer.json()["error"] + "".join(fault["message"] for fault in answer.json()["errors"])
    assert "pattern" not in words
    assert "^" not in words


def pack_named(name: str) -> bytes:
    """Return an archive whose file has a name that zipfile would not write."""
    stream = BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("released.csvXx", b"1,2010/12/1,A,1,1\n")
    return stream.getvalue().replace(b"released.csvXx", name.encode())


def test_a_nul_in_a_name_of_an_archive_is_refused(cup: CupSite) -> None:
    cup.open("anonymise", "final")
    for path in ("/api/v1/submissions", "/api/v1/check/release"):
        files: dict[str, Any] = {"archive": pack_named("released.csv\0x")}
        answer = cup.call("raw", "POST", path, data={"round": "final"}, files=files)
        assert answer.status_code in {200, 422}
        faults = answer.json()["errors"]
        assert "name" in [fault["rule"] for fault in faults]
        assert not [fault for fault in faults if "\0" in fault["value"] + fault["message"]]
