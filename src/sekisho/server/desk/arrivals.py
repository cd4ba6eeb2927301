"""How a file comes to the desk: named where it stands, dropped piece by piece, or made up to try the desk with."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path

import numpy as np
import polars as pl

from sekisho.data.shape import Shape
from sekisho.data.synthetic.health import DIGITS, health_records
from sekisho.seeds import Seed
from sekisho.server.desk.cases import Case, DeskFolder, DroppedFile
from sekisho.server.desk.counter import CountAnswer, CountQuestion, Later
from sekisho.server.desk.counting.arriving import ARRIVE, SEALED, UNPACKED, UNSEAL
from sekisho.server.desk.exports import take_in_case
from sekisho.server.desk.originals import FirstProposal, OriginalState
from sekisho.server.desk.settings import Desk
from sekisho.server.desk.shown import is_released
from sekisho.words import Language, Said

LEAST_SHARE, LEAST_BYTES = 0.1, 2 << 30
"""A dropped file leaves so much of the disk free: a tenth, or two gigabytes if that is less."""
SOON, UNSEAL_SECONDS = 4.0, 120.0
"""So many seconds a page waits for the first look at a file, and for a sealed case to be opened."""
PEOPLE, FIRMS, MADE_UP_SEED = 2000, 240, 2026
REGIONS = ("north", "east", "south", "west", "islands")
TRADES = ("food", "textiles", "wood", "metal", "machines", "electronics")


def bring_file(cases: DeskFolder, path: Path, *, language: Language = Language.EN) -> Case | DroppedFile:
    """Return the case of a file that is read where it stands: the one that is under way; else its arrival."""
    place = str(path.resolve())
    for case in cases.list_cases():
        if case.original.path == place and case.check_original() is OriginalState.SAME and not is_released(case):
            return case
    for arrival in cases.list_uploads():
        if arrival.path == place:
            return arrival
    return cases.begin_upload(path.name, path=Path(place), language=language)


def settle_arrival(desk: Desk, arrival: DroppedFile, *, seconds: float | None = None) -> Case | CountAnswer | Later:
    """Return the case of a file that has come, once its first look is done; of a sealed case that it is one.

    Args:
        desk: whose counting process looks.
        arrival: the file.
        seconds: how long to wait for the look; as long as a page may take if None.

    Returns:
        The case; or what was wrong with the file, or that it is sealed; or that the look still goes on.
    """
    known = arrival.part.stat() if arrival.part.exists() else None
    stamp = None if known is None else [known.st_size, known.st_mtime_ns]
    question = CountQuestion(name=ARRIVE, version=0, arguments={**arrival.said, "stamp": stamp})
    answer = desk.counters.open(arrival.folder).ask(question, seconds=SOON if seconds is None else seconds)
    if isinstance(answer, Later) or answer.failure is not None or SEALED in answer.result:
        return answer
    language = Language(arrival.language)
    case = desk.cases.create(arrival, proposal=FirstProposal.unpack(answer.result), language=language)
    desk.counters.move(arrival.folder, case.folder)
    return case


def open_arrival(desk: Desk, arrival: DroppedFile, passphrase: str) -> Case | CountAnswer | Later:
    """Return the case in a sealed one that has come; or why it cannot be opened; or that it takes too long."""
    question = CountQuestion(name=UNSEAL, version=0, arguments={"passphrase": passphrase})
    answer = desk.counters.open(arrival.folder).ask(question, seconds=UNSEAL_SECONDS)
    desk.counters.end(arrival.folder)  # nobody keeps the passphrase
    if isinstance(answer, Later) or answer.failure is not None:
        return answer
    case = take_in_case(desk.cases, arrival.folder / UNPACKED)
    arrival.discard()
    return case


def find_arrival(cases: DeskFolder, name: str) -> DroppedFile | Case:
    """Return a file that comes, or the case that it has become; its name is looked up and never made a path.

    Raises:
        UnknownNameError: there is none of this name.
    """
    return next((one for one in cases.list_uploads() if one.id == name), None) or cases.find(name)


def receive_piece(dropped: DroppedFile, data: bytes, *, start: int) -> int:
    """Write a piece of a dropped file behind what has come, and return how many bytes that are now.

    Raises:
        OSError: it would fill the disk.
        ParameterError: it does not follow what has come.
    """
    disk = shutil.disk_usage(dropped.folder)
    if disk.free - len(data) < min(LEAST_SHARE * disk.total, LEAST_BYTES):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    return dropped.receive([data], start=start)


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeUpFile:
    """A file to try the desk with; nobody in it exists.

    Attributes:
        name: of the file.
        words: what it is.
        write: returns its bytes.
        shape: that it is for.
    """

    name: str
    words: Said
    write: Callable[[], bytes]
    shape: Shape

    def bring(self, cases: DeskFolder, *, language: Language) -> DroppedFile:
        """Return it as a file that has come."""
        dropped = replace(cases.begin_upload(self.name, language=language), said={"shape": self.shape.value})
        dropped.save()
        dropped.receive([self.write()], start=0)
        return dropped


def write_people() -> bytes:
    """Return made-up health records with a number for each person."""
    records = health_records(PEOPLE, rng=Seed(MADE_UP_SEED).rng()).frame
    columns = {
        "person": pl.Series([f"P{number:05}" for number in range(PEOPLE)]),
        "sex": records["gen"],
        "age": records["age"] // 10**DIGITS,
        "race": records["race"],
        "schooling": records["edu"],
        "marital": records["mar"],
        "activity": records["qm"],
        "diabetes": pl.Series(np.where(records["dia"].to_numpy() == 1, "yes", "no")),
    }
    return _write_csv(columns)


def write_firms() -> bytes:
    """Return made-up firms with their turnover, a few of them large."""
    rng = Seed(MADE_UP_SEED).rng()
    turnover = np.rint(np.exp(rng.normal(5.5, 1.4, FIRMS))).astype(np.int64)
    columns = {
        "firm": pl.Series([f"F{number:04}" for number in range(FIRMS)]),
        "region": pl.Series(np.asarray(REGIONS)[rng.choice(len(REGIONS), FIRMS, p=(0.3, 0.3, 0.2, 0.15, 0.05))]),
        "industry": pl.Series(np.asarray(TRADES)[rng.choice(len(TRADES), FIRMS, p=(0.3, 0.1, 0.1, 0.2, 0.2, 0.1))]),
        "turnover": pl.Series(turnover),
    }
    return _write_csv(columns)


def _write_csv(columns: Mapping[str, pl.Series]) -> bytes:
    out = BytesIO()
    pl.DataFrame(columns).write_csv(out)
    return out.getvalue()


MADE_UP: Mapping[str, MadeUpFile] = {
    "people": MadeUpFile(
        name="made-up-people.csv",
        words=Said("{people:,} {people:person|people}, one row each", people=PEOPLE),
        write=write_people,
        shape=Shape.RECORDS,
    ),
    "firms": MadeUpFile(
        name="made-up-firms.csv",
        words=Said("{firms:,} {firms:firm|firms}, for a table", firms=FIRMS),
        write=write_firms,
        shape=Shape.TABLE,
    ),
}
