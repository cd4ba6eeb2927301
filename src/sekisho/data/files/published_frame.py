"""What is published as a frame, for those who go on working with it instead of with a file.

A column whose cells are all exact has its values (dates, whole numbers, floats, texts); one with generalised or
suppressed cells has them as text, as files write them: ``[low;high]``, ``{a;b}``, ``*``.
"""

from __future__ import annotations

import polars as pl

from sekisho.data.files.grammar import FieldRules, Grammar, write_cells
from sekisho.data.files.ordinary.writing import OrdinaryWriting
from sekisho.data.files.writing import Writing
from sekisho.data.frame.cells import Cells, RangeCells
from sekisho.data.frame.dataset import TYPES
from sekisho.data.frame.release import MaskedTable, Release
from sekisho.data.frame.schema import Column, Kind


def published_frame(release: Release | MaskedTable, *, writing: Writing | None = None) -> pl.DataFrame:
    """Return the rows that are not deleted, in the release's order, with pseudonyms in the place of people.

    Args:
        release: what a method made, or what was published of it.
        writing: how values are written in cells of text; ISO dates and a decimal point if not said.
    """
    table = release.table.take(~release.deleted) if isinstance(release, Release) else release
    parts: list[pl.Series] = []
    for column in table.schema:
        if column.name in table.columns:
            parts.append(_publish_column(column, table.columns[column.name], writing or OrdinaryWriting()))
        elif table.pseudonym is not None:
            parts.append(pl.Series(column.name, table.pseudonym))
    return pl.DataFrame(parts)


def _publish_column(column: Column, cells: Cells, writing: Writing) -> pl.Series:
    if not bool(cells.is_exact().all()):
        rules = FieldRules(name=column.name, kind=column.kind, decimals=column.decimals, writing=writing)
        return write_cells(cells, rules, Grammar())
    if not isinstance(cells, RangeCells):
        return pl.Series(column.name, cells.domain, dtype=pl.String).gather(cells.codes)
    grid = pl.Series(column.name, cells.lower)
    if column.kind is Kind.DECIMAL:
        return grid / 10**column.decimals
    return grid.cast(pl.Int32 if column.kind is Kind.DATE else pl.Int64).cast(TYPES[column.kind])
