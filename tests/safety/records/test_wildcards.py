"""Where missing matches everything, a record is hidden by whoever could be it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from tests.safety.records import slow_risk
from tests.safety.records.slow_risk import Row
from tests.safety.records.tables import code_rows, drawn_rows

from sekisho.safety.records.wildcards import count_matches


@given(drawn_rows(gaps=True))
def test_matches_are_those_of_a_plain_comparison(rows: list[Row]) -> None:
    weights = np.arange(1.0, len(rows) + 1)
    count, total = count_matches(code_rows(rows), weights)
    found = [slow_risk.matches(rows, row) for row in rows]
    assert count.tolist() == list(map(len, found))
    assert total == pytest.approx([sum(weights[place] for place in places) for places in found])


def test_matching_is_no_equivalence() -> None:
    # a* fits ab and ac, which do not fit each other
    count, _ = count_matches(code_rows([("a", "b"), ("a", None), ("a", "c")]), np.ones(3))
    assert count.tolist() == [2, 3, 2]
