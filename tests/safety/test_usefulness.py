"""A release that says hardly anything, or names people, must be looked at by a person, and the column is named."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sekisho.data.review import LEAST_RETENTION, ReleaseReview
from sekisho.safety.transition import Matrix, Replacement
from sekisho.safety.usefulness import compute_kept, judge_mechanism


@given(st.integers(2, 9), st.integers(0, 40))
def test_what_replacement_keeps_is_its_retention_also_as_a_matrix(values: int, steps: int) -> None:
    move = Replacement(values=values, retention=Fraction(steps, 40))
    assert compute_kept(move) == Fraction(steps, 40)
    assert compute_kept(Matrix(rows=move.matrix())) == pytest.approx(steps / 40)


def test_a_retention_just_below_the_limit_is_noise_and_one_at_it_is_not() -> None:
    step = Fraction(1, 10**6)
    moves = {
        "at": Replacement(values=4, retention=LEAST_RETENTION),
        "below": Replacement(values=4, retention=LEAST_RETENTION - step),
        "one value": Replacement(values=1, retention=Fraction(0)),
        "flat": Matrix(rows=np.full((3, 3), 1 / 3)),
    }
    found = judge_mechanism(1000, moves)
    assert found.noisy == ("below", "flat")
    assert found.needed
    assert found.as_dict()["useful"] is False
    assert "less than 0.05 is kept of below, flat" in found.list_warnings()[0]
    assert "one in 400" in found.list_warnings()[0]


def test_a_column_of_almost_only_distinct_values_is_named() -> None:
    moves = {
        "id": Replacement(values=90, retention=Fraction(1, 2)),
        "town": Replacement(values=89, retention=Fraction(1, 2)),
    }
    found = judge_mechanism(100, moves)
    assert (found.names, found.noisy, found.needed) == (("id",), (), True)
    assert "id names people: almost every value is distinct" in found.list_warnings()[0]
    # so few records may all differ and name nobody
    few = judge_mechanism(19, {"x": Replacement(values=19, retention=Fraction(1, 2))})
    assert few == ReleaseReview()
    assert not few.needed
