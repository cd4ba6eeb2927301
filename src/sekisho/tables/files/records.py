"""Files of records as the source of a table: tabulated, with the largest contributions to each cell."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.files.readers.body_lines import LeftOut
from sekisho.data.identity.contributor_column import ContributorColumn, find_contributor_columns, gather_columns
from sekisho.errors import Fault, FaultsError, MissingColumnsError
from sekisho.tables.files.cells import dimension_of, group_dimension
from sekisho.tables.files.notices import notice_trees
from sekisho.tables.files.row_unit import (
    RowUnit,
    UnitGround,
    nest_owners,
    read_row_reason,
    settle_unit,
)
from sekisho.tables.files.source import TableRead
from sekisho.tables.files.table_form import TableForm
from sekisho.tables.model.geometry import Dimension
from sekisho.tables.model.tabulate import Tabulation, flat_dimensions
from sekisho.words import Said, name_setting

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
        contributor: the column that says whose a record is, or ``row=`` and the reason why each record is another's; if
            empty, whatever column says it (:mod:`sekisho.tables.files.row_unit`).
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

    def __post_init__(self) -> None:
        read_row_reason(self.contributor)

    @property
    def owner_column(self) -> str:
        """The column that is said to tell contributors apart; empty if none is."""
        return "" if read_row_reason(self.contributor) is not None else self.contributor

    @property
    def named(self) -> str:
        """The name of the value's column in files of cells."""
        return self.value or COUNT

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns that are read, each once."""
        others = (self.value, self.weight, self.owner_column, self.holding, self.request, self.waiver)
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
        unit = self.settle_unit(frame)
        tabulation = self.take_unit(unit).tabulation(frame, source)
        table = tabulation.table(frame, source=source)
        read = TableRead(
            table=table,
            notices=(
                Said("{form}; {rows:,} records", form=form, rows=frame.height),
                *notice_unit(source, unit, self.contributor),
                *notice_trees(source, table, self.form.margins, self.form.trees),
            ),
            unit=unit,
        )
        return RecordsRead(read=read, frame=frame, tabulation=tabulation, source=source)

    def settle_unit(self, frame: pl.DataFrame) -> RowUnit:
        """Return whose the rows of records are: as is said, else by the column that says so."""
        columns = gather_columns(frame.drop(self.list_taken(), strict=False))
        return self.find_unit(
            find_contributor_columns(columns),
            rows=frame.height,
            nests=partial(nest_owners, frame),
            count=partial(_count, frame),
        )

    def list_taken(self) -> list[str]:
        """Return the columns that hold something else than whose a record is."""
        return [name for name in (self.value, self.weight, self.holding, self.request, self.waiver) if name]

    def find_unit(
        self,
        owners: Sequence[ContributorColumn],
        *,
        rows: int,
        nests: Callable[[ContributorColumn, ContributorColumn], bool],
        count: Callable[[str], int],
    ) -> RowUnit:
        """Return whose rows these are, given the columns that tell owners apart and how many a column has."""
        found = settle_unit(owners, rows=rows, nests=nests, dims=self.dims)
        reason, column = read_row_reason(self.contributor), self.owner_column
        if reason is not None:
            return RowUnit(ground=UnitGround.HOLDER, rows=rows, owners=rows, reason=reason, dims=found.dims)
        if not column:
            return found
        dims = tuple(dict.fromkeys((*found.dims, *(dim for dim in self.dims if dim == column))))
        return RowUnit(column=column, ground=UnitGround.HOLDER, rows=rows, owners=count(column), dims=dims)

    def take_unit(self, unit: RowUnit) -> RecordSource:
        """Return the same with the contributor that was settled."""
        return replace(self, contributor=unit.column)

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
            contributor=self.owner_column or None,
            holding=self.holding or None,
            weight=self.weight or None,
            request=self.request or None,
            waiver=self.waiver or None,
            places=self.places,
        )


def _count(frame: pl.DataFrame, column: str) -> int:
    """Return how many different values a column has; none if it is not there, which is told elsewhere."""
    return frame[column].drop_nulls().n_unique() if column in frame.columns else 0


def notice_unit(source: Path, unit: RowUnit, said: str) -> Iterator[Said]:
    """Give what was found out of whose the records are, where nobody said it."""
    if said:
        return
    if unit.column:
        yield Said(
            "{source}: {column} repeats, and says whose each row is: {owners:,} contributors of {rows:,} rows "
            "(another: {setting})",
            source=source,
            column=unit.column,
            owners=unit.owners or 0,
            rows=unit.rows or 0,
            setting=name_setting("contributor"),
        )
