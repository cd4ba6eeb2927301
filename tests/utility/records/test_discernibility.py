"""DM of classes that can be counted by hand, and against a count of all pairs."""

from __future__ import annotations

import pytest
from hypothesis import given
from tests.recodings import Case, cases

from sekisho.errors import ParameterError
from sekisho.utility.records.information_loss import Discernibility

FIVE = Case(
    numbers={"age": [20, 21, 30, 30, 50], "pay": [0] * 5},
    texts={"town": ["a"] * 5, "job": ["b"] * 5},
    ranges={"age": [(20, 21), (20, 21), (30, 30), (30, 30), (50, 50)], "pay": [None] * 5},
    sets={"town": [frozenset("a")] * 5, "job": [frozenset("b")] * 5},
    deleted=[False] * 4 + [True],
)


def test_dm_by_hand() -> None:
    # classes of 2 and 2, one record left out: 4 + 4 + 5 = 13; the original: 1 + 1 + 4 + 1 = 7; the worst 25: 6 of 18
    score = Discernibility(keys=("age",)).compare(FIVE.data, FIVE.release)
    assert score.detail == {"dm": 13.0, "original": 7.0, "worst": 25.0}
    assert score.value == pytest.approx(1 / 3)


def test_a_key_with_one_value_has_nothing_to_lose() -> None:
    assert Discernibility(keys=("town",)).compare(FIVE.data, FIVE.release).value == 0.0


def test_an_unknown_key_is_named() -> None:
    with pytest.raises(ParameterError, match=r"column must be one of age, pay, town, job, not 'height'"):
        Discernibility(keys=("height",)).compare(FIVE.data, FIVE.release)


@given(cases())
def test_dm_counts_the_pairs_that_cannot_be_told_apart(case: Case) -> None:
    keys = list(zip(case.number_cells("age"), case.text_cells("town"), strict=True))
    pairs = sum(
        1
        for one in range(case.rows)
        for two in range(case.rows)
        if case.deleted[one] or (not case.deleted[two] and keys[one] == keys[two])
    )
    assert Discernibility(keys=("age", "town")).compare(case.data, case.release).detail["dm"] == pairs
