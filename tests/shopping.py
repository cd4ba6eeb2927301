"""Small purchase histories and releases of them, written by hand or drawn by Hypothesis."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta

import numpy as np
import polars as pl
from hypothesis import strategies as st
from numpy.typing import NDArray

from sekisho.data.frame.cells import Cells, RangeCells, gather_sets
from sekisho.data.frame.dataset import Column, Dataset, Kind, Role, Schema
from sekisho.data.frame.release import MaskedTable, Release
from sekisho.provenance import Provenance

SCHEMA = Schema(
    (
        Column(name="customer", kind=Kind.CATEGORY, role=Role.IDENTIFIER),
        Column(name="date", kind=Kind.DATE),
        Column(name="item", kind=Kind.CATEGORY),
        Column(name="price", kind=Kind.DECIMAL, decimals=2),
        Column(name="quantity", kind=Kind.INTEGER),
    )
)
FIRST = date(2011, 1, 1)

Line = tuple[str, int, str, int, int]
"""Customer, days after the first of January 2011, item, pence, units."""


def shop(lines: Sequence[Line]) -> Dataset:
    """Return a history from lines."""
    customer, day, item, price, quantity = zip(*lines, strict=True) if lines else ((),) * 5
    return Dataset(
        pl.DataFrame(
            {
                "customer": pl.Series(customer, dtype=pl.String),
                "date": pl.Series([FIRST + timedelta(days=days) for days in day], dtype=pl.Date),
                "item": pl.Series(item, dtype=pl.String),
                "price": pl.Series(price, dtype=pl.Int64),
                "quantity": pl.Series(quantity, dtype=pl.Int64),
            }
        ),
        SCHEMA,
    )


def lines_of(data: Dataset) -> list[Line]:
    """Return a history's lines."""
    frame = data.frame.with_columns((pl.col("date") - FIRST).dt.total_days().alias("date"))
    return [tuple(row) for row in frame.rows()]


def names(data: Dataset) -> NDArray[np.int64]:
    """Return a pseudonym for each row's customer, in no order of theirs."""
    return 7 * (len(data.domain("customer")) - data.codes("customer").astype(np.int64))


histories = st.lists(
    st.tuples(
        st.sampled_from("abcd"),
        st.integers(0, 6),
        st.sampled_from(["i1", "i2", "i3", "i4", "i5"]),
        st.integers(1, 400),
        st.integers(1, 40),
    ),
    min_size=1,
    max_size=30,
).map(shop)


@st.composite
def releases(draw: st.DrawFn, histories: st.SearchStrategy[Dataset] = histories) -> tuple[Dataset, Release]:
    """Return a history and a truthful release of it: ranges, sets, suppressed cells and deleted rows in any mixture."""
    data = draw(histories)
    size = len(data)
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    deleted = rng.random(size) < draw(st.sampled_from([0.0, 0.3]))
    columns: dict[str, Cells] = {}
    for name in ("date", "item", "price", "quantity"):
        hidden = rng.random(size) < draw(st.sampled_from([0.0, 0.2])) if draw(st.booleans()) else np.zeros(size, bool)
        if name == "item":
            rows = np.concatenate([np.arange(size), rng.integers(0, size, size)])
            codes = np.concatenate([data.codes(name), rng.integers(0, len(data.domain(name)), size)]).astype(np.int32)
            cells: Cells = gather_sets(rows, codes, size, data.domain(name))
        else:
            low, high = (data.grid(name) + sign * rng.integers(0, 4, size) for sign in (-1, 1))
            cells = RangeCells(lower=low, upper=high, suppressed=np.zeros(size, dtype=np.bool_))
        columns[name] = cells.suppress(hidden | deleted)
    table = MaskedTable(schema=data.schema, columns=columns, pseudonym=np.where(deleted, 0, names(data)))
    return data, Release(table=table, deleted=deleted, provenance=Provenance(name="test"))
