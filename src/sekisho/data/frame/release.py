"""What leaves the building: a masked table, and the release that remembers which original row each of its rows was.

What is written instead of a cell's own range or set: a text, or a number with a mark before it, such as ``>=85``.

Numbers keep their value, so that each file writes it in its own way (a decimal comma, a date's format).

Columns that rows share: what all rows of a class have in a column is held once, and spread over them when asked for.

To whoever reads it, it is a mapping from names to columns with something for every row. What works once for each class
(writing texts, counting) asks for ``shared`` and ``owner`` instead, and is as fast as there are few classes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass, field, replace
from typing import Generic, TypeAlias, TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.frame.cells import Cells, DistinctCells, RangeCells, RowSelection, SetCells, are_equal_cells
from sekisho.data.frame.dataset import TYPES, Dataset, Schema, grid_series
from sekisho.errors import ParameterError
from sekisho.provenance import Provenance
from sekisho.seeds import Seed, choose_words
from sekisho.words import Said

MARKS = ("", ">=", "<=", "<")
"""What may stand before a number."""
NO_LABEL = -1


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MarkedNumbers:
    """Labels of a column of numbers.

    Attributes:
        mark: which of the marks stands before the number; -1 where the cell is written as it is.
        value: the number, on the column's grid.
    """

    mark: NDArray[np.int8]
    value: NDArray[np.int64]

    def __post_init__(self) -> None:
        if len(self.mark) != len(self.value):
            raise ParameterError("labels", Said("have a mark for every value"), (len(self.mark), len(self.value)))

    def __len__(self) -> int:
        return len(self.mark)

    def gather(self, rows: NDArray[np.intp]) -> MarkedNumbers:
        """Return the labels of some rows."""
        return MarkedNumbers(mark=self.mark[rows], value=self.value[rows])

    def write(self, write_numbers: Callable[[NDArray[np.int64]], pl.Series]) -> pl.Series:
        """Return the labels as text, null where there is none."""
        marks = pl.Series("mark", MARKS, dtype=pl.String).gather(np.maximum(self.mark, 0).astype(np.int64))
        joined = marks + write_numbers(self.value)
        return joined.set(pl.Series(self.mark == NO_LABEL), None)


Labels: TypeAlias = pl.Series | MarkedNumbers
"""Texts, null where the cell is written as it is, or marked numbers."""


def gather_labels(labels: Labels, rows: NDArray[np.intp]) -> Labels:
    """Return the labels of some rows."""
    return labels.gather(rows)


C = TypeVar("C", bound=Sized)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ByClass(Mapping[str, C], Generic[C]):
    """Columns by name.

    Attributes:
        names: of all columns, in their order.
        whole: columns with something for every row.
        shared: columns with something for every class; each class has a row.
        owner: the class of each row.
        select: gives some rows, or classes, of a column.
    """

    names: tuple[str, ...]
    whole: Mapping[str, C]
    shared: Mapping[str, C]
    owner: NDArray[np.int32]
    select: Callable[[C, NDArray[np.intp]], C]
    _spread: dict[str, C] = field(default_factory=dict[str, C], init=False)

    def __post_init__(self) -> None:
        used = np.bincount(self.owner) > 0 if len(self.owner) else np.zeros(0, dtype=np.bool_)
        if not used.all() or any(len(column) != len(used) for column in self.shared.values()):
            sizes = {name: len(column) for name, column in self.shared.items()}
            raise ParameterError("owner", Said("name every class of the shared columns, and no other"), sizes)
        if set(self.names) != self.whole.keys() | self.shared.keys() or len(self.names) != len(self):
            raise ParameterError("names", Said("be those of the columns, each once"), self.names)

    def __getitem__(self, name: str) -> C:
        if name not in self.shared:
            return self.whole[name]
        if name not in self._spread:
            self._spread[name] = self.select(self.shared[name], self.owner.astype(np.intp))
        return self._spread[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.whole) + len(self.shared)

    def take(self, rows: NDArray[np.intp]) -> ByClass[C]:
        """Return some rows; classes that have none of them are dropped."""
        owner = self.owner[rows]
        used = np.zeros(int(self.owner.max(initial=-1)) + 1, dtype=np.bool_)
        used[owner] = True
        shared = self.shared
        if not used.all():
            classes = np.flatnonzero(used)
            shared = {name: self.select(column, classes) for name, column in shared.items()}
            owner = (np.cumsum(used, dtype=np.int32) - np.int32(1))[owner]
        whole = {name: self.select(column, rows) for name, column in self.whole.items()}
        return replace(self, whole=whole, shared=shared, owner=owner)


def list_lengths(columns: Mapping[str, Sized]) -> set[int]:
    """Return how many rows the columns have."""
    if isinstance(columns, ByClass):
        return {len(column) for column in columns.whole.values()} | ({len(columns.owner)} if columns.shared else set())
    return {len(column) for column in columns.values()}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MaskedTable:
    """Rows of generalised cells.

    Attributes:
        schema: the original's.
        columns: the attributes' cells by name, all of one length; where rows share theirs, they may be held by class.
        pseudonym: in a history whose rows each belong to a person, his pseudonym (0 in a deleted row); None where a row
            is a person.
    """

    schema: Schema
    columns: Mapping[str, Cells]
    pseudonym: NDArray[np.int64] | None = None
    _distinct: dict[str, DistinctCells] = field(default_factory=dict[str, DistinctCells], init=False, repr=False)

    def __post_init__(self) -> None:
        names = tuple(column.name for column in self.schema.attributes)
        if tuple(self.columns) != names:
            raise ParameterError("columns", Said("be {words}", words=", ".join(names)), tuple(self.columns))
        lengths = list_lengths(self.columns) | ({len(self.pseudonym)} if self.pseudonym is not None else set())
        if len(lengths) != 1:
            raise ParameterError("columns", Said("be of one length"), sorted(lengths))

    def __len__(self) -> int:
        return next(iter(list_lengths(self.columns)))

    def numbers(self, name: str) -> RangeCells:
        """Return a numeric column's cells."""
        cells = self.columns[name]
        if not isinstance(cells, RangeCells):
            raise ParameterError("column", Said("be numeric"), name)
        return cells

    def sets(self, name: str) -> SetCells:
        """Return a category column's cells."""
        cells = self.columns[name]
        if not isinstance(cells, SetCells):
            raise ParameterError("column", Said("be a category"), name)
        return cells

    def find_distinct(self, name: str) -> DistinctCells:
        """Return a column as its distinct cells; where rows share theirs, no class is spread over its rows for that."""
        if not isinstance(self.columns, ByClass) or name not in self.columns.shared:
            return DistinctCells.of(self.columns[name])
        if name not in self._distinct:
            self._distinct[name] = DistinctCells.of(self.columns.shared[name])
        shared = self._distinct[name]
        return DistinctCells(cells=shared.cells, place=shared.place[self.columns.owner])

    def hold_once(self, names: Sequence[str]) -> tuple[dict[str, Cells], NDArray[np.int32] | None]:
        """Return some columns as they are held: of classes, with the class of each row; or of rows, and None."""
        if isinstance(self.columns, ByClass) and set(names) <= self.columns.shared.keys():
            return {name: self.columns.shared[name] for name in names}, self.columns.owner
        return {name: self.columns[name] for name in names}, None

    def take(self, rows: RowSelection) -> MaskedTable:
        """Return some rows."""
        chosen = np.flatnonzero(rows) if rows.dtype == np.bool_ else rows.astype(np.intp, copy=False)
        if isinstance(self.columns, ByClass):
            columns = self.columns.take(chosen)
        else:
            columns = {name: cells.take(chosen) for name, cells in self.columns.items()}
        return MaskedTable(
            schema=self.schema,
            columns=columns,
            pseudonym=None if self.pseudonym is None else self.pseudonym[rows],
        )

    def to_dataset(self) -> Dataset:
        """Return the rows as plain data; only a table whose cells are all exact is plain data."""
        parts: list[pl.Series] = []
        for column in self.schema.attributes:
            cells = self.columns[column.name]
            if not bool(cells.is_exact().all()):
                raise ParameterError(
                    Said("column {name}", name=column.name),
                    Said("hold exact cells only"),
                    "a generalised or suppressed cell",
                )
            if isinstance(cells, RangeCells):
                parts.append(
                    grid_series(column.name, cells.lower)
                    .cast(pl.Int32 if TYPES[column.kind] == pl.Date else pl.Int64)
                    .cast(TYPES[column.kind])
                )
            else:
                parts.append(
                    pl.Series(column.name, np.asarray(cells.domain, dtype=object)[cells.codes], dtype=pl.String)
                )
        return Dataset(pl.DataFrame(parts), Schema(self.schema.attributes))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Release:
    """What a method hands over: row i of the table is what became of row i of the original.

    Deleted rows stay in place, marked; what is published is the rest, in an order that reveals nothing.

    Attributes:
        detail: what the method reports beside its release, such as a lower bound or a guarantee, as plain data for
            JSON.
        labels: by column, what is written instead of a cell's own range or set, such as a label of a tree or ``>=85``.
        order: the kept rows as they are published, where the method draws that itself; else None.
    """

    table: MaskedTable
    deleted: NDArray[np.bool_]
    provenance: Provenance
    detail: Mapping[str, object] = field(default_factory=dict[str, object])
    labels: Mapping[str, Labels] = field(default_factory=dict[str, Labels])
    order: NDArray[np.intp] | None = None

    def __post_init__(self) -> None:
        if len(self.deleted) != len(self.table):
            raise ParameterError("deleted", Said("have one mark per row"), (len(self.deleted), len(self.table)))
        if not set(self.labels) <= set(self.table.columns) or list_lengths(self.labels) - {len(self.table)}:
            raise ParameterError("labels", Said("have one text per row of a column"), tuple(self.labels))

    def take(self, rows: RowSelection) -> Release:
        """Return some rows, in this order."""
        chosen = np.flatnonzero(rows) if rows.dtype == np.bool_ else rows.astype(np.intp, copy=False)
        if isinstance(self.labels, ByClass):
            labels = self.labels.take(chosen)
        else:
            labels = {name: texts.gather(chosen) for name, texts in self.labels.items()}
        return replace(self, table=self.table.take(chosen), deleted=self.deleted[chosen], labels=labels)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SyntheticRelease(Release):
    """Rows that were drawn from a model: none of them is anybody's, and there may be any number of them.

    So row i is not what became of row i of the original, no record is left out, and nobody can be named by his row. Who
    is betrayed all the same is counted beside people who are not in the original.
    """


