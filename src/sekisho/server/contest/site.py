"""What every route shares: the contest's book, the files, the settings, the clock."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property

from sqlalchemy import select

from sekisho.contest.rulebook import Rulebook, read_rulebook
from sekisho.contest.rules import write_moment
from sekisho.errors import InputError
from sekisho.server.contest.auth.passwords import Passwords
from sekisho.server.contest.auth.throttle import RateLimiter
from sekisho.server.contest.database.book import ContestBook
from sekisho.server.contest.database.engine import Database
from sekisho.server.contest.database.rows import ContestRow
from sekisho.server.contest.metrics import Metrics
from sekisho.server.contest.settings import WebSettings
from sekisho.server.contest.store import Store
from sekisho.words import Said


def read_clock() -> str:
    """Return the moment that it is."""
    return write_moment(datetime.now(UTC))


@dataclass(kw_only=True)
class Site:
    """What every route shares."""

    settings: WebSettings
    clock: Callable[[], str] = read_clock
    database: Database = field(init=False)
    store: Store = field(init=False)
    book: ContestBook = field(init=False)
    passwords: Passwords = field(init=False)
    limiter: RateLimiter = field(default_factory=RateLimiter)
    metrics: Metrics = field(default_factory=Metrics)

    def __post_init__(self) -> None:
        self.database = Database(self.settings.database)
        self.store = Store(self.settings.store, new=False)
        self.book = ContestBook(self.database, self.settings.contest or find_only_contest(self.database))
        self.passwords = Passwords(self.settings.passwords)

    @cached_property
    def rules(self) -> Rulebook:
        """The contest's rules."""
        return read_rulebook(str(self.store.find_contest(self.book.name) / "rules.toml"))

    @property
    def release_files(self) -> tuple[str, ...]:
        """What the files of a release are."""
        return self.rules.release_files


def find_only_contest(database: Database) -> str:
    """Return the name of the database's contest.

    Raises:
        InputError: there is none, or there are several.
    """
    with database.read() as session:
        names = sorted(session.scalars(select(ContestRow.name)))
    if len(names) == 1:
        return names[0]
    reason = (
        Said("holds several contests, name one: {names}", names=", ".join(names))
        if names
        else Said("holds no contest yet")
    )
    raise InputError("the database", reason)
