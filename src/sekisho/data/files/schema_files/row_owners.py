"""Whose rows the records of a file are: asked of the columns that are read, and of those that are left out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.frame.dataset import Dataset, Kind, Role
from sekisho.data.identity.row_owner import OwnerColumn, OwnerRank, RowOwner, find_row_owner

PROBED = 1000
WHOLE, DECIMAL, DAY = r"^[+-]?[0-9]+$", r"^[+-]?[0-9]*[.,][0-9]+$", r"^[0-9]{4}[-/][0-9]{1,2}[-/][0-9]{1,2}"


def find_owner(
    data: Dataset, rows: NDArray[np.int64] | None = None, left_out: Mapping[str, pl.Series] | None = None
) -> RowOwner:
    """Return the column that says whose rows some records are, read or left out; one without a name if none does.

    Args:
        data: the columns that are read.
        rows: where each row of them stands in the file, from 0; all of them if None.
        left_out: the columns that are not read, by name, of all rows of the file.
    """
    nobody = RowOwner(column="", people=len(data), rows=len(data), rank=OwnerRank.NOBODY)
    if not len(data):
        return nobody
    holder = data.schema.identifier
    columns = (*_list_read(data), *_list_left_out(data, rows, left_out or {}))
    return find_row_owner(columns, holder="" if holder is None else holder.name) or nobody


def _list_read(data: Dataset) -> Iterator[OwnerColumn]:
    for column in data.schema:
        if column.role is Role.HOUSEHOLD:  # who lives together is not who it is
            continue
        yield OwnerColumn(name=column.name, header=column.name, kind=column.kind, cells=data.text(column.name))


def _list_left_out(
    data: Dataset, rows: NDArray[np.int64] | None, left_out: Mapping[str, pl.Series]
) -> Iterator[OwnerColumn]:
    for name, cells in left_out.items():
        texts = cells.cast(pl.String, strict=False).fill_null("").str.strip_chars()
        kept = texts if rows is None or len(data) == len(texts) else texts.gather(rows)
        yield OwnerColumn(name=name, header=name, kind=_guess_kind(kept), cells=kept)


def _guess_kind(texts: pl.Series) -> Kind:
    """Return what the first texts of a column seem to be."""
    probe = texts.filter(texts != "").head(PROBED)
    for pattern, kind in ((WHOLE, Kind.INTEGER), (DECIMAL, Kind.DECIMAL), (DAY, Kind.DATE)):
        if len(probe) and bool(probe.str.contains(pattern).all()):
            return kind
    return Kind.CATEGORY
