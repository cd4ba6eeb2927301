"""A solution is exact or there is none: no digit is guessed, and a system without one solution is refused."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from sekisho.tables.solvers import exact_solution as exactly
from sekisho.tables.solvers.exact_solution import Ratios, product, solve_exactly


def system(rows: list[list[int]]) -> csr_array:
    return csr_array(np.array(rows, dtype=np.float64))


def fractions(found: Ratios) -> list[Fraction]:
    return [Fraction(number, found.denominator) for number in found.numbers]


def eliminated(rows: list[list[int]], right: list[int]) -> list[Fraction] | None:
    """The oracle: elimination in fractions, None if a pivot is missing."""
    work = [[Fraction(each) for each in (*row, b)] for row, b in zip(rows, right, strict=True)]
    for at in range(len(work)):
        pivot = next((row for row in range(at, len(work)) if work[row][at]), None)
        if pivot is None:
            return None
        work[at], work[pivot] = work[pivot], work[at]
        for row in range(len(work)):
            if row != at and work[row][at]:
                by = work[row][at] / work[at][at]
                work[row] = [one - by * other for one, other in zip(work[row], work[at], strict=True)]
    return [row[-1] / row[at] for at, row in enumerate(work)]


@st.composite
def systems(draw: st.DrawFn) -> tuple[list[list[int]], list[int]]:
    size = draw(st.integers(1, 9))
    entry = st.sampled_from([-3, -1, 0, 0, 0, 1, 1, 2])
    rows = draw(st.lists(st.lists(entry, min_size=size, max_size=size), min_size=size, max_size=size))
    return rows, draw(st.lists(st.integers(-(10**9), 10**9), min_size=size, max_size=size))


@given(systems())
def test_the_solution_is_that_of_elimination_in_fractions(given_system: tuple[list[list[int]], list[int]]) -> None:
    rows, right = given_system
    found, wanted = solve_exactly(system(rows), np.array(right)), eliminated(rows, right)
    assert (found is None) == (wanted is None)
    if found is not None:
        assert fractions(found) == wanted
        assert found.denominator > 0


def test_thirds_by_hand() -> None:
    # x + y = 1 and x - 2 y = 0: y = 1/3, x = 2/3.
    assert solve_exactly(system([[1, 1], [1, -2]]), np.array([1, 0])) == Ratios(numbers=(2, 1), denominator=3)


def test_nothing_is_solved_by_nothing() -> None:
    assert solve_exactly(csr_array((0, 0)), np.zeros(0, dtype=np.int64)) == Ratios(numbers=(), denominator=1)


@pytest.mark.parametrize("right", [[1, 2], [1, 3], [0, 0]])
def test_dependent_rows_are_refused_whether_they_agree_or_not(right: list[int]) -> None:
    assert solve_exactly(system([[1, 2], [2, 4]]), np.array(right)) is None


def test_dependent_rows_are_refused_where_floats_leave_a_pivot() -> None:
    # the third row is twice the first less the second; 3/7 and 4/7 leave dust in its place, and (-5, 0, 4) is one of
    # many solutions
    assert solve_exactly(system([[7, 4, 0], [-3, -2, 5], [17, 10, -5]]), np.array([-35, 35, -105])) is None


def test_denominators_far_beyond_a_float() -> None:
    # 3 on the diagonal and -1 to 1 beside it: the determinant of 150 such columns has some 70 digits.
    rng, size = np.random.default_rng(5), 150
    rows = (rng.integers(-1, 2, (size, size)) * (rng.random((size, size)) < 0.03) + 3 * np.eye(size)).astype(np.int64)
    right = rng.integers(-10, 11, size)
    found = solve_exactly(csr_array(rows.astype(np.float64)), right)
    assert found is not None
    assert found.denominator > 10**50
    for row, b in zip(rows.tolist(), right.tolist(), strict=True):
        assert sum(each * x for each, x in zip(row, found.numbers, strict=True)) == b * found.denominator


def test_what_would_be_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = np.diag(np.array([3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43], dtype=np.float64))
    right = np.ones(13, dtype=np.int64)
    found = solve_exactly(csr_array(rows), right)
    assert found is not None
    assert found.denominator == 6541380665835015  # the product of the primes 3 to 43
    monkeypatch.setattr(exactly, "MOST", 64)
    assert solve_exactly(csr_array(rows), right) is None


def test_large_coefficients_leave_fewer_digits_a_step() -> None:
    # a row sum of 2^31: only 28 digits a step fit into 64
    found = solve_exactly(system([[2**30, 2**30], [1, -1]]), np.array([1, 0]))
    assert found == Ratios(numbers=(1, 1), denominator=2**31)


def test_numbers_longer_than_a_float_are_multiplied_exactly() -> None:
    # 2 ** 60 + 1 is 2 ** 60 as a float
    assert product(csr_array([[1.0, -1.0]]), [2**60 + 1, 2**60]) == [1]
