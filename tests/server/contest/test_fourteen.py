"""The contest of fourteen teams comes to the same standings through the server's API as on the command line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from importlib import import_module
from pathlib import Path

import pytest
from tests.server.contest.conftest import make_database
from tests.server.contest.cup_site import PHRASE, CupSite, open_site

from sekisho.cli import status_of
from sekisho.contest.folder.archive import pack_contest
from sekisho.contest.folder.live import LiveContest, read_contest
from sekisho.contest.rules import parse_moment, read_moment
from sekisho.contest.state import ContestEntry
from sekisho.seeds import Seed
from sekisho.server.contest.auth.accounts import add_token
from sekisho.server.contest.auth.principal import AccountRole
from sekisho.server.contest.database.engine import Database
from sekisho.server.contest.database.migrate import upgrade_tables
from sekisho.server.contest.store import Store
from sekisho.server.contest.vault.import_contest import import_contest

ROOT = Path(__file__).parents[3]
SEED = Seed(2018)
CUSTOMERS = 12
ZONE = "Asia/Tokyo"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> LiveContest:
    """The contest as the example plays it on the command line, with the least effort."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "examples")
        play = import_module("contest_of_fourteen").play
    return read_contest(play(tmp_path_factory.mktemp("home"), CUSTOMERS, SEED, effort=0.01))


@pytest.fixture
def site(home: LiveContest, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[CupSite]:
    """A server to which the same contest came before anybody had registered."""
    begin = ["--rules", "pwscup2018", "--original", str(home.folder.parent / "T.csv"), "--start", "2018-08-24"]
    words = ["contest", "new", str(tmp_path / "cup"), *begin, "--at", "2018-08-01", "--seed", str(SEED.value)]
    assert status_of(words) == 0
    capsys.readouterr()
    with make_database(tmp_path) as url:
        database = Database(url)
        upgrade_tables(database)
        import_contest(pack_contest(tmp_path / "cup"), database, Store(tmp_path / "store"), tmp_path / "vault")
        database.close()
        with open_site(tmp_path, url, {}, {}) as opened:
            yield opened


def turn_clock(site: CupSite, day: str) -> None:
    site.clock.now = parse_moment(read_moment(day, ZONE)) + timedelta(seconds=1)


def register(site: CupSite, team: str) -> None:
    """Register a team, log in as its captain, and make a token, all through the API."""
    person = {"login": f"{team}-captain", "password": PHRASE}
    assert site.call("", "POST", "/api/v1/teams", json={"team": team, **person}).status_code == 201
    site.client.keeps = True
    csrf = site.call("", "POST", "/api/v1/session", json=person).json()["csrf"]
    guard = {"X-CSRF-Token": csrf}
    answer = site.call("", "POST", f"/api/v1/teams/{team}/tokens", json={"label": "program"}, headers=guard)
    assert answer.status_code == 201, answer.text
    site.tokens[team] = answer.json()["token"]
    site.client.cookies.clear()
    site.client.keeps = False


def hand_in(site: CupSite, home: LiveContest, entry: ContestEntry) -> None:
    """Hand the file of an entry at home in at the server, an attack by what the server itself published."""
    ((_, path),) = home.find_files(entry.files).items()
    if entry.is_attack:
        answer = site.attack(entry.team, entry.target, path.read_bytes())
    else:
        answer = site.submit(entry.team, path.read_bytes())
    assert answer.status_code == 201, answer.text
    assert answer.json()["files"] == entry.files


def add_referee(site: CupSite) -> None:
    with site.site.book.write() as pen:
        at = site.clock()
        site.tokens["referee"] = add_token(pen.session, pen.contest, role=AccountRole.REFEREE, label="referee", at=at)[
            1
        ]


def test_fourteen_teams_stand_on_the_server_as_on_the_command_line(
    home: LiveContest, site: CupSite, capsys: pytest.CaptureFixture[str]
) -> None:
    teams = tuple(home.state.teams)
    assert len(teams) == 14
    add_referee(site)
    turn_clock(site, "2018-09-03T12:00")
    for team in teams:
        register(site, team)
    turn_clock(site, "2018-10-01T10:00")
    for entry in home.state.entries:
        if not entry.is_attack:
            hand_in(site, home, entry)
    site.worker.drain()
    turn_clock(site, "2018-10-10T09:00")
    assert site.open("publish", "final").status_code == 200
    site.worker.drain()
    turn_clock(site, "2018-10-15T18:00")
    for target in teams:  # the secret is the same: so is what attackers are given, and their guesses fit
        published = site.call(teams[target == teams[0]], "GET", f"/api/v1/targets/final/{target}/published")
        assert published.content == (home.folder / "rounds" / "final" / "published" / f"{target}.csv").read_bytes()
    attacks = [entry for entry in home.state.entries if entry.is_attack]
    assert len(attacks) == 14 * 13
    for entry in attacks:
        hand_in(site, home, entry)
    assert site.worker.drain() == len(attacks)
    turn_clock(site, "2018-10-17")
    assert site.open("evaluate", "final").status_code == 200
    assert not site.call("", "GET", "/api/v1/standings").json()["revealed"]
    turn_clock(site, "2018-10-23")
    answer = site.call("", "GET", "/api/v1/standings").json()
    assert status_of(["contest", "standings", str(home.folder), "--json"]) == 0
    there = json.loads(capsys.readouterr().out)
    assert answer["revealed"]
    assert answer["digest"] == there["digest"]
    assert answer["standings"] == there["standings"]
    assert {bool(row["survives"]) for row in answer["standings"]} == {True, False}
