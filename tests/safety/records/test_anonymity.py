"""Nobody may stand in a smaller class than k; a class is what looks the same as it is published."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.shopping import names, shop

from sekisho.data.frame.cells import RangeCells
from sekisho.data.frame.dataset import Column, Dataset, Kind, Schema
from sekisho.data.frame.release import MaskedTable, Release, exact_table
from sekisho.errors import InfeasibleError, ParameterError
from sekisho.provenance import Provenance
from sekisho.safety.records.anonymity import KAnonymity, class_sizes

SCHEMA = Schema((Column(name="sex", kind=Kind.CATEGORY), Column(name="age", kind=Kind.INTEGER)))


def released(rows: list[tuple[str, int]], gone: tuple[int, ...] = ()) -> Release:
    frame = pl.DataFrame(rows, schema={"sex": pl.String, "age": pl.Int64}, orient="row")
    deleted = np.isin(np.arange(len(rows)), gone)
    return Release(table=exact_table(Dataset(frame, SCHEMA)), deleted=deleted, provenance=Provenance(name="test"))


def test_the_smallest_class_decides_and_is_named() -> None:
    # f 30 stands twice, m 40 three times, m 41 alone.
    release = released([("f", 30), ("m", 40), ("f", 30), ("m", 40), ("m", 41), ("m", 40)])
    found = KAnonymity(k=2).check(release)
    assert (found.kept, found.worst, found.where) == (False, 1.0, (4,))
    assert "the smallest class has 1 row, 2 are asked for (1 row stands in smaller ones)" in found.words
    by_sex = KAnonymity(k=2, keys=("sex",)).check(release)
    assert (by_sex.kept, by_sex.worst, by_sex.where) == (True, 2.0, (0, 2))


def test_deleted_rows_hide_nobody() -> None:
    release = released([("f", 30), ("f", 30), ("m", 40), ("m", 40)], gone=(1,))
    found = KAnonymity(k=2).check(release)
    assert (found.kept, found.worst, found.where) == (False, 1.0, (0,))


def test_a_range_is_a_class_of_its_own() -> None:
    exact = released([("f", 30), ("f", 31), ("f", 30)])
    low, high = np.array([30, 30, 30]), np.array([31, 31, 30])
    ranges = RangeCells(lower=low, upper=high, suppressed=np.zeros(3, dtype=np.bool_))
    table = MaskedTable(schema=SCHEMA, columns={**exact.table.columns, "age": ranges})
    release = Release(table=table, deleted=exact.deleted, provenance=exact.provenance)
    assert class_sizes(release).tolist() == [2, 2, 1]


@given(st.lists(st.tuples(st.sampled_from("fmx"), st.integers(0, 3)), min_size=1, max_size=30))
def test_sizes_are_those_of_a_plain_count(rows: list[tuple[str, int]]) -> None:
    assert class_sizes(released(rows)).tolist() == [rows.count(row) for row in rows]


def test_what_has_no_classes_is_refused() -> None:
    with pytest.raises(InfeasibleError, match="nothing is published"):
        KAnonymity().check(released([("f", 1)], gone=(0,)))
    with pytest.raises(ParameterError, match="column must be one of sex, age"):
        KAnonymity(keys=("town",)).check(released([("f", 1)]))
    with pytest.raises(ParameterError, match="k must be at least 2"):
        KAnonymity(k=0)
    history = shop([("a", 1, "x", 100, 1), ("b", 2, "y", 100, 1)])
    bought = Release(
        table=exact_table(history, pseudonym=names(history)),
        deleted=np.zeros(2, dtype=np.bool_),
        provenance=Provenance(name="test"),
    )
    with pytest.raises(ParameterError, match="be of records"):
        KAnonymity().check(bought)
