"""On the server, too, a file counts when it is whole; slow requests end; a clock that is set back locks nobody out."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from threading import Event as Signal
from time import monotonic
from unittest.mock import MagicMock

import pytest
import uvicorn
from alembic import command
from httpx import ASGITransport, AsyncClient, Response
from sqlalchemy import text
from sqlalchemy.exc import OperationalError
from tests.server.contest.cup_site import CupSite
from uvicorn.server import ServerState

from sekisho.cli.server import opening
from sekisho.contest.event import Adopted, ClockSet, Created, Event, Opened
from sekisho.contest.ledger import Head, read_event
from sekisho.contest.rules import PhaseKind
from sekisho.contest.state import ContestState
from sekisho.errors import ParameterError
from sekisho.server.contest.database.book import Pen
from sekisho.server.contest.database.engine import Database
from sekisho.server.contest.database.migrate import configure_migrations, is_current, upgrade_tables
from sekisho.server.contest.database.rows import ContestRow
from sekisho.server.contest.settings import RequestLimits
from sekisho.server.web.slow_clients import limit_headers

BORDER = "border"


def send_slowly(cup: CupSite, team: str, data: bytes, *, between: Callable[[], None]) -> Response:
    """Send a release in two pieces, and do something between them."""
    head = f'--{BORDER}\r\nContent-Disposition: form-data; name="round"\r\n\r\nfinal\r\n--{BORDER}\r\n'
    head += 'Content-Disposition: form-data; name="released"; filename="a.csv"\r\n\r\n'
    body = head.encode() + data + f"\r\n--{BORDER}--\r\n".encode()

    async def write() -> AsyncIterator[bytes]:
        yield body[:200]
        between()
        yield body[200:]

    async def send() -> Response:
        transport = ASGITransport(cup.client.app, raise_app_exceptions=False)
        headers = {
            "Authorization": f"Bearer {cup.tokens[team]}",
            "Content-Type": f"multipart/form-data; boundary={BORDER}",
        }
        async with AsyncClient(transport=transport, base_url="http://cup") as client:
            return await client.post("/api/v1/submissions", content=write(), headers=headers)

    return asyncio.run(send())


def read_events(cup: CupSite) -> list[Event]:
    lines = cup.site.book.export_lines().splitlines()
    return [read_event(json.loads(line)["event"], "ledger") for line in lines]


@pytest.mark.parametrize(("seconds", "status"), [(30, 201), (85, 409), (604, 409)])
def test_a_file_whose_headers_were_in_time_counts_only_if_it_is_whole_in_time(
    cup: CupSite, seconds: float, status: int
) -> None:
    # the contest's zone is Tokyo; the phase closes at 03:00 UTC, and the request begins 20 seconds before
    cup.open("anonymise", "final", until="2018-09-01T12:00")
    cup.clock.turn(3 * 3600 - 80)
    answer = send_slowly(cup, "raw", cup.materials["raw"], between=lambda: cup.clock.turn(seconds))
    assert answer.status_code == status, answer.text
    if status == 409:
        assert answer.json()["rule"] == "late"
        assert "猶予" in answer.json()["error_ja"]
    assert cup.call("", "GET", "/api/v1/schedule").json()["grace"] == 60
    assert "60 seconds" in cup.call("", "GET", "/", headers={"Accept-Language": "en"}).text


def test_an_attack_that_is_whole_after_the_reveal_changes_nothing(cup: CupSite) -> None:
    cup.play_until_attacks()
    begun = cup.clock()
    cup.reveal()
    before = cup.call("", "GET", "/api/v1/standings").json()
    gate = cup.site.clock
    cup.site.clock = lambda: begun  # a request that began before the reveal, and comes to be ruled on after it
    answer = cup.attack("raw", "pairs", cup.materials["attack on pairs"])
    cup.site.clock = gate
    assert (answer.status_code, answer.json()["rule"]) == (409, "late")
    cup.worker.drain()
    assert cup.call("", "GET", "/api/v1/standings").json() == before


def test_a_body_that_takes_too_long_is_refused(cup: CupSite, monkeypatch: pytest.MonkeyPatch) -> None:
    assert cup.open("anonymise", "final").status_code == 200
    most = cup.site.settings.limits.body_seconds

    def wait(seconds: float) -> None:
        monkeypatch.setattr("sekisho.server.contest.middleware.identify.monotonic", lambda: monotonic() + seconds)

    late = send_slowly(cup, "raw", cup.materials["raw"], between=lambda: wait(most + 1))
    assert late.status_code == 408
    assert cup.site.book.read().state.entries == ()
    wait(0)
    whole = send_slowly(cup, "raw", cup.materials["raw"], between=lambda: wait(most / 2))
    assert whole.status_code == 201, whole.text


@pytest.mark.parametrize("value", [0.0, -1.0, float("inf"), float("nan")])
def test_time_limits_are_limits(value: float) -> None:
    with pytest.raises(ParameterError, match="body_seconds"):
        RequestLimits(body_seconds=value)
    with pytest.raises(ParameterError, match="header_seconds"):
        RequestLimits(header_seconds=value)


class FakeTransport(asyncio.Transport):
    """A connection that only notes whether it was closed."""

    closed = False

    def get_extra_info(self, name: str, default: object = None) -> object:
        del name
        return default

    def is_closing(self) -> bool:
        return self.closed

    def close(self) -> None:
        self.closed = True

    def write(self, data: bytes | bytearray | memoryview) -> None:
        del data


@pytest.mark.parametrize("sent", [b"", b"GET / HTTP/1.1\r\nHost: cup\r\n"])
def test_a_connection_whose_headers_do_not_come_is_closed(sent: bytes) -> None:
    async def connect() -> FakeTransport:
        async def app(scope: object, receive: object, send: object) -> None:
            raise AssertionError((scope, receive, send))

        kind = limit_headers(0.05)
        protocol = kind(config=uvicorn.Config(app=app), server_state=ServerState(), app_state={})
        transport = FakeTransport()
        protocol.connection_made(transport)
        if sent:
            protocol.data_received(sent)
        assert not transport.closed
        await asyncio.sleep(0.2)
        return transport

    assert asyncio.run(connect()).closed


def test_a_clock_that_is_set_back_does_not_lock_the_referee_out(cup: CupSite) -> None:
    cup.clock.turn(400 * 86_400)
    assert cup.open("anonymise", "final").status_code == 200
    cup.clock.turn(-400 * 86_400)
    assert cup.submit("raw", cup.materials["raw"]).status_code == 409  # by the clock the phase opens in a year
    assert cup.call("referee", "POST", "/api/v1/announcements", json={"en": "The clock was wrong."}).status_code == 201
    assert [type(event) for event in read_events(cup)][-2] is ClockSet
    assert cup.submit("raw", cup.materials["raw"]).status_code == 201
    cup.clock.turn(-5)  # as clocks of several machines differ: that is no correction
    assert cup.open("practice").status_code == 200
    assert sum(isinstance(event, ClockSet) for event in read_events(cup)) == 1
    cup.worker.drain()
    assert cup.open("publish", "final").status_code == 200
    cup.clock.turn(-20)
    cup.worker.drain()
    assert "final" in cup.site.book.read().state.published


def test_a_contest_of_an_earlier_version_goes_on_under_todays_rulings(cup: CupSite) -> None:
    events = read_events(cup)
    created = events[0]
    assert isinstance(created, Created)
    old = Created(
        at=created.at,
        name=created.name,
        rules=created.rules,
        contest=created.contest,
        originals=created.originals,
        commitment=created.commitment,
    )
    with cup.worker.database.write() as session:
        row = ContestRow(name="old", created=old.at)
        session.add(row)
        session.flush()
        pen = Pen(session=session, contest=row.id, state=ContestState(), head=Head(), adopts=False)
        for event in (old, *events[1:]):
            pen.send(event)
        assert pen.state.edition == 1
        number = row.id
    book = cup.worker.find_book(number)
    with book.write() as pen:
        at = pen.settle_moment(cup.clock())
        pen.send(Opened(at=at, phase=PhaseKind.ANONYMISE, round="final"))
    lines = [read_event(json.loads(line)["event"], "ledger") for line in book.export_lines().splitlines()]
    assert isinstance(lines[-2], Adopted)
    assert book.read().state.edition == 2


def test_tables_of_an_earlier_version_are_brought_up_to_date_with_what_is_in_them(database_url: str) -> None:
    database = Database(database_url)
    config = configure_migrations()
    with database.engine.connect().execution_options(sekisho_writes=True) as connection, connection.begin():
        config.attributes["connection"] = connection
        command.upgrade(config, "0001")
        connection.execute(text("INSERT INTO contests (id, name, created) VALUES (1, 'a', '')"))
        connection.execute(
            text(
                "INSERT INTO submissions (contest, number, at, team, round, target, key, files, line, head)"
                " VALUES (1, 1, '', 't', 'final', '', '', '{}', 1, '')"
            )
        )
        connection.execute(
            text(
                "INSERT INTO results (id, contest, submission, scorer, truth, at, worth, faults, count)"
                " VALUES (1, 1, 1, 's', 't', '', '{}', '[]', 0)"
            )
        )
        connection.execute(
            text(
                "INSERT INTO tokens (id, contest, digest, role, team, label, created, revoked)"
                " VALUES (1, 1, 'd', 'referee', '', '', '', '')"
            )
        )
    assert not is_current(database)
    upgrade_tables(database)
    assert is_current(database)
    with database.read() as session:
        assert session.execute(text("SELECT scorer, truth, rejudging FROM results")).all() == [("s", "t", "")]
        assert session.execute(text("SELECT digest, expires FROM tokens")).all() == [("d", "")]
    database.close()


def test_a_worker_that_starts_while_the_database_is_away_keeps_asking(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[bool] = []

    class Away:
        def __init__(self, url: str) -> None:
            self.url = url

        def read(self) -> object:
            asked.append(True)
            if len(asked) < 4:
                raise OperationalError("SELECT", {}, Exception("connection refused"))
            return MagicMock()

        def close(self) -> None:
            pass

    monkeypatch.setattr(opening, "Database", Away)
    opening.await_database("postgresql://nobody@localhost/none", Signal(), pause=0.01)
    assert len(asked) == 4
    stopped = Signal()
    stopped.set()
    opening.await_database("postgresql://nobody@localhost/none", stopped, pause=0.01)
    assert len(asked) == 4
