"""A contest of the database as the archive that `sekisho contest export --public` writes: everything but the truth."""

from __future__ import annotations

import shutil
from pathlib import Path

from sqlalchemy import select

from sekisho.contest.folder.archive import pack_contest
from sekisho.contest.folder.live import LEDGER
from sekisho.server.database.book import ContestBook
from sekisho.server.database.rows import HandoutRow
from sekisho.server.store import Store

PLACES = {
    "original": "rounds/{round}/originals/{team}.csv",
    "published": "rounds/{round}/published/{about}.csv",
    "test": "rounds/{round}/tests/{team}-on-{about}.csv",
}


def pack_public(book: ContestBook, store: Store, folder: str) -> bytes:
    """Return the archive, made in an empty folder."""
    lay_out_public(book, store, Path(folder))
    return pack_contest(Path(folder), with_truth=False)


def lay_out_public(book: ContestBook, store: Store, folder: Path) -> None:
    """Write the contest into a folder, as the folder of a contest has it, the referee's truth aside."""
    (folder / "files").mkdir(parents=True)
    (folder / LEDGER).write_bytes(book.export_lines())
    for path in store.find_contest(book.name).iterdir():
        shutil.copyfile(path, folder / path.name)
    state = book.read().state
    for digest in {digest for entry in state.entries for digest in entry.files.values()}:
        shutil.copyfile(store.find(digest), folder / "files" / digest)
    with book.database.read() as session:
        rows = session.scalars(select(HandoutRow).where(HandoutRow.contest == book.contest)).all()
    for row in rows:
        place = _find_place(row, state.contest.round_names)
        if place:
            (folder / place).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(store.find(row.digest), folder / place)


def _find_place(row: HandoutRow, rounds: tuple[str, ...]) -> str:
    """Return where a file lies in a contest's folder; nowhere for samples and for what is published of practice."""
    if row.kind not in PLACES or row.round not in rounds:
        return ""
    if row.kind == "original" and not row.team:
        return f"rounds/{row.round}/original.csv"
    return PLACES[row.kind].format(round=row.round, team=row.team, about=row.about)