def order_rows(release: Release, seed: Seed) -> NDArray[np.intp]:
    """Return the kept rows of a release in the order in which they are published, which tells nothing.

    Each row has a word of its own, so that the order is the same whoever draws it, beyond memory too; a method that
    draws the order with its records has drawn it already.

    Args:
        release: the rows.
        seed: of the run; the order is its child ``publish``.
    """
    return draw_order(np.flatnonzero(~release.deleted), seed) if release.order is None else release.order


def draw_order(rows: NDArray[np.intp], seed: Seed) -> NDArray[np.intp]:
    """Return rows in an order that tells nothing; that of some does not depend on the others."""
    words = choose_words(seed.child("publish").rng()).draw("order", rows.astype(np.uint64))
    return rows[pl.Series(words).arg_sort().to_numpy()]


def compare_missing(original: Dataset, release: Release) -> dict[str, tuple[int, int]]:
    """Return how many cells of each column are missing before and after; columns without any are left out."""
    before = original.count_missing()
    after = {name: int((cells.is_missing() & ~release.deleted).sum()) for name, cells in release.table.columns.items()}
    return {name: (before.get(name, 0), count) for name, count in after.items() if before.get(name) or count}


def is_unchanged(release: Release, original: Dataset) -> bool:
    """Tell whether every cell of a release is the original's and no row is gone: its method changed nothing.

    Whose a row is may have another name; drawn rows are nobody's, so nothing is said of them.
    """
    table, every = release.table, np.ones(len(release.deleted), dtype=np.bool_)
    if isinstance(release, SyntheticRelease) or len(table) != len(original) or release.deleted.any():
        return False
    if any(_has_label(labels) for labels in release.labels.values()):
        return False
    return all(are_equal_cells(cells, exact_cells(original, name), every) for name, cells in table.columns.items())


def _has_label(labels: Labels) -> bool:
    """Tell whether anything is written instead of a cell."""
    if isinstance(labels, MarkedNumbers):
        return bool((labels.mark != NO_LABEL).any())
    return labels.null_count() < len(labels)


def exact_cells(data: Dataset, name: str) -> Cells:
    """Return a column of a data set as cells that are all exact."""
    if data.schema[name].kind.numeric:
        return RangeCells.exact(data.grid(name))
    return SetCells.exact(data.codes(name), data.domain(name))


def exact_table(data: Dataset, *, pseudonym: NDArray[np.int64] | None = None) -> MaskedTable:
    """Return a data set as a masked table whose cells are all exact."""
    columns = {column.name: exact_cells(data, column.name) for column in data.schema.attributes}
    return MaskedTable(schema=data.schema, columns=columns, pseudonym=pseudonym)
