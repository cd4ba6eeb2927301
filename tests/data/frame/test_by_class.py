"""Columns held once for each class are, to whoever reads them, columns with something for every row."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sekisho.data.frame.cells import Cells, RangeCells, SetCells, add_suppressed, take_cells
from sekisho.data.frame.release import ByClass, list_lengths
from sekisho.errors import ParameterError

DOMAIN = ("a", "b", "c")
TOWNS = SetCells(
    offsets=np.array([0, 1, 3, 3]),
    codes=np.array([2, 0, 1], dtype=np.int32),
    suppressed=np.array([False, False, True]),
    domain=DOMAIN,
)


def hold(owner: list[int], towns: Cells = TOWNS) -> ByClass[Cells]:
    ages = RangeCells.exact(np.arange(len(owner)))
    return ByClass(
        names=("town", "age"),
        whole={"age": ages},
        shared={"town": towns},
        owner=np.array(owner, dtype=np.int32),
        select=take_cells,
    )


def list_sets(cells: Cells) -> list[list[int]]:
    assert isinstance(cells, SetCells)
    return [part.tolist() for part in np.split(cells.codes, cells.offsets[1:-1])]


@given(st.permutations([0, 1, 2, 2, 1]), st.lists(st.integers(0, 4)))
def test_rows_are_those_of_their_classes_however_they_are_taken(owner: list[int], rows: list[int]) -> None:
    of_class = [[2], [0, 1], []]
    columns = hold(owner)
    assert list(columns) == ["town", "age"]
    assert len(columns) == 2
    assert list_lengths(columns) == {5}
    assert list_sets(columns["town"]) == [of_class[one] for one in owner]
    if rows:
        taken = columns.take(np.array(rows))
        assert list_sets(taken["town"]) == [of_class[owner[row]] for row in rows]
        assert taken["age"].take(np.arange(len(rows))).suppressed.tolist() == [False] * len(rows)
        # a class without rows says nothing, not even that it is generalised
        assert len(taken.shared["town"]) == len({owner[row] for row in rows})


def test_no_row_is_left() -> None:
    taken = hold([0, 1, 2]).take(np.zeros(0, dtype=np.intp))
    assert list_lengths(taken) == {0}
    assert len(taken.shared["town"]) == len(taken["town"]) == 0


@pytest.mark.parametrize("owner", [[0, 1], [0, 2], [0, 1, 2, 3]])
def test_a_class_without_rows_or_without_cells_is_refused(owner: list[int]) -> None:
    with pytest.raises(ParameterError, match="owner must name every class of the shared columns, and no other"):
        hold(owner)


def test_names_are_those_of_the_columns() -> None:
    with pytest.raises(ParameterError, match="names must be those of the columns, each once"):
        ByClass(names=("town",), whole={}, shared={}, owner=np.zeros(0, dtype=np.int32), select=take_cells)


def test_one_more_cell_is_suppressed() -> None:
    more = add_suppressed(TOWNS)
    assert list_sets(more) == [[2], [0, 1], [], []]
    assert more.suppressed.tolist() == [False, False, True, True]
    ages = add_suppressed(RangeCells.exact(np.array([5])))
    assert ages.suppressed.tolist() == [False, True]
