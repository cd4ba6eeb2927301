"""A contest on a server whose clock the test turns, with people of every role."""

from __future__ import annotations

import io
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from httpx import Response
from tests.server.contest.api_client import ApiClient, Body

from sekisho.contest.event import Event, Opened, Registered
from sekisho.contest.folder.archive import pack_contest
from sekisho.contest.folder.live import create_contest
from sekisho.contest.rulebook import read_rulebook
from sekisho.contest.rules import PhaseKind, write_moment
from sekisho.seeds import Seed
from sekisho.server.contest.app import create_app
from sekisho.server.contest.auth.accounts import add_account, add_token
from sekisho.server.contest.auth.passwords import Passwords
from sekisho.server.contest.auth.principal import AccountRole
from sekisho.server.contest.database.book import ContestBook
from sekisho.server.contest.database.engine import Database
from sekisho.server.contest.database.migrate import upgrade_tables
from sekisho.server.contest.settings import PasswordCost, RequestLimits, WebSettings
from sekisho.server.contest.site import Site
from sekisho.server.contest.store import Store
from sekisho.server.contest.vault.import_contest import export_contest, import_contest
from sekisho.server.contest.vault.worker import Worker
from sekisho.server.web.logs import configure_logs

FIRST = datetime(2018, 9, 1, tzinfo=UTC)
TEAMS = ("raw", "pairs", "triples", "more")
SECRET = Seed(4611686018427387905)
CHEAP = PasswordCost(rounds=1, kibibytes=8, lanes=1)
GENEROUS = RequestLimits(team_requests=100_000, address_requests=100_000, team_uploads=100_000, token_failures=100_000)
PHRASE = "correct horse battery"


@dataclass(kw_only=True)
class CupSite:
    """A contest on a server."""

    client: ApiClient
    site: Site
    worker: Worker
    vault: Path
    materials: Mapping[str, bytes]
    clock: Clock
    logs: io.StringIO
    tokens: dict[str, str] = field(default_factory=dict[str, str])

    def call(
        self,
        who: str,
        method: str,
        path: str,
        *,
        headers: Mapping[str, str] | None = None,
        json: Body = None,
        data: Mapping[str, str] | None = None,
        files: Mapping[str, bytes] | None = None,
    ) -> Response:
        """Send a request as a team, as the referee, or as nobody."""
        bearer = {"Authorization": f"Bearer {self.tokens[who]}"} if who else {}
        return self.client.request(
            method, path, headers={**(headers or {}), **bearer}, json=json, data=data, files=files
        )

    def submit(self, team: str, data: bytes, *, key: str = "", round_name: str = "final") -> Response:
        """Hand a release in."""
        return self.call(
            team,
            "POST",
            "/api/v1/submissions",
            data={"round": round_name},
            files={"released": data},
            headers={"Idempotency-Key": key} if key else {},
        )

    def attack(self, team: str, target: str, data: bytes, *, round_name: str = "final") -> Response:
        """Hand an attack in."""
        form = {"round": round_name, "target": target}
        return self.call(team, "POST", "/api/v1/attacks", data=form, files={"guess": data})

    def open(self, phase: str, round_name: str = "", until: str = "") -> Response:
        """Open a phase as the referee."""
        confirm = "practice" if phase == "practice" else round_name or self.site.book.name
        change = {"phase": phase, "round": round_name, "until": until, "confirm": confirm}
        return self.call("referee", "POST", "/api/v1/phases/open", json=change)

    def play(self) -> None:
        """Play a whole contest: releases of all, attacks of all on all, up to the reveal."""
        self.play_until_attacks()
        self.reveal()

    def play_until_attacks(self) -> None:
        """Play the final: releases of all, attacks of all on all; the phase of the attacks stays open."""
        assert self.open("anonymise", "final").status_code == 200
        for team in TEAMS:
            assert self.submit(team, self.materials[team]).status_code == 201
        self.worker.drain()
        assert self.open("publish", "final").status_code == 200
        self.worker.drain()
        assert self.open("attack", "final").status_code == 200
        for team in TEAMS:
            for target in TEAMS:
                if team != target:
                    answer = self.attack(team, target, self.materials[f"attack on {target}"])
                    assert answer.status_code == 201, answer.text
        self.worker.drain()

    def export(self) -> bytes:
        """Return the whole contest as an archive, with its truth."""
        with TemporaryDirectory() as place:
            export_contest(self.site.book, self.worker.store, self.vault, Path(place) / "cup.zip")
            return (Path(place) / "cup.zip").read_bytes()

    def reveal(self) -> None:
        """End the final, and reveal the results."""
        assert self.open("evaluate", "final").status_code == 200
        assert self.open("reveal").status_code == 200


