"""The interval must hold the true chance as often as it says, whatever the chance is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, binomtest
from tests.red_team_cases import read_cases

from sekisho.errors import ParameterError
from sekisho.safety.hit_rate import HitRate


def test_none_of_ten() -> None:
    # (1 - high)^10 = 0.025: high = 1 - 0.025^(1/10).
    rate = HitRate(hits=0, trials=10)
    assert (rate.value, rate.low) == (0, 0)
    assert rate.high == pytest.approx(1 - 0.025**0.1)


def test_golden_intervals(shared: Callable[[str], Path]) -> None:
    cases = read_cases(shared, "membership", "intervals")
    for case in cases:
        rate = HitRate(hits=case["hits"], trials=case["of"])
        assert (rate.low, rate.high) == pytest.approx((case["low"], case["high"]), abs=1e-9)
    assert len(cases) == 6


def test_nothing_tried_tells_nothing() -> None:
    assert (HitRate(hits=0, trials=0).low, HitRate(hits=0, trials=0).high) == (0, 1)


@given(st.integers(1, 300), st.data(), st.sampled_from([0.5, 0.95, 0.999]))
def test_as_scipy_says(trials: int, data: st.DataObject, confidence: float) -> None:
    hits = data.draw(st.integers(0, trials))
    rate = HitRate(hits=hits, trials=trials, confidence=confidence)
    other = binomtest(hits, trials).proportion_ci(confidence, method="exact")
    assert (rate.low, rate.high) == pytest.approx((other.low, other.high), abs=1e-9)


@given(st.integers(1, 40), st.floats(0.01, 0.99))
def test_covers_at_least_as_often_as_it_says(trials: int, chance: float) -> None:
    covered = sum(
        float(binom.pmf(hits, trials, chance))
        for hits in range(trials + 1)
        if HitRate(hits=hits, trials=trials).low <= chance <= HitRate(hits=hits, trials=trials).high
    )
    assert covered >= 0.95 - 1e-9


@pytest.mark.parametrize(
    ("hits", "trials", "confidence", "name"),
    [(2, 1, 0.95, "hits"), (-1, 1, 0.95, "hits"), (0, -1, 0.95, "trials"), (0, 1, 1.0, "confidence")],
)
def test_impossible_counts_are_refused(hits: int, trials: int, confidence: float, name: str) -> None:
    with pytest.raises(ParameterError, match=name):
        HitRate(hits=hits, trials=trials, confidence=confidence)
