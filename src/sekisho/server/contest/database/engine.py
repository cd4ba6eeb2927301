"""One database, SQLite or PostgreSQL by its URL: sessions that read, and sessions that write in one transaction.

SQLite keeps a write-ahead log and waits for the disk at every commit; a transaction that writes takes the lock at once,
so that two never wait for each other.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Generator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from threading import Lock

from sqlalchemy import Connection, Engine, create_engine, event, make_url
from sqlalchemy.engine import URL
from sqlalchemy.exc import ArgumentError
from sqlalchemy.orm import Session

from sekisho.errors import ParameterError
from sekisho.words import Said

WAIT_SECONDS = 30
WRITES = "sekisho_writes"


class Database:
    """Where contests are kept."""

    def __init__(self, url: str) -> None:
        self.url = parse_url(url)
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        self._writing = Lock()
        self.engine = _create(self.url, is_sqlite=self.is_sqlite)

    @contextmanager
    def read(self) -> Generator[Session]:
        """Open a session that only reads, and sees one state of the database throughout."""
        options = {} if self.is_sqlite else {"isolation_level": "REPEATABLE READ"}
        with self.engine.connect().execution_options(**options) as connection, Session(connection) as session:
            yield session

    @contextmanager
    def write(self) -> Generator[Session]:
        """Open a session whose work is written as a whole at its end, or not at all."""
        with (
            self._writing if self.is_sqlite else nullcontext(),
            self.engine.connect().execution_options(**{WRITES: True}) as connection,
            Session(connection) as session,
            session.begin(),
        ):
            yield session

    def close(self) -> None:
        """Let all connections go."""
        self.engine.dispose()


def parse_url(url: str) -> URL:
    """Return a database's URL; of PostgreSQL, with the driver that is ours.

    Raises:
        ParameterError: it is none, or of another kind of database.
    """
    try:
        parsed = make_url(url)
        backend = parsed.get_backend_name()
    except ArgumentError as error:
        raise ParameterError("database", Said("be a URL such as sqlite:///contest.sqlite3"), url) from error
    if backend == "sqlite" and parsed.database not in (None, "", ":memory:"):
        return parsed
    if backend == "postgresql":
        return parsed.set(drivername="postgresql+psycopg")
    raise ParameterError("database", Said("be sqlite:///FILE or postgresql://USER@HOST/NAME"), hide_password(parsed))


def hide_password(url: URL) -> str:
    """Return a URL as people may see it."""
    return url.render_as_string(hide_password=True)


def _create(url: URL, *, is_sqlite: bool) -> Engine:
    if not is_sqlite:
        return create_engine(url, pool_size=10, max_overflow=40, pool_pre_ping=True)
    Path(str(url.database)).absolute().parent.mkdir(parents=True, exist_ok=True)
    engine = create_engine(url, pool_size=10, max_overflow=40, connect_args={"check_same_thread": False})
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _prepare_sqlite(connection: sqlite3.Connection, record: object) -> None:
    del record
    connection.isolation_level = None
    for setting in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", f"busy_timeout={1000 * WAIT_SECONDS}"):
        connection.execute(f"PRAGMA {setting}").close()


def _begin_sqlite(connection: Connection) -> None:
    writes = connection.get_execution_options().get(WRITES, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
