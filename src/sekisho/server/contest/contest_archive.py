"""A contest of the database as the archive that `sekisho contest export --public` writes: everything but the truth."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path
from tempfile import mkdtemp
from time import time

from sqlalchemy import select

from sekisho.contest.folder.archive import write_contest
from sekisho.contest.folder.binding import name_published
from sekisho.contest.folder.live import LEDGER
from sekisho.contest.rules import ContestRules
from sekisho.contest.rulings.disclosure import Thing
from sekisho.server.contest.database.book import ContestBook
from sekisho.server.contest.database.rows import HandoutRow
from sekisho.server.contest.store import Store

STALE_SECONDS = 3600


def write_public(book: ContestBook, store: Store) -> Path:
    """Write the archive as a file in a folder of its own beside the files of the store, and return where.

    Whoever has sent it removes the folder; what a crash left of an earlier one is removed here.
    """
    exports = store.folder / "exports"
    exports.mkdir(exist_ok=True)
    for old in exports.iterdir():
        with suppress(FileNotFoundError):  # another process may remove it, too
            if old.stat().st_mtime < time() - STALE_SECONDS:
                shutil.rmtree(old, ignore_errors=True)
    place = Path(mkdtemp(dir=exports))
    try:
        lay_out_public(book, store, place / "contest")
        with (place / "contest.zip").open("wb") as stream:
            write_contest(place / "contest", stream, with_truth=False)
    except BaseException:
        shutil.rmtree(place, ignore_errors=True)
        raise
    return place / "contest.zip"


def lay_out_public(book: ContestBook, store: Store, folder: Path) -> None:
    """Write the contest into a folder, as the folder of a contest has it, the referee's truth aside."""
    (folder / "files").mkdir(parents=True)
    (folder / LEDGER).write_bytes(book.export_lines())
    for path in store.find_contest(book.name).iterdir():
        shutil.copyfile(path, folder / path.name)  # few, and small
    state = book.read().state
    for digest in {digest for entry in state.entries for digest in entry.files.values()}:
        _place(store.find(digest), folder / "files" / digest)
    with book.database.read() as session:
        rows = session.scalars(select(HandoutRow).where(HandoutRow.contest == book.contest)).all()
    for row in rows:
        place = _find_place(row, state.contest)
        if place:
            (folder / place).parent.mkdir(parents=True, exist_ok=True)
            _place(store.find(row.digest), folder / place)


def _place(source: Path, target: Path) -> None:
    """Have a file of the store in a folder as well: by a second name where the disk allows it, else as a copy."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)


def _find_place(row: HandoutRow, contest: ContestRules) -> str:
    """Return where a file lies in a contest's folder; nowhere for samples and for what is published of practice.

    What teams are handed of originals of tables is not the original itself, which is in the vault.
    """
    if row.round not in contest.round_names:
        return ""
    folder = f"rounds/{row.round}"
    if row.kind == Thing.ORIGINAL and contest.board is None:
        return f"{folder}/originals/{row.team}.csv" if row.team else f"{folder}/original.csv"
    if row.kind == Thing.PUBLISHED:
        return f"{folder}/published/{name_published(contest, row.about)}"
    return f"{folder}/tests/{row.team}-on-{row.about}.csv" if row.kind == Thing.TEST else ""
