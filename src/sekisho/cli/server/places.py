"""Where a server keeps things, as the options of its commands say; and whether its libraries are installed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sekisho.errors import ParameterError
from sekisho.words import Said

USUAL = "sqlite:///contest.sqlite3"
SQLITE = "sqlite:///"

DatabaseUrl = Annotated[
    str, typer.Option("--database", help="sqlite:///FILE, or postgresql://USER@HOST/NAME.", show_default=True)
]
StoreFolder = Annotated[
    Path | None, typer.Option("--store", help="The folder of the files; `store` beside an SQLite file if not given.")
]


def settle_store(database: str, store: Path | None) -> Path:
    """Return the folder of the files.

    Raises:
        ParameterError: the database is no file, and no folder is given.
    """
    if store is not None:
        return store
    if not database.startswith(SQLITE):
        raise ParameterError("--store", Said("be given where the database is no SQLite file"), "nothing")
    return Path(database.removeprefix(SQLITE)).parent / "store"