class Clock:
    """A clock that goes on by a millisecond whenever it is read, and otherwise when it is turned."""

    def __init__(self) -> None:
        self.now = FIRST

    def __call__(self) -> str:
        """Return the moment."""
        self.now += timedelta(milliseconds=1)
        return write_moment(self.now)

    def turn(self, seconds: float) -> None:
        """Let time pass."""
        self.now += timedelta(seconds=seconds)


def begin_folder(folder: Path, original: bytes) -> bytes:
    """Return the archive of a contest that has just begun."""
    folder.mkdir(parents=True)
    path = folder / "T.csv"
    path.write_bytes(original)
    rounds = read_rulebook("pwscup2018").settle_contest().round_names
    moment = write_moment(FIRST)
    create_contest(folder / "cup", "pwscup2018", dict.fromkeys(rounds, path), at=moment, first_day="", secret=SECRET)
    return pack_contest(folder / "cup")


def prepare_site(folder: Path, url: str, materials: Mapping[str, bytes]) -> dict[str, str]:
    """Set a server up: database, store and vault in a folder, four teams registered; return everybody's token."""
    database, store = Database(url), Store(folder / "store")
    upgrade_tables(database)
    import_contest(begin_folder(folder / "new", materials["original"]), database, store, folder / "vault", "cup")
    tokens = _populate(ContestBook(database, "cup"), Clock())
    database.close()
    return tokens


@contextmanager
def open_site(
    folder: Path, url: str, materials: Mapping[str, bytes], tokens: dict[str, str], limits: RequestLimits = GENEROUS
) -> Generator[CupSite]:
    """Open a server that was set up."""
    database, store = Database(url), Store(folder / "store")
    clock, logs = Clock(), io.StringIO()
    clock.turn(60)
    configure_logs(logs)
    settings = WebSettings(database=url, store=folder / "store", secure=False, limits=limits, passwords=CHEAP)
    app = create_app(settings, clock)
    vault = folder / "vault"
    yield CupSite(
        client=ApiClient(app),
        site=app.state.site,
        worker=Worker(database=database, store=store, vault=vault, clock=clock, retry_seconds=0),
        vault=vault,
        materials=materials,
        clock=clock,
        logs=logs,
        tokens=dict(tokens),
    )
    app.state.site.database.close()
    database.close()


def _populate(book: ContestBook, clock: Clock) -> dict[str, str]:
    tokens: dict[str, str] = {}
    events: list[Event] = [Opened(at=clock(), phase=PhaseKind.REGISTER)]
    events += [Registered(at=clock(), team=team) for team in TEAMS]
    password = Passwords(CHEAP).hash(PHRASE)
    with book.write() as pen:
        for event in events:
            pen.send(event)
        people = [("referee", AccountRole.REFEREE, ""), ("spectator", AccountRole.SPECTATOR, "")]
        people += [(f"{team}-captain", AccountRole.CAPTAIN, team) for team in TEAMS]
        people += [(f"{team}-member", AccountRole.MEMBER, team) for team in TEAMS]
        for login, role, team in people:
            at = clock()
            add_account(pen.session, pen.contest, login=login, password=password, role=role, at=at, team=team)
            name = team if role is AccountRole.MEMBER else login
            tokens[name] = add_token(pen.session, pen.contest, role=role, label=name, at=at, team=team)[1]
    return tokens
