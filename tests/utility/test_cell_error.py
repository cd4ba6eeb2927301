"""U is the expected distance to what a cell admits, also of a release that changes values: |x - y| / sd and Hamming."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.shopping import names, shop

from sekisho.data.frame.cells import RangeCells, SetCells, gather_sets
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.distance import range_error, set_error
from sekisho.data.frame.release import MaskedTable, Release, exact_table
from sekisho.provenance import Provenance
from sekisho.utility.cell_error import CellError

LINES = [("a", 0, "i1", 100, 1), ("a", 2, "i2", 100, 3), ("b", 4, "i3", 300, 5), ("b", 6, "i1", 300, 7)]


def release_as(data: Dataset, other: Dataset) -> Release:
    """Return the other's rows as a release of the data."""
    return Release(
        table=exact_table(other, pseudonym=names(data)),
        deleted=np.zeros(len(data), dtype=np.bool_),
        provenance=Provenance(name="swap"),
    )


def test_swapped_records_cost_the_distance_and_the_hamming_distance() -> None:
    # First and last line swapped. Days 0, 2, 4, 6: mean 3, variance (9 + 1 + 1 + 9) / 4 = 5; two rows off by 6 of four.
    # Pence 100, 100, 300, 300: sd 100; off by 200 twice. Units 1, 3, 5, 7: like the days. Items i1 and i1: the same.
    data, other = (
        shop(LINES),
        shop([(LINES[row][0], *LINES[3 - row if row in {0, 3} else row][1:]) for row in range(4)]),
    )
    score = CellError().compare(data, release_as(data, other))
    assert score.detail["date"] == pytest.approx(2 * 6 / 5**0.5 / 4)
    assert score.detail["price"] == pytest.approx(2 * 2 / 4)
    assert score.detail["quantity"] == pytest.approx(2 * 6 / 5**0.5 / 4)
    assert score.detail["item"] == 0
    other = shop([("a", 0, "i3", 100, 1), *LINES[1:]])
    assert CellError().compare(data, release_as(data, other)).detail["item"] == 1 / 4


def test_a_category_that_the_original_does_not_have_is_another_one() -> None:
    data, other = shop(LINES), shop([("a", 0, "i0", 100, 1), *LINES[1:3], ("b", 6, "i9", 300, 7)])
    assert other.domain("item") != data.domain("item")
    assert CellError().compare(data, release_as(data, other)).detail["item"] == 2 / 4


@given(x=st.integers(-20, 20), low=st.integers(-20, 20), width=st.integers(0, 15))
def test_a_range_costs_the_mean_distance_to_its_points(x: int, low: int, width: int) -> None:
    cells = RangeCells(lower=np.array([low]), upper=np.array([low + width]), suppressed=np.array([False]))
    mean = Fraction(sum(abs(x - value) for value in range(low, low + width + 1)), width + 1)
    assert float(range_error(np.array([x]), cells, 4.0)[0]) == pytest.approx(float(mean) / 4)


@given(x=st.integers(0, 3), admitted=st.sets(st.integers(0, 3), min_size=1))
def test_a_set_costs_the_share_of_others_in_it(x: int, admitted: set[int]) -> None:
    domain = ("p", "q", "r", "s")
    codes = np.array(sorted(admitted), dtype=np.int32)
    cells = gather_sets(np.zeros(len(codes), dtype=np.int64), codes, 1, domain)
    error = set_error(np.array([x], dtype=np.int32), domain, cells)[0]
    assert error == pytest.approx(sum(value != x for value in admitted) / len(admitted))


def test_the_same_words_in_another_order_of_codes_are_the_same() -> None:
    cells = SetCells.exact(np.array([1, 0], dtype=np.int32), ("a", "b"))
    assert set_error(np.array([0, 0], dtype=np.int32), ("b", "a"), cells).tolist() == [0.0, 1.0]


def test_what_is_suppressed_costs_one() -> None:
    data = shop(LINES)
    gone = np.ones(len(data), dtype=np.bool_)
    table = exact_table(data, pseudonym=names(data))
    columns = {name: cells.suppress(gone) for name, cells in table.columns.items()}
    hidden = MaskedTable(schema=data.schema, columns=columns, pseudonym=table.pseudonym)
    release = Release(table=hidden, deleted=~gone, provenance=Provenance(name="hide"))
    assert CellError().compare(data, release).value == 1
