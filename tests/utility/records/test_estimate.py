"""An analyst's counts are right on average, and their standard errors too."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, product
from math import prod

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sekisho.errors import InfeasibleError, ParameterError
from sekisho.safety.transition import Matrix, Replacement, Transition
from sekisho.utility.records.estimate import CountEstimator, compute_expected_errors, count_cells

LOPSIDED = Matrix(rows=[["7/10", "3/10"], ["1/5", "4/5"]])
KEPT = Replacement(values=2, retention=Fraction(1, 2))


def list_releases(
    table: Sequence[tuple[int, ...]], sample: int, transitions: Sequence[Transition]
) -> list[tuple[float, list[tuple[int, ...]]]]:
    """Every sample and every outcome of PRAM, with its chance."""
    matrices = [transition.matrix() for transition in transitions]
    cells = list(product(*(range(transition.size) for transition in transitions)))
    ways = list(combinations(range(len(table)), sample))

    def compute_chance(rows: Sequence[int], out: Sequence[tuple[int, ...]]) -> float:
        moves = [
            move for row, cell in zip(rows, out, strict=True) for move in zip(matrices, table[row], cell, strict=True)
        ]
        return prod(float(matrix[u, c]) for matrix, u, c in moves)

    return [
        (compute_chance(rows, out) / len(ways), list(out)) for rows in ways for out in product(cells, repeat=sample)
    ]


@pytest.mark.parametrize("sample", [2, 3, 4])
@pytest.mark.parametrize("transitions", [(LOPSIDED,), (KEPT, LOPSIDED)])
def test_counts_and_variances_are_unbiased_over_every_sample_and_outcome(
    sample: int, transitions: tuple[Transition, ...]
) -> None:
    whole = [(0, 0), (0, 1), (1, 1), (1, 1)]
    table = [row[: len(transitions)] for row in whole]
    sizes = [transition.size for transition in transitions]
    truth = count_cells([np.array(column) for column in zip(*table, strict=True)], sizes)
    estimator = CountEstimator(transitions=transitions)
    chances: list[float] = []
    counts: list[np.ndarray[tuple[int, ...], np.dtype[np.float64]]] = []
    variances: list[np.ndarray[tuple[int, ...], np.dtype[np.float64]]] = []
    for chance, out in list_releases(table, sample, transitions):
        released = count_cells([np.array(column) for column in zip(*out, strict=True)], sizes)
        estimate = estimator.estimate(released, records=len(table))
        chances.append(chance)
        counts.append(estimate.counts)
        # A variance below 0 is cut to 0, which would bias its mean: take it before the cut.
        inverses = [transition.inverse() for transition in transitions]
        share = released / sample
        mean, square = share, share
        for axis, inverse in enumerate(inverses):
            mean = np.moveaxis(np.tensordot(mean, inverse, axes=(axis, 0)), -1, axis)
            square = np.moveaxis(np.tensordot(square, inverse**2, axes=(axis, 0)), -1, axis)
        raw = (square - mean**2) * sample / (sample - 1) * (1 / sample - 1 / 4) + (square - mean) / 4
        assert_allclose(estimate.errors, 4 * np.sqrt(np.maximum(raw, 0)), atol=1e-9)
        variances.append(16 * raw)
    weight = np.array(chances)
    assert weight.sum() == pytest.approx(1)
    mean = np.tensordot(weight, np.array(counts), axes=1)
    assert_allclose(mean, truth, atol=1e-9)
    spread = np.tensordot(weight, (np.array(counts) - mean) ** 2, axes=1)
    assert_allclose(np.tensordot(weight, np.array(variances), axes=1), spread, atol=1e-9)
    if len(transitions) == 1:
        planned = compute_expected_errors(transitions[0], truth / 4, records=4, sample=sample)
        assert_allclose((4 * planned) ** 2, spread, atol=1e-9)


def test_replacements_planned_errors_are_the_matrixs() -> None:
    shares = (0.2, 0.3, 0.5)
    kept = Replacement(values=3, retention=0.4, shares=shares)
    people = np.array([0.5, 0.1, 0.4])
    plain = compute_expected_errors(Matrix(rows=kept.matrix()), people, records=1000, sample=200)
    assert_allclose(compute_expected_errors(kept, people, records=1000, sample=200), plain, rtol=1e-12)


def test_without_pram_it_is_the_textbook() -> None:
    # 30 of 100 drawn, 12 of them ones: 100 * 12/30 = 40, s² = 30/29 * 0.4 * 0.6, se = 100 sqrt(0.7 s²/30) = 7.61.
    estimate = CountEstimator(transitions=(Replacement(values=2, retention=1),)).estimate(
        np.array([18, 12]), records=100
    )
    assert_allclose(estimate.counts, [60, 40])
    assert_allclose(estimate.errors, 100 * np.sqrt(0.7 * (30 / 29) * 0.24 / 30))
    low, high = estimate.interval()
    assert_allclose(high - low, 2 * 1.959964 * estimate.errors, rtol=1e-6)


def test_strata_add_up() -> None:
    estimator = CountEstimator(transitions=(KEPT,))
    first, second = np.array([5, 3]), np.array([1, 6])
    parts = [estimator.estimate(first, records=50), estimator.estimate(second, records=20)]
    whole = estimator.estimate_strata([first, second], records=[50, 20])
    assert_allclose(whole.counts, parts[0].counts + parts[1].counts)
    assert_allclose(whole.errors**2, parts[0].errors ** 2 + parts[1].errors ** 2)


def test_what_cannot_be_estimated_is_refused() -> None:
    with pytest.raises(InfeasibleError, match="retention 0"):
        CountEstimator(transitions=(Replacement(values=2, retention=0),)).estimate(np.array([3, 3]), records=9)
    with pytest.raises(InfeasibleError, match="cannot be inverted"):
        CountEstimator(transitions=(Matrix(rows=[[0.5, 0.5], [0.5, 0.5]]),)).estimate(np.array([3, 3]), records=9)
    with pytest.raises(ParameterError, match="released must have the shape"):
        CountEstimator(transitions=(KEPT,)).estimate(np.array([3, 3, 3]), records=9)
    with pytest.raises(ParameterError, match="hold from 2 to 5 records"):
        CountEstimator(transitions=(KEPT,)).estimate(np.array([3, 3]), records=5)
    assert np.isinf(
        compute_expected_errors(Replacement(values=2, retention=0), np.array([0.5, 0.5]), records=9, sample=3)
    ).all()
