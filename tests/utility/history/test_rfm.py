"""The table of ranks must count every person once, by the original's borders."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.shopping import histories, releases, shop

from sekisho.data.frame.concrete_draws import Draws
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release
from sekisho.data.history.purchases import Purchases
from sekisho.errors import ParameterError
from sekisho.seeds import Seed
from sekisho.utility.history.rfm import (
    Borders,
    Normaliser,
    RankRule,
    RecencyFrequencyMoney,
    compute_recency_frequency_money,
)


def list_values(purchases: Purchases) -> list[tuple[int, int, int]]:
    rows = list(zip(purchases.person, purchases.date, purchases.price, purchases.quantity, strict=True))
    return [
        (
            max(int(day) for who, day, _, _ in rows if who == person),
            len({int(day) for who, day, _, _ in rows if who == person}),
            sum(int(price * units) for who, _, price, units in rows if who == person),
        )
        for person in range(purchases.people)
    ]


def list_borders(values: list[int], rule: RankRule, ranks: int) -> list[float]:
    low, high = min(values), max(values)
    if rule is RankRule.WIDTH:
        return [low + (high - low) * rank / ranks for rank in range(1, ranks)]
    # the least value that at least rank/ranks of the people do not exceed
    return [
        next(v for v in sorted(values) if sum(w <= v for w in values) * ranks >= rank * len(values))
        for rank in range(1, ranks)
    ]


@given(releases(), st.sampled_from(RankRule), st.sampled_from(Borders), st.sampled_from(Normaliser), st.integers(1, 4))
def test_the_error_is_that_of_counting_people_one_by_one(
    case: tuple[Dataset, Release], rule: RankRule, whose: Borders, normaliser: Normaliser, ranks: int
) -> None:
    data, release = case
    if release.deleted.all():
        return
    original, sample = Purchases.of(data), Purchases.draw(Draws.of(data, release), rng=Seed(2).rng())
    tables: list[Counter[tuple[int, ...]]] = []
    for purchases in (original, sample):
        values = list_values(purchases)
        ranked = list_values(original) if whose is Borders.ORIGINAL else values
        borders = [list_borders([row[n] for row in ranked], rule, ranks) for n in range(3)]
        tables.append(
            Counter(
                tuple(bisect_left(border, value) for border, value in zip(borders, row, strict=True)) for row in values
            )
        )
    cells = ranks**3
    off = sqrt(sum((tables[0][cell] - tables[1][cell]) ** 2 for cell in tables[0] | tables[1]) / cells)
    scale = {
        Normaliser.LARGEST: max(tables[0].values()),
        Normaliser.ROOT: sqrt(sum(count**2 for count in tables[0].values()) / cells),
        Normaliser.MEAN: sum(tables[0].values()) / cells,
    }[normaliser]
    measure = RecencyFrequencyMoney(rule=rule, borders=whose, normaliser=normaliser, ranks=ranks)
    assert measure.build_reference(original).error(sample) == pytest.approx(off / scale, abs=1e-12)


@given(histories)
def test_nothing_changed_nothing_is_off(data: Dataset) -> None:
    original = Purchases.of(data)
    assert RecencyFrequencyMoney().build_reference(original).error(original) == 0.0


def test_last_day_invoices_and_money() -> None:
    # a: two lines on day 3 (one invoice), one on day 5; 2*10 + 1*30 + 4*5 = 70 pence. b: day 1 only, 7 * 100.
    purchases = Purchases.of(
        shop([("a", 3, "x", 10, 2), ("a", 3, "y", 30, 1), ("a", 5, "x", 5, 4), ("b", 1, "x", 100, 7)])
    )
    last, invoices, money = compute_recency_frequency_money(purchases)
    assert (last - last.min()).tolist() == [4, 0]
    assert invoices.tolist() == [2, 1]
    assert money.tolist() == [70, 700]


def test_ten_people_fall_into_ten_ranks() -> None:
    # Ten people with days 0 to 9, one invoice each, 1 to 10 pence: by shares each is a rank of R and M of its own.
    reference = RecencyFrequencyMoney().build_reference(
        Purchases.of(shop([(f"c{n}", n, "x", n + 1, 1) for n in range(10)]))
    )
    assert np.flatnonzero(reference.table).tolist() == [100 * n + n for n in range(10)]
    assert reference.table.sum() == 10


def test_a_shift_of_the_whole_shop_shows_only_against_the_originals_borders() -> None:
    original, later = (Purchases.of(shop([(f"c{n}", n + days, "x", n + 1, 1) for n in range(10)])) for days in (0, 30))
    assert RecencyFrequencyMoney().build_reference(original).error(later) == 0.0
    # All ten fall into the last rank of R, each in a rank of M of its own: 9 cells lose one person, 9 cells gain one.
    error = RecencyFrequencyMoney(borders=Borders.ORIGINAL).build_reference(original).error(later)
    assert error == pytest.approx(sqrt(18 / 1000))


def test_an_empty_history_has_no_error_and_no_rank_is_refused() -> None:
    nothing = Purchases.of(shop([]))
    assert RecencyFrequencyMoney().build_reference(nothing).error(nothing) == 0.0
    with pytest.raises(ParameterError, match="ranks"):
        RecencyFrequencyMoney(ranks=0)
