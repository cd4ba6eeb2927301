"""What leaves the building: a masked table, and the release that remembers which original row each of its rows was."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.frame.by_class import ByClass, list_lengths
from sekisho.data.frame.cells import Cells, RangeCells, RowSelection, SetCells
from sekisho.data.frame.dataset import TYPES, Dataset, grid_series
from sekisho.data.frame.labels import Labels
from sekisho.data.frame.schema import Schema
from sekisho.errors import ParameterError
from sekisho.provenance import Provenance
from sekisho.seeds import Seed, choose_words
from sekisho.words import Said


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


def count_missing_cells(release: Release) -> dict[str, int]:
    """Return how many cells of each column are published as missing; columns without any are left out."""
    counts = {name: int((cells.is_missing() & ~release.deleted).sum()) for name, cells in release.table.columns.items()}
    return {name: count for name, count in counts.items() if count}


def exact_cells(data: Dataset, name: str) -> Cells:
    """Return a column of a data set as cells that are all exact."""
    if data.schema[name].kind.numeric:
        return RangeCells.exact(data.grid(name))
    return SetCells.exact(data.codes(name), data.domain(name))


def exact_table(data: Dataset, *, pseudonym: NDArray[np.int64] | None = None) -> MaskedTable:
    """Return a data set as a masked table whose cells are all exact."""
    columns = {column.name: exact_cells(data, column.name) for column in data.schema.attributes}
    return MaskedTable(schema=data.schema, columns=columns, pseudonym=pseudonym)
