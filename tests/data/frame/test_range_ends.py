"""Where nearly everybody bears a value of their own, no range ends at a value because it is somebody's."""

from __future__ import annotations

from datetime import date

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from sekisho.data.frame.cells import MISSING_NUMBER, RangeCells
from sekisho.data.frame.dataset import Column, Kind
from sekisho.data.frame.range_ends import (
    FEWEST_BEARERS,
    Calendar,
    EndsGrid,
    choose_grid,
    count_bearers,
    describe_grids,
    round_steps,
)

ENDS = np.iinfo(np.int64)
PAY = Column(name="pay", kind=Kind.INTEGER)
BORN = Column(name="born", kind=Kind.DATE)
ROUND_STEPS = [digit * 10**power for power in range(17) for digit in (1, 2, 5)]
INCOMES = [1003, 1507, 2011, 2513, 3019, 3517, 4021, 4523, 5011, 5519, 6029, 6521]


def choose(
    column: Column, values: list[int], *, low: int = int(ENDS.min), high: int = int(ENDS.max)
) -> EndsGrid | None:
    known, people = count_bearers(np.array(values, dtype=np.int64))
    return choose_grid(column, known, people, low=low, high=high)


def require(grid: EndsGrid | None) -> EndsGrid:
    assert grid is not None
    return grid


def ranges(*ends: tuple[int, int]) -> RangeCells:
    low, high = np.array(ends, dtype=np.int64).T
    return RangeCells(lower=low.copy(), upper=high.copy(), suppressed=np.zeros(len(ends), dtype=np.bool_))


def list_ends(cells: RangeCells) -> list[tuple[int, int]]:
    return list(zip(cells.lower.tolist(), cells.upper.tolist(), strict=True))


def days(year: int, month: int, day: int) -> int:
    return (date(year, month, day) - date(1970, 1, 1)).days


def test_numbers_end_at_multiples_of_what_three_neighbours_span() -> None:
    # the middle half of 12 people spans 2011 to 5011, so three people span 3000 * 2 * 3 / 12 = 1500: thousands
    grid = require(choose(PAY, INCOMES))
    assert grid.step == 1000
    assert list_ends(grid.widen(ranges((1507, 4021), (2011, 2011)))) == [(1000, 5000), (2011, 2011)]
    assert str(grid.words) == "multiples of 1,000, or of more where people are few"
    # cents: a decimal's step is told in its own unit
    cents = require(choose(Column(name="pay", kind=Kind.DECIMAL, decimals=2), INCOMES))
    assert describe_grids({"pay": cents}) == {"grid": {"pay": "multiples of 10, or of more where people are few"}}


def test_where_people_are_few_the_step_is_as_wide_as_they_stand_apart() -> None:
    # 907,331 and its three neighbours below stand 907,331 - 4,523 apart, and so a multiple of 500,000 is as near as is told
    grid = require(choose(PAY, [*INCOMES[:-2], 300_007, 907_331]))
    assert list_ends(grid.widen(ranges((5519, 907_331)))) == [(5000, 1_000_000)]


def test_no_limit_of_a_schema_is_passed() -> None:
    grid = require(choose(PAY, INCOMES, low=1200, high=4500))
    assert list_ends(grid.widen(ranges((1507, 4021)))) == [(1200, 4500)]
    # a value that lies beyond a limit stays where it is
    assert list_ends(grid.widen(ranges((1003, 6521)))) == [(1003, 6521)]


def test_dates_end_at_years_and_at_months_where_people_stand_close() -> None:
    far = [days(1930 + place, 1 + place % 12, 6) for place in range(40)]
    years = require(choose(BORN, far))
    assert years.calendar is Calendar.YEAR
    assert list_ends(years.widen(ranges((far[15], far[39])))) == [(days(1945, 1, 1), days(1969, 12, 31))]
    close = [days(1990, 1, 1) + 9 * place for place in range(40)]  # three neighbours within a month
    months = require(choose(BORN, close))
    assert str(months.words) == "whole months"
    assert list_ends(months.widen(ranges((close[1], close[5])))) == [(days(1990, 1, 1), days(1990, 2, 28))]


@pytest.mark.parametrize("values", [[4] * 9, [1, 1, 1, 2, 2, 2, 9, 9, 9], [], [MISSING_NUMBER] * 3, list(range(20))])
def test_values_of_many_and_dense_numbers_stay(values: list[int]) -> None:
    # 20 neighbouring numbers: the middle half spans 4 to 14, three neighbours 10 * 2 * 3 / 20 = 3, so twos are told
    grid = choose(PAY, values)
    assert (None if grid is None else grid.step) == (2 if len(values) == 20 else None)


def test_an_end_that_enough_people_bear_stays() -> None:
    grid = require(choose(PAY, [*INCOMES, 4021, 4021]))
    assert list_ends(grid.widen(ranges((1507, 4021)))) == [(1000, 4021)]


def test_steps_are_round() -> None:
    widths = np.array([0.0, 0.4, 1.0, 1.9, 2.0, 4.99, 5.0, 9.9, 10.0, 47.0, 50.0, 1e30])
    assert round_steps(widths).tolist() == [1, 1, 1, 1, 2, 2, 5, 5, 10, 20, 50, 5 * 10**16]


@given(
    values=st.lists(st.integers(-(10**9), 10**9), min_size=2, max_size=40),
    pairs=st.lists(st.tuples(st.integers(0, 39), st.integers(0, 39)), min_size=1, max_size=12),
    kind=st.sampled_from([Kind.INTEGER, Kind.DATE]),
)
def test_no_end_is_the_value_of_few_unless_it_is_on_the_grid(
    values: list[int], pairs: list[tuple[int, int]], kind: Kind
) -> None:
    values = [value // 10**5 for value in values] if kind is Kind.DATE else values
    column = Column(name="value", kind=kind)
    grid = choose(column, values)
    if grid is None:
        return
    chosen = [sorted((values[one % len(values)], values[other % len(values)])) for one, other in pairs]
    before = ranges(*[(low, high) for low, high in chosen])
    after = grid.widen(before)
    assert (after.lower <= before.lower).all()
    assert (after.upper >= before.upper).all()
    number = dict(zip(list_ends(before), list_ends(after), strict=True))
    assert [number[ends] for ends in list_ends(before)] == list_ends(after)  # equal ranges stay equal
    for low, high in list_ends(after):
        if low < high:
            for end, step in ((low, 0), (high, 1)):
                assert values.count(end) >= FEWEST_BEARERS or values.count(end) == 0 or _is_on_grid(grid, end, step)


def _is_on_grid(grid: EndsGrid, end: int, step: int) -> bool:
    if grid.calendar is None:
        return any(end % round_step == 0 for round_step in ROUND_STEPS if round_step >= grid.step)
    day = np.datetime64(end + step, "D")
    return bool(day == day.astype(f"datetime64[{grid.calendar.value}]"))


def test_people_are_counted_once_however_many_rows_they_have() -> None:
    values: NDArray[np.int64] = np.array([5, 5, 5, 9, 9, MISSING_NUMBER], dtype=np.int64)
    known, people = count_bearers(values, np.array([1, 1, 2, 1, 1, 3], dtype=np.int64))
    assert (known.tolist(), people.tolist()) == ([5, 9], [2, 1])
