"""Small tables of records, drawn and by hand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from hypothesis import strategies as st
from tests.safety.records.slow_risk import Row

from sekisho.data.frame.dataset import Column, Dataset, Kind, Role, Schema
from sekisho.data.frame.release import Release, exact_table
from sekisho.provenance import Provenance
from sekisho.safety.records.classes import ColumnCodes, CrossTable, cross_tabulate, number_classes

SCHEMA = Schema(
    (
        Column(name="sex", kind=Kind.CATEGORY),
        Column(name="age", kind=Kind.INTEGER),
        Column(name="pay", kind=Kind.INTEGER, role=Role.SENSITIVE),
    )
)


@st.composite
def drawn_rows(draw: st.DrawFn, *, gaps: bool = False, widest: int = 4, most: int = 25) -> list[Row]:
    width = draw(st.integers(1, widest))
    cells = st.sampled_from(["a", "b", "c", *([None] if gaps else [])])
    return draw(st.lists(st.tuples(*[cells] * width), min_size=1, max_size=most))


@st.composite
def drawn_tables(draw: st.DrawFn) -> tuple[list[Row], list[int]]:
    rows = draw(drawn_rows(widest=2))
    values = draw(st.lists(st.integers(0, 5), min_size=len(rows), max_size=len(rows)))
    return rows, values


def code_rows(rows: Sequence[Row]) -> list[ColumnCodes]:
    return [ColumnCodes.of(pl.Series([row[key] for row in rows], dtype=pl.String)) for key in range(len(rows[0]))]


def cross(rows: Sequence[Row], values: Sequence[int]) -> CrossTable:
    codes = np.searchsorted(np.unique(values), values).astype(np.int64)
    return cross_tabulate(number_classes(code_rows(rows), len(rows)), codes)


def released(rows: Sequence[tuple[str, int, int]], gone: tuple[int, ...] = ()) -> Release:
    frame = pl.DataFrame(rows, schema={"sex": pl.String, "age": pl.Int64, "pay": pl.Int64}, orient="row")
    deleted = np.isin(np.arange(len(rows)), gone)
    return Release(table=exact_table(Dataset(frame, SCHEMA)), deleted=deleted, provenance=Provenance(name="test"))
