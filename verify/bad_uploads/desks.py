"""Two small contests on a server in this process, one of histories, one of records, that take files for practice."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter, process_time

import numpy as np
import polars as pl
from httpx import Response
from tests.data.files.bad_archives import LIMITS
from tests.server.contest.api_client import ApiClient

from crash.place import CONTEST, make_database
from sekisho.contest.event import Opened, Registered
from sekisho.contest.folder.archive import pack_contest
from sekisho.contest.folder.live import create_contest
from sekisho.contest.rulebook import RULEBOOKS, read_record_rules, read_rulebook
from sekisho.contest.rules import PhaseKind
from sekisho.data.frame.dataset import Dataset
from sekisho.data.records.files import write_number_lines, write_records
from sekisho.data.synthetic.health import health_records
from sekisho.seeds import Seed
from sekisho.server.contest.app import create_app
from sekisho.server.contest.auth.accounts import add_token
from sekisho.server.contest.auth.principal import AccountRole
from sekisho.server.contest.database.book import ContestBook
from sekisho.server.contest.database.engine import Database
from sekisho.server.contest.database.migrate import upgrade_tables
from sekisho.server.contest.settings import RequestLimits, WebSettings
from sekisho.server.contest.site import read_clock
from sekisho.server.contest.store import Store
from sekisho.server.contest.vault.import_contest import import_contest
from sekisho.server.contest.vault.worker import Worker

PEOPLE, DELETED, TEAMS = 60, 12, 16
SMALLER = {"members = 50": "members = 5", "others = 50": "others = 4"}
TARGET = "target"
GENEROUS = RequestLimits(team_requests=10**9, team_uploads=10**9, file_bytes=2 << 20, upload_bytes=4 << 20, zip=LIMITS)


@dataclass(kw_only=True)
class Desk:
    """Where files of one contest are checked and handed in.

    Attributes:
        release: a valid one, by what its files are.
        guess: a valid attack on the target's release.
        slowest: the most seconds that a request, or the scoring of a file, took.
        most_work: the most processor seconds, which other programs on the machine do not make longer.
    """

    client: ApiClient
    worker: Worker
    tokens: dict[str, str]
    release: dict[str, bytes]
    guess: dict[str, bytes]
    slowest: float = 0.0
    most_work: float = 0.0
    handed_in: int = 0
    statuses: dict[int, int] = field(default_factory=dict[int, int])

    def send(self, path: str, files: Mapping[str, bytes], team: str = "team00") -> Response:
        """Send files to a route."""
        headers = {"Authorization": f"Bearer {self.tokens[team]}"}
        begun, worked = perf_counter(), process_time()
        form = {"round": "practice"} | ({"target": TARGET} if "attack" in path else {})
        answer = self.client.request("POST", path, headers=headers, data=form, files=files or None)
        self._note(begun, worked)
        self.statuses[answer.status_code] = self.statuses.get(answer.status_code, 0) + 1
        return answer

    def check(self, kind: str, files: Mapping[str, bytes]) -> Response:
        """Have files checked."""
        return self.send(f"/api/v1/check/{kind}", files)

    def hand_in(self, kind: str, files: Mapping[str, bytes]) -> Response:
        """Hand files in, each time as the next team, for a team has only so many attempts."""
        team = f"team{self.handed_in % TEAMS:02}"
        self.handed_in += 1
        return self.send("/api/v1/attacks" if kind == "attack" else "/api/v1/submissions", files, team)

    def score(self, number: int, team: str = TARGET) -> dict[str, object]:
        """Score what was handed in, and return what its team is told."""
        begun, worked = perf_counter(), process_time()
        self.worker.drain()
        self._note(begun, worked)
        headers = {"Authorization": f"Bearer {self.tokens[team]}"}
        return self.client.request("GET", f"/api/v1/submissions/{number}", headers=headers).json()

    def _note(self, begun: float, worked: float) -> None:
        self.slowest = max(self.slowest, perf_counter() - begun)
        self.most_work = max(self.most_work, process_time() - worked)

    @property
    def last_team(self) -> str:
        """Who handed the last file in."""
        return f"team{(self.handed_in - 1) % TEAMS:02}"


@contextmanager
def open_desk(folder: Path, server: str, rules: str, release: Mapping[str, bytes], original: bytes) -> Generator[Desk]:
    """Open a contest in which the target's release is in and practice goes on.

    Args:
        folder: for everything.
        server: the URL of a PostgreSQL; empty for SQLite.
        rules: of the contest.
        release: a valid one.
        original: that it is of.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with make_database(folder, server) as url:
        tokens = _begin(folder, url, rules, original)
        database, store = Database(url), Store(folder / "store")
        app = create_app(WebSettings(database=url, store=store.folder, secure=False, limits=GENEROUS))
        worker = Worker(database=database, store=store, vault=folder / "vault")
        desk = Desk(client=ApiClient(app), worker=worker, tokens=tokens, release=dict(release), guess={})
        answer = desk.send("/api/v1/submissions", release, TARGET)
        entry = desk.score(int(answer.json()["entry"]))
        assert entry["status"] == "valid", entry
        yield desk
        app.state.site.database.close()
        database.close()


def _begin(folder: Path, url: str, rules: str, original: bytes) -> dict[str, str]:
    path = folder / "original.csv"
    path.write_bytes(original)
    rounds = read_rulebook(rules).settle_contest().round_names
    begun = folder / "begun"
    create_contest(begun, rules, dict.fromkeys(rounds, path), at=read_clock(), first_day="", secret=Seed(7))
    database = Database(url)
    upgrade_tables(database)
    import_contest(pack_contest(begun), database, Store(folder / "store"), folder / "vault", CONTEST)
    teams = [TARGET, *(f"team{number:02}" for number in range(TEAMS))]
    with ContestBook(database, CONTEST).write() as pen:
        pen.send(Opened(at=read_clock(), phase=PhaseKind.REGISTER))
        for team in teams:
            pen.send(Registered(at=read_clock(), team=team))
        pen.send(Opened(at=read_clock(), phase=PhaseKind.PRACTICE))
        tokens = {
            team: add_token(pen.session, pen.contest, role=AccountRole.MEMBER, label=team, at=read_clock(), team=team)[
                1
            ]
            for team in teams
        }
    database.close()
    return tokens


def make_records(folder: Path) -> tuple[str, dict[str, bytes], bytes]:
    """Return rules of a small contest of records, a valid release, and the original that it is of."""
    text = (RULEBOOKS / "pwscup2021.toml").read_text()
    for old, new in SMALLER.items():
        text = text.replace(old, new)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "small.toml"
    path.write_text(text)
    rules = read_record_rules(str(path))
    data = health_records(PEOPLE, rng=Seed(1).rng())
    deleted = np.arange(PEOPLE) < DELETED
    kept = Dataset(data.frame.filter(pl.Series(~deleted)), data.schema)
    release = {"released": write_records(kept, rules), "deleted": write_number_lines(np.flatnonzero(deleted))}
    return str(path), release, write_records(data, rules)
