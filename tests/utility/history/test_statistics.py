"""Plain statistics must be the ones that Python's own library computes."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from datetime import date
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from tests.shopping import histories, names, releases, shop

from sekisho.contest.rulebook import read_history_rules
from sekisho.data.frame.concrete_draws import Draws
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release, exact_table
from sekisho.data.history.files import read_original
from sekisho.data.history.purchases import Purchases
from sekisho.errors import ParameterError
from sekisho.provenance import Provenance
from sekisho.seeds import Seed
from sekisho.utility.history.statistics import Statistics

DAYS = (date(2010, 1, 1) - date(1970, 1, 1)).days


def compute_slowly(purchases: Purchases) -> dict[str, float]:
    columns = {
        "date": [int(day) - DAYS for day in purchases.date],
        "price": purchases.price.tolist(),
        "quantity": purchases.quantity.tolist(),
    }
    numbers: dict[str, float] = {"rows": len(purchases)}
    for name, values in columns.items():
        numbers |= {
            f"{name}_sum": sum(values),
            f"{name}_mean": statistics.fmean(values),
            f"{name}_variance": statistics.pvariance(values),
            f"{name}_deviation": statistics.pstdev(values),
            f"{name}_largest": max(values),
            f"{name}_least": min(values),
            f"{name}_median": statistics.median(values),
            f"{name}_middle": statistics.fmean(values[(len(values) - 1) // 2 : len(values) // 2 + 1]),
        }
    return numbers


@given(releases())
def test_the_errors_are_absolute_differences_and_the_share_of_lost_top_items(case: tuple[Dataset, Release]) -> None:
    data, release = case
    if release.deleted.all():
        return
    original, sample = Purchases.of(data), Purchases.draw(Draws.of(data, release), rng=Seed(4).rng())
    measure = Statistics(top=2)
    ours, theirs = compute_slowly(original), compute_slowly(sample)
    expected = {name: abs(theirs[name] - value) for name, value in ours.items()}
    lost = set(original.find_most_bought(2).tolist()) - set(sample.find_most_bought(2).tolist())
    errors = measure.build_reference(original).errors(sample)
    assert errors.pop("top_items") == len(lost) / 2
    assert errors == pytest.approx(expected, abs=1e-6)


@given(histories)
def test_nothing_changed_nothing_is_off(data: Dataset) -> None:
    release = Release(
        table=exact_table(data, pseudonym=names(data)),
        deleted=np.zeros(len(data), dtype=np.bool_),
        provenance=Provenance(name="test"),
    )
    score = Statistics().compare(data, release)
    assert score.value == 0.0
    assert set(score.detail.values()) == {0.0}


def test_of_no_rows_every_statistic_is_zero() -> None:
    assert set(Statistics().compute_statistics(Purchases.of(shop([]))).values()) == {0.0}
    with pytest.raises(ParameterError, match="top"):
        Statistics(top=0)


def test_the_contests_second_round(shared: Callable[[str], Path]) -> None:
    original = read_original(shared("pwscup2018/T_round2.csv"), read_history_rules("pwscup2018"))
    statistics = Statistics().compute_statistics(Purchases.of(original))
    assert statistics["rows"] == 89278
    assert statistics["date_deviation"] == pytest.approx(111.19070, abs=5e-6)
    assert statistics["price_deviation"] == pytest.approx(530.45826, abs=5e-6)
    assert statistics["quantity_deviation"] == pytest.approx(45.16070, abs=5e-6)
    assert statistics["date_mean"] == pytest.approx(541.97, abs=0.01)
