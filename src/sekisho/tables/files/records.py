"""Files of records as the source of a table: tabulated, with the largest contributions to each cell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.files.readers.body_lines import LeftOut
from sekisho.errors import Fault, FaultsError, MissingColumnsError
from sekisho.tables.files.cells import dimension_of, group_dimension
from sekisho.tables.files.notices import notice_trees
from sekisho.tables.files.source import TableRead
from sekisho.tables.files.table_form import TableForm
from sekisho.tables.model.geometry import Dimension
from sekisho.tables.model.tabulate import Tabulation, flat_dimensions
from sekisho.words import Said

COUNT = "n"
"""The name of the value's column where records are counted."""
PLACES = 5
"""How many of the largest contributions to a cell are kept: what the usual rules look at."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RecordsRead:
    """The table of a file of records, and the records.

    Attributes:
        read: the table, and what was found out about the file.
        frame: the records.
        tabulation: how they were tabulated.
        source: their file.
    """

    read: TableRead
    frame: pl.DataFrame
    tabulation: Tabulation
    source: Path

    def read_column(self, name: str) -> list[str]:
        """Return a column as texts.

        Raises:
            MissingColumnsError: there is none.
            FaultsError: rows in which it is empty.
        """
        if name not in self.frame.columns:
            raise MissingColumnsError(self.source, [name], self.frame.columns)
        texts = self.frame[name].cast(pl.String).fill_null("").str.strip_chars()
        empty = (texts == "").arg_true().to_list()
        if empty:
            message = Said("is empty, and every record needs one")
            raise FaultsError(
                self.source, [Fault(row=row + 1, column=name, rule="empty", value="", message=message) for row in empty]
            )
        return texts.to_list()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RecordsBehind:
    """The records behind a table, or behind the parts of a system of tables.

    Attributes:
        parts: what was read for each part.
        places: where the cells of each part stand in the table.
    """

    parts: tuple[RecordsRead, ...]
    places: tuple[NDArray[np.intp], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordSource:
    """How a file of records is read and tabulated; empty names are not there.

    Attributes:
        dims: the dimension columns.
        value: the column that is summed; records are counted if empty.
        contributor: the column that says whose a record is; each is another's if empty.
        holding: the column of the group to which contributors belong.
        weight: the column of sampling weights.
        request: the column that marks those who asked for protection.
        waiver: the column that marks those who gave theirs up.
        places: how many of the largest contributions to a cell are kept.
        form: how the file is written, and what its codes mean.
    """

    dims: tuple[str, ...]
    value: str = ""
    contributor: str = ""
    holding: str = ""
    weight: str = ""
    request: str = ""
    waiver: str = ""
    places: int = PLACES
    form: TableForm = field(default_factory=TableForm)

    @property
    def named(self) -> str:
        """The name of the value's column in files of cells."""
        return self.value or COUNT

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns that are read, each once."""
        others = (self.value, self.weight, self.contributor, self.holding, self.request, self.waiver)
        return tuple(dict.fromkeys(name for name in (*self.dims, *others) if name))

    @property
    def numbers(self) -> list[str]:
        """The columns of numbers."""
        return [name for name in (self.value, self.weight) if name]

    def read_table(self, source: Path) -> TableRead:
        """Return the table of a file of records."""
        return self.read_records(source).read

    def read_records(self, source: Path) -> RecordsRead:
        """Return the table of a file of records together with the records."""
        frame, form = self.form.read_frame(source, self.numbers, left_out=LeftOut.ALL)
        frame = self.form.join_records(frame)
        tabulation = self.tabulation(frame, source)
        table = tabulation.table(frame, source=source)
        read = TableRead(
            table=table,
            notices=(
                Said("{form}; {rows:,} records", form=form, rows=frame.height),
                *notice_trees(source, table, self.form.margins, self.form.trees),
            ),
        )
        return RecordsRead(read=read, frame=frame, tabulation=tabulation, source=source)

    def tabulation(self, frame: pl.DataFrame, source: Path) -> Tabulation:
        """Return how records are tabulated, the codes of dimensions without a tree being those of these records."""
        flat = self.list_flat()
        return self.tabulate_by(flat_dimensions(frame, flat, source=source, margins=self.form.margins.only(flat)))

    def list_flat(self) -> list[str]:
        """Return the dimensions without a tree."""
        self.form.refuse_strange(self.dims)
        return [name for name in self.dims if name not in self.form.trees]

    def tabulate_by(self, flat: Sequence[Dimension]) -> Tabulation:
        """Return how records are tabulated, given the dimensions without a tree."""
        form = self.form
        plain = {one.name: one for one in flat}
        for name, tree in form.trees.items():
            plain[name] = dimension_of(name, tree, total=form.margins.root(name, tree.tree.codes, ()))
        return Tabulation(
            dimensions=tuple(group_dimension(plain[name], form.groups.get(name, ())) for name in self.dims),
            value=self.value or None,
            contributor=self.contributor or None,
            holding=self.holding or None,
            weight=self.weight or None,
            request=self.request or None,
            waiver=self.waiver or None,
            places=self.places,
        )
