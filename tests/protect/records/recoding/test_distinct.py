"""Equal records are one, however many there are, and numbers are numbered in their order."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sekisho.data.trees.tree_column import number_values
from sekisho.protect.records.recoding.classed_method import SMALLEST, count_distinct
from sekisho.protect.records.recoding.key_space import CellKind, KeyCodes
from sekisho.seeds import Seed


@pytest.mark.parametrize("values", [2, 60, 10**6])
def test_records_are_numbered_as_they_first_occur(values: int) -> None:
    # 3 * SMALLEST rows of which most are distinct: the table of what has occurred grows on the way.
    rows = Seed(1).rng().integers(0, values, (3 * SMALLEST, 2)).astype(np.int32)
    columns = [KeyCodes(name=str(place), kind=CellKind.SET, codes=rows[:, place], values=values) for place in range(2)]
    records, which = count_distinct(columns, None)
    order = list(dict.fromkeys(map(tuple, rows.tolist())))
    assert list(map(tuple, records.codes.tolist())) == order
    assert (records.codes[which] == rows).all()
    assert records.copies.tolist() == np.bincount(which).tolist()


@given(st.lists(st.integers(-(2**40), 2**40) | st.integers(-5, 5), max_size=30))
@example([0, 4 * 2])
@example([0, 4 * 2 - 1])
def test_values_close_together_are_numbered_as_sorted_ones(numbers: list[int]) -> None:
    grid = np.array(numbers, dtype=np.int64)
    values, place = number_values(grid)
    assert values.tolist() == sorted(set(numbers))
    assert values[place].tolist() == numbers
