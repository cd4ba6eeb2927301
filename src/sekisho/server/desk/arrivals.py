"""How a file comes to the desk: named where it stands, dropped piece by piece, or made up to try the desk with."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import numpy as np
import polars as pl

from sekisho.data.shape import Shape
from sekisho.data.synthetic.health import DIGITS, health_records
from sekisho.seeds import Seed
from sekisho.server.desk.cases import Case, DeskFolder, DroppedFile
from sekisho.server.desk.originals import OriginalState, propose_files
from sekisho.server.desk.shown import is_released
from sekisho.words import Language, Said

LEAST_SHARE, LEAST_BYTES = 0.1, 2 << 30
"""A dropped file leaves so much of the disk free: a tenth, or two gigabytes if that is less."""
PEOPLE, FIRMS, MADE_UP_SEED = 2000, 240, 2026
REGIONS = ("north", "east", "south", "west", "islands")
TRADES = ("food", "textiles", "wood", "metal", "machines", "electronics")


def bring_file(cases: DeskFolder, path: Path, *, language: Language = Language.EN) -> Case:
    """Return the case of a file that is read where it stands: the one that is under way, else a new one.

    Raises:
        InputError: the file cannot be read.
        FaultsError: its lines do not fit together.
    """
    place = str(path.resolve())
    for case in cases.list_cases():
        if case.original.path == place and case.check_original() is OriginalState.SAME and not is_released(case):
            return case
    return cases.create(path, language=language)


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

    def bring(self, cases: DeskFolder, *, language: Language) -> Case:
        """Return a case of it."""
        dropped = cases.begin_upload(self.name)
        dropped.receive([self.write()], start=0)
        proposal = propose_files(dropped.part, name=self.name, shape=self.shape, language=language)
        return cases.create(dropped, proposal=proposal, language=language)


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
        words=Said("{people:,} people, one row each", people=PEOPLE),
        write=write_people,
        shape=Shape.RECORDS,
    ),
    "firms": MadeUpFile(
        name="made-up-firms.csv",
        words=Said("{firms:,} firms, for a table", firms=FIRMS),
        write=write_firms,
        shape=Shape.TABLE,
    ),
}
