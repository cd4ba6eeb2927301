"""Databases as commands open them: one that must be there is not made, and what is wrong with it is one sentence."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy.exc import DBAPIError

from sekisho.errors import InputError, MissingFileError
from sekisho.server.database.engine import Database, hide_password, parse_url
from sekisho.server.database.migrate import is_current, upgrade_tables


@contextmanager
def open_database(url: str, *, new: bool = False) -> Generator[Database]:
    """Open a database whose tables are those of this version; older ones are brought up to date.

    Args:
        url: of the database.
        new: whether an SQLite file may be made.

    Raises:
        MissingFileError: there is no such file.
        InputError: the database does not answer, or is none.
    """
    parsed = parse_url(url)
    if parsed.get_backend_name() == "sqlite" and not new and not Path(str(parsed.database)).is_file():
        raise MissingFileError(str(parsed.database))
    shown = hide_password(parsed)
    try:
        database = Database(url)
        try:
            if not is_current(database):
                upgrade_tables(database)
            yield database
        finally:
            database.close()
    except DBAPIError as error:
        raise InputError(shown, f"cannot be used as a database ({type(error.orig).__name__})") from error
    except OSError as error:
        raise InputError(shown, (error.strerror or "cannot be used").lower()) from error
