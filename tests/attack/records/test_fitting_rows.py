"""Rows that are looked up by value: the same people are named by the same draws as where everybody is compared."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from numpy.typing import NDArray
from tests.recodings import NUMBERS, TEXTS, Case, cases, slow_distance

from sekisho.attack.records import cell_linkage
from sekisho.attack.records.cell_linkage import ANY, FITS, CellLinkage
from sekisho.attack.records.fitting_rows import FittingRows
from sekisho.seeds import Seed


@given(cases())
def test_a_row_fits_whoever_is_at_no_distance(case: Case) -> None:
    names = (*NUMBERS, *TEXTS)
    linkage = CellLinkage.of(case.release.table, case.data, names)
    fitting = FittingRows(sides=linkage.sides).list_rows()
    for person in range(case.rows):
        rows = [row for row in range(case.rows) if linkage.row[row] in fitting[linkage.person[person]]]
        assert rows == [row for row in range(case.rows) if slow_distance(case, person, row, names) == 0]


@given(cases(), cases())
def test_looked_up_or_compared_the_same_are_named(mine: Case, theirs: Case) -> None:
    linkage = CellLinkage.of(theirs.release.table, mine.data)

    def name_people() -> list[NDArray[np.float64] | NDArray[np.int64]]:
        found = [linkage.find_nearest(rng=Seed(3).rng(), reach=reach) for reach in (ANY, FITS)]
        return [*linkage.match_single(), *(part for one in found for part in (one.distance, one.count, one.row))]

    compared = name_people()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cell_linkage, "MANY_ROWS", 0)
        for before, after in zip(compared, name_people(), strict=True):
            np.testing.assert_array_equal(before, after)
