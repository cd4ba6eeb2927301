"""Databases as commands open them: one that must be there is not made, and what is wrong with it is one sentence."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from threading import Event

from sqlalchemy import text
from sqlalchemy.exc import DBAPIError, OperationalError

from sekisho.errors import InputError, MissingFileError, SekishoError, say_failure
from sekisho.server.contest.database.engine import Database, hide_password, parse_url
from sekisho.server.contest.database.migrate import is_current, upgrade_tables
from sekisho.server.web.logs import LOG, describe_error
from sekisho.words import Said

PAUSE = 2.0


@contextmanager
def open_database(url: str, *, new: bool = False) -> Generator[Database]:
    """Open a database whose tables are those of this version; older ones are brought up to date.

    Args:
        url: of the database.
        new: whether an SQLite file may be made.

    Raises:
        MissingFileError: there is no such file.
        InputError: the database does not answer, or is none; or a file of what is done with it cannot be used.
    """
    parsed = parse_url(url)
    if parsed.get_backend_name() == "sqlite" and not new and not Path(str(parsed.database)).is_file():
        raise MissingFileError(str(parsed.database))
    shown = hide_password(parsed)
    try:
        database = _open_tables(url)
    except OSError as error:
        raise InputError(shown, _read_reason(error)) from error
    except DBAPIError as error:
        raise _refuse_database(shown, error) from error
    try:
        yield database
    except DBAPIError as error:
        raise _refuse_database(shown, error) from error
    except OSError as error:  # of the store, the vault or an archive, not of the database
        if isinstance(error, SekishoError):
            raise
        raise InputError(error.filename or "a file of the server", _read_reason(error)) from error
    finally:
        database.close()


def await_database(url: str, stop: Event, *, pause: float = PAUSE) -> None:
    """Ask a database again and again until it answers, or until told to stop.

    What is no database at all, or an SQLite file that is not there, is left to whoever opens it to say.
    """
    parsed = parse_url(url)
    if parsed.get_backend_name() == "sqlite":
        return
    while not stop.is_set():
        database = Database(url)
        try:
            with database.read() as session:
                session.execute(text("SELECT 1"))
        except OperationalError as error:
            LOG.error("database-away", **describe_error(error))
            stop.wait(pause)
        else:
            return
        finally:
            database.close()


def _open_tables(url: str) -> Database:
    database = Database(url)
    try:
        if not is_current(database):
            upgrade_tables(database)
    except BaseException:
        database.close()
        raise
    return database


def _refuse_database(shown: str, error: DBAPIError) -> InputError:
    return InputError(shown, Said("cannot be used as a database ({name})", name=type(error.orig).__name__))


def _read_reason(error: OSError) -> Said:
    return say_failure(error, Said("cannot be used"))
