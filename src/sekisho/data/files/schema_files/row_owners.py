"""Whose rows the records of a file are: asked of the columns that are read, and of those that are left out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.frame.dataset import Dataset, Kind, Role
from sekisho.data.identity.header_words import Topic, find_topics
from sekisho.data.identity.row_owner import OwnerColumn, OwnerRank, RowOwner, find_row_owner
from sekisho.data.identity.survey_headers import is_household_header, is_household_number

PROBED = 1000
MOSTLY_DISTINCT = 0.9
TELLING = frozenset({Topic.PERSON, Topic.NAME, Topic.CONTACT, Topic.NUMBER, Topic.BELONGING, Topic.TRANSACTION})
WHOLE, DECIMAL, DAY = r"^[+-]?[0-9]+$", r"^[+-]?[0-9]*[.,][0-9]+$", r"^[0-9]{4}[-/][0-9]{1,2}[-/][0-9]{1,2}"


def gather_left_out(left_out: Mapping[str, pl.Series], rows: NDArray[np.int64]) -> dict[str, pl.Series]:
    """Return the texts of columns that are not read, of the rows that are; lists and structs have none.

    Args:
        left_out: the columns as the file has them.
        rows: where each row that is read stands in the file, from 0.
    """
    texts = {
        name: cells.cast(pl.String, strict=False).fill_null("")
        for name, cells in left_out.items()
        if not cells.dtype.is_nested()
    }
    return {
        name: (cells if len(cells) == len(rows) else cells.gather(rows)).str.strip_chars()
        for name, cells in texts.items()
    }


def list_telling(left_out: Mapping[str, pl.Series]) -> dict[str, pl.Series]:
    """Return the columns that may say who somebody is: by their header, or because values hardly come again."""
    return {name: cells for name, cells in left_out.items() if _may_tell(name, cells)}


def _may_tell(name: str, cells: pl.Series) -> bool:
    if _guess_kind(cells) in {Kind.DECIMAL, Kind.DATE}:
        return False
    if is_household_number(name) or is_household_header(name):
        return True
    probe = cells.head(PROBED)
    return any(topic in TELLING for topic in find_topics(name)) or probe.n_unique() > MOSTLY_DISTINCT * len(probe)


def find_owner(data: Dataset, left_out: Mapping[str, pl.Series] | None = None) -> RowOwner:
    """Return the column that says whose rows some records are, read or left out; one without a name if none does.

    Args:
        data: the columns that are read.
        left_out: the texts of those that are not, of the same rows.
    """
    nobody = RowOwner(column="", people=len(data), rows=len(data), rank=OwnerRank.NOBODY)
    if not len(data):
        return nobody
    holder = data.schema.identifier
    unread = data.unread if left_out is None else left_out
    columns = (*_list_read(data), *_list_left_out(unread))
    return find_row_owner(columns, holder="" if holder is None else holder.name) or nobody


def _list_read(data: Dataset) -> Iterator[OwnerColumn]:
    for column in data.schema:
        if column.role is Role.HOUSEHOLD:  # who lives together is not who it is
            continue
        yield OwnerColumn(name=column.name, header=column.name, kind=column.kind, cells=data.text(column.name))


def list_owner_columns(texts: Mapping[str, pl.Series]) -> tuple[OwnerColumn, ...]:
    """Return columns of texts, of which it is asked whether they say whose a row is."""
    return tuple(_list_left_out(texts))


def _list_left_out(left_out: Mapping[str, pl.Series]) -> Iterator[OwnerColumn]:
    for name, cells in left_out.items():
        yield OwnerColumn(name=name, header=name, kind=_guess_kind(cells), cells=cells)


def _guess_kind(texts: pl.Series) -> Kind:
    """Return what the first texts of a column seem to be."""
    probe = texts.filter(texts != "").head(PROBED)
    for pattern, kind in ((WHOLE, Kind.INTEGER), (DECIMAL, Kind.DECIMAL), (DAY, Kind.DATE)):
        if len(probe) and bool(probe.str.contains(pattern).all()):
            return kind
    return Kind.CATEGORY
