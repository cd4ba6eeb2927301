"""Files that nobody refers to: what a crash between the disk and the ledger left, set aside and, much later, removed.

A file is kept before its entry is committed, so that whoever holds a receipt has handed in; a crash between the two
leaves a file without an entry. After a week such a file goes to ``STORE/orphans``, from where it can be brought back,
and after a month there it is gone. Whatever a database's text names, anywhere, is referred to: rather too much is kept.
A file that is handed in again is written anew and so is young. Where the database names no file at all, it is another
store's: nothing is touched.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from sqlalchemy import String, select

from sekisho.server.contest.database.engine import Database
from sekisho.server.contest.database.rows import Row
from sekisho.server.contest.store import Store

DIGEST = re.compile(r"[0-9a-f]{64}")
ASIDE_SECONDS, GONE_SECONDS = 7 * 24 * 3600.0, 30 * 24 * 3600.0


def list_references(database: Database) -> set[str]:
    """Return every digest that stands anywhere in a database's text."""
    named: set[str] = set()
    with database.read() as session:
        for table in Row.metadata.sorted_tables:
            for column in (column for column in table.columns if isinstance(column.type, String)):
                for text in session.scalars(select(column).where(column.is_not(None))):
                    named.update(DIGEST.findall(text))
    return named


def sweep_orphans(database: Database, store: Store) -> int:
    """Set files aside that nobody refers to, and remove what was set aside long ago; return how many were set aside."""
    now = time.time()
    aside = store.folder / "orphans"
    for path in aside.iterdir() if aside.is_dir() else ():
        if _is_older(path, now - GONE_SECONDS, by_change=True):
            path.unlink(missing_ok=True)
    old = [path for path in _list_files(store) if _is_older(path, now - ASIDE_SECONDS)]
    named = list_references(database) if old else set[str]()  # read after the files: what came since is young
    if not any(path.name in named for path in _list_files(store)):
        return 0
    return sum(_set_aside(path, aside, now - ASIDE_SECONDS) for path in old if path.name not in named)


def _list_files(store: Store) -> Iterator[Path]:
    yield from (path for path in (store.folder / "files").glob("??/*") if DIGEST.fullmatch(path.name))


def _is_older(path: Path, moment: float, *, by_change: bool = False) -> bool:
    with suppress(FileNotFoundError):
        known = path.stat()
        return (known.st_ctime if by_change else known.st_mtime) < moment
    return False


def _set_aside(path: Path, aside: Path, moment: float) -> bool:
    """Move a file aside; one that was handed in anew while it was moved goes back."""
    aside.mkdir(exist_ok=True)
    place = aside / path.name
    with suppress(FileNotFoundError):
        path.replace(place)
        if _is_older(place, moment):
            return True
        place.replace(path)
    return False
