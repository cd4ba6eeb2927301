"""The tables are what the migrations make, and an URL says which database it is."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import text

from sekisho.errors import ParameterError
from sekisho.server.contest.database.engine import Database, parse_url
from sekisho.server.contest.database.migrate import is_current, upgrade_tables
from sekisho.server.contest.database.rows import ContestRow, Row


def test_migrations_make_the_tables_of_this_version(database_url: str) -> None:
    database = Database(database_url)
    assert not is_current(database)
    upgrade_tables(database)
    upgrade_tables(database)  # a second time there is nothing to do
    assert is_current(database)
    with database.engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), Row.metadata) == []
    database.close()


def test_sqlite_waits_for_the_disk_and_keeps_a_log(tmp_path: Path) -> None:
    database = Database(f"sqlite:///{tmp_path / 'a.sqlite3'}")
    upgrade_tables(database)
    with database.read() as session:
        assert session.scalar(text("PRAGMA journal_mode")) == "wal"
        assert session.scalar(text("PRAGMA synchronous")) == 2  # FULL
        assert session.scalar(text("PRAGMA foreign_keys")) == 1
    database.close()


def test_what_fails_halfway_is_not_written(database_url: str) -> None:
    database = Database(database_url)
    upgrade_tables(database)

    def write_and_fail() -> None:
        with database.write() as session:
            session.add(ContestRow(name="a", created=""))
            session.flush()
            raise KeyError

    with pytest.raises(KeyError):
        write_and_fail()
    with database.read() as session:
        assert session.query(ContestRow).count() == 0
    database.close()


def test_a_second_writer_waits_for_the_first(tmp_path: Path) -> None:
    database = Database(f"sqlite:///{tmp_path / 'a.sqlite3'}")
    upgrade_tables(database)
    other = sqlite3.connect(tmp_path / "a.sqlite3", timeout=0.01)
    with database.write() as session:
        session.scalar(text("SELECT 1"))  # not even a row is written yet
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            other.execute("BEGIN IMMEDIATE")
    other.close()
    database.close()


@pytest.mark.parametrize("url", ["", "nonsense", "sqlite://", "sqlite:///:memory:", "mysql://a:secret@b/c"])
def test_an_url_of_no_database_of_ours_is_refused_without_its_password(url: str) -> None:
    with pytest.raises(ParameterError, match="database must be") as caught:
        parse_url(url)
    assert "secret" not in str(caught.value)


def test_postgresql_gets_our_driver() -> None:
    assert parse_url("postgresql://a@b/c").drivername == "postgresql+psycopg"
