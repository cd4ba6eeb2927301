"""Cells stored as columns behave as cells kept one by one would."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sekisho.data.frame.cells import RangeCells, SetCells, gather_sets
from sekisho.errors import ParameterError

DOMAIN = ("a", "b", "c", "d")
ragged = st.lists(st.frozensets(st.integers(0, 3)), min_size=1, max_size=8)


def cells_of(sets: list[frozenset[int]]) -> SetCells:
    pairs = [(row, code) for row, codes in enumerate(sets) for code in codes]
    rows = np.array([row for row, _ in pairs], dtype=np.int64)
    codes = np.array([code for _, code in pairs], dtype=np.int32)
    return gather_sets(rows, codes, len(sets), DOMAIN)


def sets_in(cells: SetCells) -> list[frozenset[int]]:
    return [
        frozenset(cells.codes[start:end].tolist()) for start, end in zip(cells.offsets, cells.offsets[1:], strict=False)
    ]


@given(ragged, st.data())
def test_taking_and_suppressing_sets_agree_with_lists(sets: list[frozenset[int]], data: st.DataObject) -> None:
    cells = cells_of(sets)
    assert sets_in(cells) == sets
    rows = data.draw(st.lists(st.integers(0, len(sets) - 1)))
    assert sets_in(cells.take(np.array(rows, dtype=np.intp))) == [sets[row] for row in rows]
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=len(sets), max_size=len(sets))))
    kept = [frozenset[int]() if gone else held for gone, held in zip(mask, sets, strict=True)]
    assert sets_in(cells.suppress(mask)) == kept
    assert sets_in(cells.take(mask)) == [held for chosen, held in zip(mask, sets, strict=True) if chosen]


@given(ragged, st.data())
def test_a_set_admits_its_members_and_a_suppressed_cell_everything(
    sets: list[frozenset[int]], data: st.DataObject
) -> None:
    codes = data.draw(st.lists(st.integers(0, 3), min_size=len(sets), max_size=len(sets)))
    admitted = cells_of(sets).admits(np.array(codes, dtype=np.int32)).tolist()
    assert admitted == [not held or code in held for code, held in zip(codes, sets, strict=True)]


def test_a_doubled_pair_counts_once_and_the_codes_come_sorted() -> None:
    cells = gather_sets(np.array([1, 0, 1, 1]), np.array([3, 2, 0, 3], dtype=np.int32), 3, DOMAIN)
    assert cells.codes.tolist() == [2, 0, 3]
    assert cells.sizes().tolist() == [1, 2, 0]
    assert cells.is_exact().tolist() == [True, False, False]


def test_ranges_admit_what_lies_between_their_ends() -> None:
    cells = RangeCells(lower=np.array([1, 5, 0]), upper=np.array([3, 5, 0]), suppressed=np.array([False, False, True]))
    assert cells.admits(np.array([3, 4, 99])).tolist() == [True, False, True]
    assert cells.is_exact().tolist() == [False, True, False]
    assert cells.suppress(np.array([True, False, False])).suppressed.tolist() == [True, False, True]


def test_impossible_cells_are_refused() -> None:
    with pytest.raises(ParameterError, match="lower must be at most upper"):
        RangeCells(lower=np.array([2]), upper=np.array([1]), suppressed=np.array([False]))
    with pytest.raises(ParameterError, match="one length"):
        RangeCells(lower=np.array([2]), upper=np.array([2]), suppressed=np.array([False, True]))
    with pytest.raises(ParameterError, match="empty exactly where suppressed"):
        SetCells(
            offsets=np.array([0, 0]), codes=np.array([], dtype=np.int32), suppressed=np.array([False]), domain=DOMAIN
        )


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 3)), max_size=12), st.sampled_from([6, 5000]))
def test_loose_pairs_in_any_order_and_doubled_make_sets(pairs: list[tuple[int, int]], count: int) -> None:
    rows = np.array([row for row, _ in pairs], dtype=np.int64)
    codes = np.array([code for _, code in pairs], dtype=np.int32)
    held = [frozenset(code for place, code in pairs if place == row) for row in range(count)]
    assert sets_in(gather_sets(rows, codes, count, DOMAIN)) == held
