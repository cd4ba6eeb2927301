"""Nobody gets in but who opened the desk: every route is walked, and each way around is tried at each."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from fastapi.routing import APIRoute
from starlette.routing import BaseRoute
from tests.server.desk.desk_client import PORT, DeskClient, open_desk

from sekisho.server.desk.entry import FORM_FIELD, SECONDS, Entrance, find_peer, write_opening_page
from sekisho.words import Language


@pytest.fixture
def desk(tmp_path: Path) -> DeskClient:
    return open_desk(tmp_path)


def walk(routes: Sequence[BaseRoute]) -> list[BaseRoute]:
    """Return all routes, those of included routers too."""
    inner = [(route, getattr(route, "original_router", None)) for route in routes]
    return [each for route, router in inner for each in (walk(router.routes) if router else [route])]


def list_requests(desk: DeskClient) -> list[tuple[str, str]]:
    """Return every route as a method and an address."""
    routes = walk(desk.app.router.routes)
    assert all(isinstance(route, APIRoute) for route in routes)  # others would not ask for the token
    return [
        (method, route.path.replace("{name}", "site.css").replace("{", "").replace("}", ""))
        for route in routes
        if isinstance(route, APIRoute)
        for method in sorted(route.methods or ())
    ]


BAD_HEADERS: list[tuple[dict[str, str | None], int]] = [
    ({"host": f"localhost:{PORT}"}, 421),
    ({"host": "evil.example"}, 421),
    ({"host": "127.0.0.1"}, 421),
    ({"host": f"127.0.0.1:{PORT + 1}"}, 421),
    ({"origin": "http://evil.example"}, 403),
    ({"origin": f"http://127.0.0.1:{PORT + 1}"}, 403),
    ({"origin": "null"}, 403),
    ({"sec-fetch-site": "same-site"}, 403),
    ({"sec-fetch-site": "cross-site"}, 403),
    ({"sec-fetch-site": None}, 403),
    ({"cookie": None}, 403),
    ({"cookie": "sekisho_desk=guess"}, 403),
]


@pytest.mark.parametrize(("headers", "status"), BAD_HEADERS)
def test_no_route_answers_a_stranger(desk: DeskClient, headers: dict[str, str | None], status: int) -> None:
    requests = list_requests(desk)
    assert ("GET", "/") in requests
    assert ("POST", "/close") in requests
    for method, path in requests:
        answer = desk.send(method, path, headers=headers, data={FORM_FIELD: desk.entrance.token})
        assert answer.status_code == status, (method, path)
        assert "set-cookie" not in answer.headers
        if "cookie" not in headers:
            assert answer.content == b"", (method, path)


def test_every_route_wants_the_prefix(desk: DeskClient) -> None:
    for method, path in list_requests(desk):
        for prefix in ("", "/s/guess", desk.entrance.prefix[:-1]):
            answer = desk.send(method, path, prefix=prefix)
            assert (answer.status_code, answer.content) == (404, b""), (method, path)


def test_what_changes_something_wants_origin_site_and_token(desk: DeskClient) -> None:
    token = {FORM_FIELD: desk.entrance.token}
    changing = [(method, path) for method, path in list_requests(desk) if method not in {"GET", "HEAD"}]
    assert changing
    for method, path in changing:
        for headers in ({"origin": None}, {"sec-fetch-site": "none"}):
            assert desk.send(method, path, headers=headers, data=token).status_code == 403
        for data in ({}, {FORM_FIELD: ""}, {FORM_FIELD: "guess"}):
            assert desk.send(method, path, data=data).status_code == 403
        assert desk.send(method, path, headers={"x-desk-token": "guess"}, data=token).status_code == 403


def test_another_user_of_the_machine_is_refused_everywhere(desk: DeskClient) -> None:
    desk.entrance.is_ours = lambda _: False
    for method, path in list_requests(desk):
        assert desk.send(method, path).status_code == 403
    assert desk.open(desk.entrance.issue()).status_code == 403


def test_a_secret_leads_in_once(desk: DeskClient) -> None:
    secret = desk.entrance.issue("/cases/a/file")
    answer = desk.open(secret)
    assert answer.status_code == 200
    assert answer.headers["refresh"] == f"0; url={desk.entrance.prefix}/cases/a/file"
    cookie = answer.headers["set-cookie"]
    assert cookie.endswith(f"; Path={desk.entrance.prefix}/; HttpOnly; SameSite=Strict")
    again = desk.open(secret, **{"accept-language": "ja"})
    assert again.status_code == 403
    assert "使用済み" in again.text
    assert "set-cookie" not in again.headers


def test_a_secret_is_worth_nothing_after_two_minutes_by_get_or_from_a_page(desk: DeskClient) -> None:
    now = 0.0
    desk.entrance.clock = lambda: now
    late, timely = desk.entrance.issue(), desk.entrance.issue()
    now = SECONDS
    assert desk.open(timely).status_code == 200
    now = SECONDS + 1
    assert desk.open(late).status_code == 403
    secret = desk.entrance.issue()
    assert desk.send("GET", f"/open?secret={secret}", prefix="").status_code == 405
    assert desk.open(secret, origin="http://evil.example").status_code == 405
    assert desk.open(secret, origin=None).status_code == 405
    assert desk.open(secret, host="localhost").status_code == 421
    assert desk.open(secret + "x" * 2000).status_code == 403
    assert desk.open(secret).status_code == 200  # none of these spent it


def test_answers_are_neither_kept_nor_told_on(desk: DeskClient) -> None:
    for answer in (desk.send("GET", "/"), desk.send("GET", "/", headers={"host": "x"})):
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["referrer-policy"] == "same-origin"  # else browsers send forms with the origin null
        assert "script-src 'self'" in answer.headers["content-security-policy"]


def test_a_cookie_of_the_same_name_beside_ours_keeps_nobody_out(desk: DeskClient) -> None:
    both = f"sekisho_desk={desk.cookie}; sekisho_desk=planted"
    assert desk.send("GET", "/", headers={"cookie": both}).status_code == 200
    assert desk.send("GET", "/", headers={"sec-fetch-site": "none"}).status_code == 200


def test_the_page_that_leads_in_is_ours_alone_to_read(tmp_path: Path) -> None:
    entrance = Entrance(port=PORT)
    page = write_opening_page(tmp_path, entrance, Language.JA)
    assert page.stat().st_mode & 0o777 == 0o600
    text = page.read_text()
    assert f'action="http://127.0.0.1:{PORT}/open"' in text
    assert entrance.prefix not in text
    assert len(entrance.prefix) >= len("/s/") + 22  # six bits a character: 132


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lists the users of its sockets")
def test_the_user_at_the_other_end_is_found() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        with socket.create_connection(listener.getsockname()) as client:
            ours, peer = listener.accept()
            with ours:
                assert client.getsockname() == peer
                assert find_peer(peer, listener.getsockname()) == os.getuid()
                assert find_peer((peer[0], 1), listener.getsockname()) is None
        with socket.socket(socket.AF_INET6) as mapped:
            mapped.connect(("::ffff:127.0.0.1", listener.getsockname()[1]))
            ours, peer = listener.accept()
            with ours:
                assert find_peer(peer, listener.getsockname()) == os.getuid()


def test_another_users_socket_is_told_apart(tmp_path: Path) -> None:
    # as Linux writes it on a machine that counts from the smallest byte: 127.0.0.1:50000 to 127.0.0.1:45678, user 1001
    line = "0: 0100007F:C350 0100007F:B26E {state} 00000000:00000000 00:00000000 00000000  1001  0 1 1\n"
    table, empty = tmp_path / "tcp", tmp_path / "none"
    ends = (("127.0.0.1", 50000), ("127.0.0.1", 45678))
    table.write_text("head\n" + line.format(state="01"))
    expected = 1001 if sys.byteorder == "little" else None
    assert find_peer(*ends, tables=(table, empty)) == expected
    table.write_text("head\n" + line.format(state="06"))  # closed already: its user is no longer told
    assert find_peer(*ends, tables=(table, empty)) is None
