"""A column told more coarsely is released as what it is known to be: never less than the truth, never more than its step."""

from __future__ import annotations

from datetime import date

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sekisho.data.frame.cells import MISSING_NUMBER, find_gaps
from sekisho.data.frame.dataset import Column, Dataset, Kind, Schema
from sekisho.data.frame.release import Release, exact_table
from sekisho.errors import ParameterError
from sekisho.protect.coarser_columns import CoarserColumns
from sekisho.protect.records.partition import Partition
from sekisho.provenance import Provenance
from sekisho.seeds import Seed

SCHEMA = Schema(
    (
        Column(name="age", kind=Kind.INTEGER),
        Column(name="born", kind=Kind.DATE),
        Column(name="pay", kind=Kind.DECIMAL, decimals=1),
        Column(name="post", kind=Kind.CATEGORY),
    )
)


def make_data(ages: list[int]) -> Dataset:
    days = [date(2024, 1, 31), date(2024, 2, 1), date(2024, 2, 29), date(2023, 12, 31)]
    posts = ["100-01", "100-02", "150-01", "160-09"]
    frame = pl.DataFrame(
        {
            "age": ages,
            "born": [days[age % 4] for age in ages],
            "pay": [age * 7 for age in ages],
            "post": [posts[age % 4] for age in ages],
        }
    )
    return Dataset(frame, SCHEMA)


def release(data: Dataset) -> Release:
    return Release(
        table=exact_table(data), deleted=np.zeros(len(data), dtype=np.bool_), provenance=Provenance(name="none")
    )


def test_golden_steps() -> None:
    data = make_data([23, 25])
    coarser = CoarserColumns(columns={"age": 5, "born": "month", "pay": 10, "post": 3})
    coarser.check(data)
    table = coarser.widen(release(coarser.blur(data)), data).table
    # 23 lies in 20 to 24, 25 in 25 to 29
    assert [*zip(table.numbers("age").lower, table.numbers("age").upper, strict=True)] == [(20, 24), (25, 29)]
    # 31 December 2023 and 1 February 2024: whole months, the second of a leap year
    born = table.numbers("born")
    days = [(date(1970, 1, 1).toordinal() + int(day)) for day in (*born.lower, *born.upper)]
    assert [date.fromordinal(day) for day in days] == [
        date(2023, 12, 1),
        date(2024, 2, 1),
        date(2023, 12, 31),
        date(2024, 2, 29),
    ]
    # 16.1 and 17.5, in tenths: 10.0 to 19.9
    assert table.numbers("pay").lower.tolist() == [100, 100]
    assert table.numbers("pay").upper.tolist() == [199, 199]
    assert [table.sets("post").domain[code] for code in table.sets("post").codes] == ["160-09", "100-02"]


def test_what_is_left_out_is_hidden_everywhere_and_what_is_not_named_stays() -> None:
    data = make_data([3, 4, 5])
    coarser = CoarserColumns(columns={"post": "out", "age": "out"})
    made = coarser.widen(release(coarser.blur(data)), data)
    assert made.table.columns["post"].suppressed.all()
    assert made.table.columns["age"].suppressed.all()
    assert made.table.numbers("pay").lower.tolist() == data.grid("pay").tolist()
    assert coarser.left_out == ("post", "age")


@given(st.lists(st.integers(-40, 120), min_size=1, max_size=40), st.integers(1, 30), st.integers(1, 6))
def test_every_cell_admits_the_truth_and_whatever_is_told_alike_with_it(
    ages: list[int], width: int, length: int
) -> None:
    data = make_data(ages)
    coarser = CoarserColumns(columns={"age": width, "post": length, "born": "quarter"})
    table = coarser.widen(release(coarser.blur(data)), data).table
    for name in ("age", "born", "pay"):
        assert table.numbers(name).admits(data.grid(name)).all()
    cells = table.sets("post")
    assert cells.admits(data.codes("post")).all()
    alike = {post: {other for other in data.domain("post") if other[:length] == post[:length]} for post in cells.domain}
    for row, post in enumerate(data.frame["post"]):
        codes = cells.codes[cells.offsets[row] : cells.offsets[row + 1]]
        assert {cells.domain[code] for code in codes} == alike[post]


def test_a_missing_cell_stays_missing_and_lies_in_no_step() -> None:
    whole = make_data([23, 25, 31])
    gap = pl.Series([False, True, False])
    frame = whole.frame.with_columns(pl.when(gap).then(None).otherwise(pl.all()).name.keep())
    data = Dataset(frame, SCHEMA)
    coarser = CoarserColumns(columns={"age": 5, "born": "year", "pay": 10, "post": 3})
    blurred = coarser.blur(data)
    assert blurred.count_missing() == dict.fromkeys(SCHEMA.names, 1)
    table = coarser.widen(release(blurred), data).table
    # 23 lies in 20 to 24, 31 in 30 to 34; between them nothing is known
    age = table.numbers("age")
    assert [*zip(age.lower, age.upper, strict=True)] == [(20, 24), (MISSING_NUMBER, MISSING_NUMBER), (30, 34)]
    for name in ("age", "born", "pay"):
        assert table.numbers(name).admits(data.grid(name)).all()
        assert find_gaps(table.numbers(name).lower).tolist() == gap.to_list()
    assert table.sets("post").admits(data.codes("post")).all()


@pytest.mark.parametrize("rows", [[None, None], [None, 7]])
def test_a_column_with_missing_cells_is_left_out_as_any_other(rows: list[int | None]) -> None:
    born = [None if day is None else date(2024, 1, day) for day in rows]
    numbers = pl.Series(rows, dtype=pl.Int64)
    columns = {"age": numbers, "born": pl.Series(born, dtype=pl.Date), "pay": numbers, "post": ["", "1"]}
    data = Dataset(pl.DataFrame(columns), SCHEMA)
    coarser = CoarserColumns(columns=dict.fromkeys(SCHEMA.names, "out"))
    blurred = coarser.blur(data)
    assert all(blurred.frame[name].n_unique() == 1 for name in SCHEMA.names)
    table = coarser.widen(release(blurred), data).table
    assert all(table.columns[name].suppressed.all() for name in SCHEMA.names)


def test_a_method_s_own_loss_is_not_told_of_coarser_data() -> None:
    data = make_data([*range(20, 40)])
    coarser = CoarserColumns(columns={"age": 5})
    made = Partition(keys=("age", "post"), k=4).apply(coarser.blur(data), rng=Seed(1).rng())
    assert "ncp" in made.detail
    widened = coarser.widen(made, data)
    assert "ncp" not in widened.detail
    assert widened.provenance.parameters["coarser"] == {"age": 5}


@pytest.mark.parametrize(
    ("columns", "place"),
    [
        ({"height": 5}, "coarser.height"),
        ({"age": "month"}, "coarser.age"),
        ({"age": 0}, "coarser.age"),
        ({"age": 2.5}, "coarser.age"),
        ({"born": 5}, "coarser.born"),
        ({"post": "year"}, "coarser.post"),
    ],
)
def test_what_does_not_suit_a_column_is_refused_by_its_key(columns: dict[str, object], place: str) -> None:
    with pytest.raises(ParameterError, match=place):
        CoarserColumns(columns=columns).check(make_data([1, 2]))
