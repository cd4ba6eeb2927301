"""Equal rows have the same number, whatever file they stand in; a single row is one that no other equals."""

from __future__ import annotations

from collections import Counter

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sekisho.data.frame.dataset import Column, Dataset, Kind, Role, Schema
from sekisho.data.records.space import count_unique_records, find_single_rows, number_equal_rows
from sekisho.errors import ParameterError

ROWS = st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from(["a", "", "aa"]), st.integers(-1, 2)), max_size=12)


def make_data(rows: list[tuple[str, str, int]]) -> Dataset:
    schema = Schema(
        (
            Column(name="x", kind=Kind.CATEGORY),
            Column(name="y", kind=Kind.CATEGORY),
            Column(name="z", kind=Kind.INTEGER),
        )
    )
    frame = pl.DataFrame(rows, schema={"x": pl.String, "y": pl.String, "z": pl.Int64}, orient="row")
    return Dataset(frame, schema)


@given(ROWS, ROWS)
def test_numbers_agree_where_rows_do(one: list[tuple[str, str, int]], other: list[tuple[str, str, int]]) -> None:
    first, second = number_equal_rows(make_data(one), make_data(other), columns=("x", "y", "z"))
    assert (len(first), len(second)) == (len(one), len(other))
    numbers, rows = [*first.tolist(), *second.tolist()], one + other
    assert all((numbers[i] == numbers[j]) == (rows[i] == rows[j]) for i in range(len(rows)) for j in range(i))


@given(ROWS)
def test_single_rows_are_those_that_are_there_once(rows: list[tuple[str, str, int]]) -> None:
    times = Counter(rows)
    (numbers,) = number_equal_rows(make_data(rows), columns=("x", "y", "z"))
    assert find_single_rows(numbers).tolist() == [place for place, row in enumerate(rows) if times[row] == 1]
    assert count_unique_records(make_data(rows)) == sum(count == 1 for count in times.values())


def test_an_identifier_makes_nobody_unique() -> None:
    schema = Schema((Column(name="id", kind=Kind.CATEGORY, role=Role.IDENTIFIER), Column(name="x", kind=Kind.CATEGORY)))
    frame = pl.DataFrame({"id": ["1", "2", "3"], "x": ["a", "a", "b"]})
    assert count_unique_records(Dataset(frame, schema)) == 1


def test_columns_that_are_not_there_are_refused() -> None:
    with pytest.raises(ParameterError, match="columns must be at least one, and stand in every file"):
        number_equal_rows(make_data([]), columns=("x", "w"))
    with pytest.raises(ParameterError, match="columns must be at least one"):
        number_equal_rows(make_data([]), columns=())
