"""Numbers may be moved apart in a bound only as far as every range pays for it, and should be moved no less."""

from __future__ import annotations

from itertools import combinations_with_replacement, pairwise

import numpy as np
import pytest

from sekisho.protect.history.grouping.rows import spread_factor


def compute_least_cost(values: tuple[int, ...], reach: int) -> float:
    """Return the least sum of expected distances over all ranges of whole numbers that hold the values."""
    low, high = np.arange(-reach, values[0] + 1)[:, None], np.arange(values[-1], values[-1] + reach + 1)[None, :]
    away = sum((one - low) * (one - low + 1) / 2 + (high - one) * (high - one + 1) / 2 for one in values)
    return float((away / (high - low + 1)).min())


def sum_distances(values: tuple[int, ...]) -> int:
    return sum(
        (place + 1) * (len(values) - place - 1) * (two - one) for place, (one, two) in enumerate(pairwise(values))
    )


def test_factors_worked_by_hand() -> None:
    # Pairs pay their distance. 0, d/2, d pay d + d/4 and their pairs sum to 2 d: 5/4 d = r 2 d / 2. Four values 0, a,
    # 1 - a, 1 pay 2 - 2 a + 2 a^2, their pairs sum to 4 - 2 a; 3 (1 - a + a^2) / (2 - a) is least at a = 2 - sqrt(3).
    assert spread_factor(2) == pytest.approx(1, abs=1e-8)
    assert spread_factor(3) == pytest.approx(5 / 4, abs=1e-8)
    assert spread_factor(4) == pytest.approx(6 * np.sqrt(3) - 9, abs=1e-8)
    assert spread_factor(4000) == pytest.approx(1 + np.sqrt(2 / 3), abs=1e-3)


@pytest.mark.parametrize(("size", "wide"), [(2, 30), (3, 24), (4, 14), (5, 11), (6, 9), (7, 7)])
def test_no_values_on_the_grid_pay_less(size: int, wide: int) -> None:
    for others in combinations_with_replacement(range(wide + 1), size - 1):
        values = (0, *others)
        least = compute_least_cost(values, wide)
        assert least * (size - 1) >= spread_factor(size) * sum_distances(values) - 1e-9


@pytest.mark.parametrize("size", [3, 4, 5])
def test_some_values_on_a_fine_grid_pay_hardly_more(size: int) -> None:
    # As many grid steps as it takes to come near: the values that stand at equal shares f of the proof's integral.
    wide = 240
    least = min(
        compute_least_cost((0, *inner, wide), 3) * (size - 1) / sum_distances((0, *inner, wide))
        for inner in combinations_with_replacement(range(0, wide + 1, 12), size - 2)
    )
    assert spread_factor(size) <= least < 1.01 * spread_factor(size)
