"""What is published as a frame, for those who go on working with it instead of with a file.

A column whose cells are all exact has its values (dates, whole numbers, floats, texts); one with generalised or
suppressed cells has them as text, as files write them: ``[low;high]``, ``{a;b}``, ``*``, or as the label that the
method gave them. A column of numbers whose labels are plain numbers, as rounding makes them, stays one of numbers.
"""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from sekisho.data.files.grammar import FieldRules, Grammar, write_cells
from sekisho.data.files.ordinary.writing import OrdinaryWriting
from sekisho.data.files.writing import Writing
from sekisho.data.frame.cells import Cells, RangeCells, SetCells
from sekisho.data.frame.dataset import TYPES
from sekisho.data.frame.labels import Labels, MarkedNumbers
from sekisho.data.frame.release import MaskedTable, Release
from sekisho.data.frame.schema import Column, Kind


def published_frame(release: Release | MaskedTable, *, writing: Writing | None = None) -> pl.DataFrame:
    """Return the rows that are not deleted, in the release's order, with pseudonyms in the place of people.

    Args:
        release: what a method made, or what was published of it.
        writing: how values are written in cells of text; ISO dates and a decimal point if not said.
    """
    labels: Mapping[str, Labels] = {}
    if isinstance(release, Release):
        kept = release.take(~release.deleted)
        table, labels = kept.table, kept.labels
    else:
        table = release
    parts: list[pl.Series] = []
    for column in table.schema:
        if column.name in table.columns:
            cells, texts = table.columns[column.name], labels.get(column.name)
            parts.append(_publish_column(column, cells, writing or OrdinaryWriting(), texts))
        elif table.pseudonym is not None:
            parts.append(pl.Series(column.name, table.pseudonym))
    return pl.DataFrame(parts)


def write_texts(release: Release, fields: Mapping[str, FieldRules]) -> pl.DataFrame:
    """Return every row as text: labels where there are any, else the cells as files write them.

    Args:
        release: what a method made; its deleted rows are written too, so take the others first.
        fields: how the cells of each column are written.
    """
    return pl.DataFrame(
        [_write_column(cells, fields[name], release.labels.get(name)) for name, cells in release.table.columns.items()]
    )


def _write_column(cells: Cells, rules: FieldRules, labels: Labels | None) -> pl.Series:
    """Return a column as text; an exact category stands as it is, which a set's members do not."""
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


def _publish_column(column: Column, cells: Cells, writing: Writing, labels: Labels | None) -> pl.Series:
    if isinstance(labels, MarkedNumbers) and not labels.mark.any():
        cells = RangeCells.exact(labels.value)
    elif labels is not None:
        rules = FieldRules(name=column.name, kind=column.kind, decimals=column.decimals, writing=writing)
        return _write_column(cells, rules, labels)
    if not bool(cells.is_exact().all()):
        rules = FieldRules(name=column.name, kind=column.kind, decimals=column.decimals, writing=writing)
        return write_cells(cells, rules, Grammar())
    if not isinstance(cells, RangeCells):
        return pl.Series(column.name, cells.domain, dtype=pl.String).gather(cells.codes)
    grid = pl.Series(column.name, cells.lower)
    if column.kind is Kind.DECIMAL:
        return grid / 10**column.decimals
    return grid.cast(pl.Int32 if column.kind is Kind.DATE else pl.Int64).cast(TYPES[column.kind])
