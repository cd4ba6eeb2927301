"""A small synthetic contest on a server, made anew for every part of a campaign: database, store, vault, teams."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import create_engine, text

from sekisho.attack.history.guess_files import write_guess
from sekisho.attack.history.maximum_knowledge import MaximumKnowledge
from sekisho.contest.event import Event, Opened, Registered
from sekisho.contest.folder.archive import pack_contest
from sekisho.contest.folder.live import create_contest
from sekisho.contest.rulebook import read_history_rules, read_rulebook
from sekisho.contest.rules import PhaseKind
from sekisho.data.history.files import write_original, write_release
from sekisho.data.synthetic.histories import SyntheticHistory
from sekisho.gate.fit import fit
from sekisho.protect.history.pseudonymise import Pseudonymise
from sekisho.protect.history.similar_length import SimilarLength
from sekisho.seeds import Seed, draw_token
from sekisho.server.contest.auth.accounts import add_token
from sekisho.server.contest.auth.principal import AccountRole
from sekisho.server.contest.database.book import ContestBook
from sekisho.server.contest.database.engine import Database, parse_url
from sekisho.server.contest.database.migrate import upgrade_tables
from sekisho.server.contest.site import read_clock
from sekisho.server.contest.store import Store
from sekisho.server.contest.vault.import_contest import import_contest

RULES = "pwscup2018"
CONTEST = "cup"


@dataclass(frozen=True, kw_only=True)
class Materials:
    """Files to hand in: an original, valid releases of it, and an attack."""

    original: bytes
    releases: tuple[bytes, ...]
    guess: bytes


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where a contest is kept, and every team's token."""

    folder: Path
    url: str
    tokens: dict[str, str]

    @property
    def store(self) -> Path:
        """The folder of the files."""
        return self.folder / "store"

    @property
    def vault(self) -> Path:
        """The folder of the truth."""
        return self.folder / "vault"


def make_materials(seed: Seed, customers: int) -> Materials:
    """Return the files of people who do not exist."""
    rules = read_history_rules(RULES)
    data = SyntheticHistory(customers=customers, items=100, median_rows=6).draw(rng=seed.child("history").rng())
    methods = (Pseudonymise(), SimilarLength(k=2), SimilarLength(k=3))
    releases = [fit(method, rules.parameters()).apply(data, rng=seed.child("release").rng()) for method in methods]
    first = releases[0].table.take(~releases[0].deleted)
    adversary = fit(MaximumKnowledge(), rules.parameters(rules.contest.bound))
    return Materials(
        original=write_original(data, rules),
        releases=tuple(write_release(release, rules) for release in releases),
        guess=write_guess(adversary.guess(first, data, rng=seed.child("guess").rng()), rules),
    )


@contextmanager
def make_place(folder: Path, server: str, materials: Materials, teams: int) -> Generator[Place]:
    """Set a contest up with practice and the final round open to some teams.

    Args:
        folder: where store, vault and an SQLite file lie.
        server: the URL of a PostgreSQL in which a database is made and removed; empty for SQLite.
        materials: the files.
        teams: how many.
    """
    folder.mkdir(parents=True)
    with make_database(folder, server) as url:
        database = Database(url)
        upgrade_tables(database)
        import_contest(_begin(folder, materials), database, Store(folder / "store"), folder / "vault", CONTEST)
        tokens = _populate(ContestBook(database, CONTEST), [f"team{number:03}" for number in range(teams)])
        database.close()
        yield Place(folder=folder, url=url, tokens=tokens)


@contextmanager
def make_database(folder: Path, server: str) -> Generator[str]:
    """Make a database of one's own and remove it: a file in a folder, or one of a PostgreSQL."""
    if not server:
        yield f"sqlite:///{folder / 'contest.sqlite3'}"
        return
    name = f"kills_{draw_token()[:12]}".replace("-", "_").lower()
    engine = create_engine(parse_url(server), isolation_level="AUTOCOMMIT", pool_pre_ping=True)
    with engine.connect() as connection:
        connection.execute(text(f'CREATE DATABASE "{name}"'))
    try:
        yield parse_url(server).set(database=name, drivername="postgresql").render_as_string(hide_password=False)
    finally:
        with engine.connect() as connection:
            connection.execute(text(f'DROP DATABASE "{name}" WITH (FORCE)'))
        engine.dispose()


def _begin(folder: Path, materials: Materials) -> bytes:
    path = folder / "T.csv"
    path.write_bytes(materials.original)
    rounds = read_rulebook(RULES).settle_contest().round_names
    begun = folder / "begun"
    create_contest(begun, RULES, dict.fromkeys(rounds, path), at=read_clock(), first_day="", secret=Seed.draw())
    return pack_contest(begun)


def _populate(book: ContestBook, teams: list[str]) -> dict[str, str]:
    events: list[Event] = [Opened(at=read_clock(), phase=PhaseKind.REGISTER)]
    events += [Registered(at=read_clock(), team=team) for team in teams]
    events += [Opened(at=read_clock(), phase=PhaseKind.PRACTICE)]
    events += [Opened(at=read_clock(), phase=PhaseKind.ANONYMISE, round="final")]
    with book.write() as pen:
        for event in events:
            pen.send(event)
        return {
            team: add_token(pen.session, pen.contest, role=AccountRole.MEMBER, label=team, at=read_clock(), team=team)[
                1
            ]
            for team in teams
        }
