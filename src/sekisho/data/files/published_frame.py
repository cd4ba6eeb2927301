"""What is published as a frame, for those who go on working with it instead of with a file.

A column whose cells are all exact has its values (dates, whole numbers, floats, texts); one with generalised or
suppressed cells has them as text, as files write them: ``[low;high]``, ``{a;b}``, ``*``, or as the label that the
method gave them. A column of numbers whose labels are plain numbers, as rounding makes them, stays one of numbers.

What rows of a class share is written once for the class, and gathered.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.files.grammar import FieldRules, Grammar, write_cells
from sekisho.data.files.plain_files.form import OrdinaryWriting
from sekisho.data.files.values import Writing
from sekisho.data.frame.cells import Cells, RangeCells, SetCells
from sekisho.data.frame.dataset import TYPES, Column, Dataset, Kind, Schema, grid_series
from sekisho.data.frame.release import ByClass, Labels, MarkedNumbers, MaskedTable, Release, exact_table
from sekisho.data.review import ReleaseReview, review_release


@dataclass(frozen=True, slots=True, eq=False)
class PublishedRows:
    """Rows as they are handed to whatever writes the file.

    Attributes:
        frame: all rows.
        shared: columns that are the same in all rows of a class, one row for each class; none where nothing is shared.
        owner: the class of each row: ``frame`` has in those columns ``shared`` gathered by it.
    """

    frame: pl.DataFrame
    shared: pl.DataFrame = field(default_factory=pl.DataFrame)
    owner: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, dtype=np.int32))

    def __len__(self) -> int:
        return self.frame.height

    def text(self, name: str) -> pl.Series:
        """Return a column as text."""
        return self.frame[name].cast(pl.String)


def published_frame(
    release: Release | MaskedTable,
    *,
    writing: Writing | None = None,
    allowed: Mapping[str, str] | None = None,
    review: ReleaseReview | None = None,
) -> pl.DataFrame:
    """Return what is published: the rows that are not deleted, in the release's order, under pseudonyms.

    Args:
        release: what a method made, or what was published of it.
        writing: how values are written in cells of text; ISO dates and a decimal point if not said.
        allowed: by column that names people why it may leave all the same.
        review: what whoever publishes it has been told; made now if None, and a release that may harm people is
            refused.

    Raises:
        ReviewNeededError: nobody reviewed it, and a column that is not allowed names people, or hidden cells can be
            worked out.
    """
    if review is None:
        review_release(release, allowed=allowed).refuse()
    return publish_values(release, writing=writing).frame


def publish_values(release: Release | MaskedTable, *, writing: Writing | None = None) -> PublishedRows:
    """Return the rows that are not deleted as their values, with what rows share beside them."""
    labels: Mapping[str, Labels] = {}
    if isinstance(release, Release):
        kept = release.take(~release.deleted) if release.deleted.any() else release
        table, labels = kept.table, kept.labels
    else:
        table = release
    schema, way = table.schema, writing or OrdinaryWriting()
    rows = _publish_columns(table, labels, lambda name, part: _publish_column(schema[name], part, way))
    if table.pseudonym is None:
        return rows
    people = {each.name: pl.Series(each.name, table.pseudonym) for each in schema if each.name not in table.columns}
    names = [each.name for each in schema if each.name in people or each.name in table.columns]
    return PublishedRows(rows.frame.with_columns(**people).select(names), rows.shared, rows.owner)


def publish_texts(release: Release | MaskedTable, fields: Mapping[str, FieldRules]) -> PublishedRows:
    """Return every row as text: labels where there are any, else the cells as files write them.

    Args:
        release: what a method made; its deleted rows are written too, so take the others first.
        fields: how the cells of each column are written.
    """
    table, labels = (release.table, release.labels) if isinstance(release, Release) else (release, {})
    return _publish_columns(table, labels, lambda name, part: _write_column(part, fields[name]))


def publish_unchanged(
    data: Dataset, columns: Sequence[Column], fields: Mapping[str, FieldRules], *, as_values: bool
) -> list[pl.Series]:
    """Return columns that nothing is done to as they are published: as values, or as the texts that files hold.

    Args:
        data: the rows.
        columns: which of its columns.
        fields: how the cells of each column are written.
        as_values: as in Parquet; else as in a CSV file.
    """
    texts = [] if as_values else [each.name for each in columns if each.kind.numeric]
    part = Dataset(data.frame.select(texts), Schema(tuple(data.schema[name] for name in texts)))
    written = publish_texts(exact_table(part), fields).frame if texts else pl.DataFrame()
    return [written[each.name] if each.name in texts else _publish_values(data, each) for each in columns]


def _publish_values(data: Dataset, column: Column) -> pl.Series:
    values = data.frame[column.name]
    return values / 10**column.decimals if column.kind is Kind.DECIMAL else values


class _Part(NamedTuple):
    """Cells of a column and what is written instead of them, for each row or for each class."""

    cells: Cells
    labels: Labels | None


def _publish_columns(
    table: MaskedTable, labels: Mapping[str, Labels], publish: Callable[[str, _Part], pl.Series]
) -> PublishedRows:
    columns, owner, shared = table.columns, np.zeros(0, dtype=np.int32), dict[str, pl.Series]()
    if isinstance(columns, ByClass):
        owner = columns.owner
        named = labels.shared if isinstance(labels, ByClass) and np.array_equal(labels.owner, owner) else {}
        shared = {
            name: publish(name, _Part(cells, named.get(name)))
            for name, cells in columns.shared.items()
            if name in named or name not in labels
        }
    frame = pl.DataFrame(
        [
            shared[name].gather(owner) if name in shared else publish(name, _Part(columns[name], labels.get(name)))
            for name in columns
        ]
    )
    return PublishedRows(frame, pl.DataFrame(list(shared.values())), owner)


def _write_column(part: _Part, rules: FieldRules) -> pl.Series:
    """Return a column as text; an exact category stands as it is, which a set's members do not."""
    cells, labels = part
    texts = labels
    if isinstance(labels, MarkedNumbers):
        texts = labels.write(lambda values: rules.writing.write(values, rules.kind, rules.decimals))
    if isinstance(texts, pl.Series) and not texts.null_count():
        return texts.cast(pl.String).alias(rules.name)
    if isinstance(cells, SetCells) and bool(cells.is_exact().all()):
        plain = pl.Series(rules.name, cells.domain, dtype=pl.String).gather(cells.codes)
    else:
        plain = write_cells(cells, rules, Grammar())
    return texts.fill_null(plain).alias(rules.name) if isinstance(texts, pl.Series) else plain


def _publish_column(column: Column, part: _Part, writing: Writing) -> pl.Series:
    cells, labels = part
    if isinstance(labels, MarkedNumbers) and not labels.mark.any():
        cells = RangeCells.exact(labels.value)
    elif labels is not None:
        rules = FieldRules(name=column.name, kind=column.kind, decimals=column.decimals, writing=writing)
        return _write_column(part, rules)
    if not bool(cells.is_exact().all()):
        rules = FieldRules(name=column.name, kind=column.kind, decimals=column.decimals, writing=writing)
        return write_cells(cells, rules, Grammar())
    return publish_exact(column, cells)


def publish_exact(column: Column, cells: Cells) -> pl.Series:
    """Return a column whose cells are all exact as its values."""
    if not isinstance(cells, RangeCells):
        return pl.Series(column.name, cells.domain, dtype=pl.String).gather(cells.codes)
    grid = grid_series(column.name, cells.lower)
    if column.kind is Kind.DECIMAL:
        return grid / 10**column.decimals
    return grid.cast(pl.Int32 if column.kind is Kind.DATE else pl.Int64).cast(TYPES[column.kind])
