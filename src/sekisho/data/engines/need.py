"""How much memory a file of records takes at the gate, before it is read: rows by columns.

Rows are those that a Parquet file tells, or as many as lines of the length of the first ones fill the file.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import polars as pl

from sekisho.data.files.plain_table import is_parquet

FIRST = 1 << 20
"""So many bytes of a file tell how long its lines are."""
AT_LEAST = 1_000_000_000
BYTES_A_CELL = 350
"""About what a run in memory asks of the system for each cell, attacks and pages included: a million records of six
columns took 1.8 GB beside the program itself, and candidates of other methods may take more."""
BYTES_A_TABULATED_CELL = 150
"""The same of records that are tabulated, of which no copy is made: five million of six columns took 4.7 GB."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryNeed:
    """What a file takes in memory.

    Attributes:
        rows: about how many there are.
        columns: how many of them are read.
        each: about how many bytes a cell takes.
    """

    rows: int
    columns: int
    each: int = BYTES_A_CELL

    @classmethod
    def estimate(cls, path: Path, columns: int, *, each: int = BYTES_A_CELL) -> MemoryNeed:
        """Return what a file takes of which so many columns are read; nothing where it is not there."""
        try:
            return cls(rows=_count_rows(path), columns=columns, each=each)
        except (OSError, pl.exceptions.PolarsError):
            return cls(rows=0, columns=columns, each=each)

    @property
    def bytes(self) -> int:
        """About how many bytes a run takes."""
        return AT_LEAST + self.rows * self.columns * self.each


def _count_rows(path: Path) -> int:
    if is_parquet(path):
        return int(pl.scan_parquet(path).select(pl.len()).collect().item())
    with path.open("rb") as stream:
        first = stream.read(FIRST)
    lines = first.count(b"\n")
    return path.stat().st_size * lines // max(1, len(first))
