"""Records beyond memory, every cell the text as it stands: which columns are released, how often each value occurs."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NoReturn

import narwhals as nw
import polars as pl

from sekisho.data.engines.engine import EngineChoice
from sekisho.data.engines.names import file_column
from sekisho.data.engines.scan import Scan, open_scan
from sekisho.data.files.csv_form import CsvForm
from sekisho.data.files.schema_files.schema_file import FileRules, SchemaFile
from sekisho.data.records.microdata import (
    NUMERAL,
    CategoryCounts,
    choose_columns,
    compute_text_keys,
    raise_doubled,
    show_values,
)
from sekisho.data.shape import Shape
from sekisho.errors import ParameterError
from sekisho.seeds import Words
from sekisho.words import Said

ROW = "row_of_the_file"
"""The column that says where a record stands."""
MOST_VALUES = 100_000
"""So many values a category may have: they are held in memory, and listed in the description of the mechanism."""
VALUE, COUNT = "value", "records"


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordKey:
    """What tells the records apart.

    Attributes:
        name: the column of ids, or of the rows' places.
        numbers: whether all of them are whole numbers, which are their own keys.
    """

    name: str
    numbers: bool

    def compute(self, block: pl.DataFrame) -> Words:
        """Return the keys of a block of records."""
        ids = block[self.name]
        if self.numbers and ids.dtype.is_integer():
            return ids.cast(pl.UInt64).to_numpy()
        return compute_text_keys(show_cells(ids), numbers=self.numbers)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LargeRecords:
    """A file of records, open.

    Attributes:
        scan: its rows.
        names: the columns that are released, or changed and released.
        identifier: the column that says whose each record is; empty if there is none.
    """

    scan: Scan
    names: tuple[str, ...]
    identifier: str

    def find_keys(self) -> RecordKey:
        """Return what tells the records apart.

        Raises:
            ParameterError: two records have the same id.
        """
        if not self.identifier:
            return RecordKey(name=ROW, numbers=True)
        ids = self.scan.frame.select(file_column(self.identifier).cast(nw.String).fill_null("").alias(VALUE))
        doubled = ids.group_by(VALUE).agg(nw.len().alias(COUNT)).filter(nw.col(COUNT) > 1).head(1)
        if self.scan.collect(doubled).height:
            raise_doubled(self.identifier)
        numbers = self.scan.collect(ids.select(nw.col(VALUE).str.contains(NUMERAL).all()))
        return RecordKey(name=self.identifier, numbers=bool(numbers.item()))

    def count_categories(self) -> CategoryCounts:
        """Return how many records bear each value of each column.

        Raises:
            ParameterError: a column has too many values to be one of categories.
        """
        counts = {name: self._count_values(name) for name in self.names}
        return CategoryCounts(records=sum(counts[self.names[0]].values()), counts=counts)

    def _count_values(self, name: str) -> dict[str, int]:
        cells = self.scan.frame.select(file_column(name).alias(VALUE))
        counted = self.scan.collect(cells.group_by(VALUE).agg(nw.len().alias(COUNT)).head(MOST_VALUES + 1))
        if counted.height > MOST_VALUES:
            refuse_many_values(name)
        texts = counted.with_columns(show_cells(counted[VALUE]).alias(VALUE))
        totals = texts.group_by(VALUE).agg(pl.col(COUNT).sum()).sort(VALUE)
        return dict(totals.select(VALUE, COUNT).iter_rows())


def refuse_many_values(name: str) -> NoReturn:
    """Refuse a column that has too many values to be one of categories."""
    rule = Said(
        "have at most {most_values:,} values beyond memory; leave it out, or name it as the identifier",
        most_values=MOST_VALUES,
    )
    raise ParameterError(Said("column {name}", name=name), rule, f"more than {MOST_VALUES:,}")


def show_cells(values: pl.Series) -> pl.Series:
    """Return values as the texts that they show; engines take 0 and -0 for one number, and so it is shown as one."""
    return show_values(values + 0.0 if values.dtype.is_float() else values)


@contextmanager
def open_records(
    path: Path,
    choice: EngineChoice,
    *,
    form: CsvForm | None = None,
    columns: Sequence[str] = (),
    identifier: str = "",
    beside: Path | None = None,
) -> Generator[LargeRecords]:
    """Open a file of records beyond memory.

    Args:
        path: a CSV or Parquet file, or a folder of Parquet files.
        choice: the engine.
        form: what is known of how a CSV is written.
        columns: which columns are read, in this order; all if none is named.
        identifier: the column that says whose record it is.
        beside: the file that is going to be written: temporary files are put beside it.
    """
    written = form or CsvForm()
    rules = replace(FileRules(missing=()).adopt(written), header=written.header)
    with open_scan(path, SchemaFile(shape=Shape.RECORDS, file=rules), choice, beside=beside, row=ROW) as scan:
        available = [name for name in scan.names if name != ROW]
        names = choose_columns(path, available, columns, identifier)
        yield LargeRecords(scan=scan, names=tuple(name for name in names if name != identifier), identifier=identifier)
