"""The frequent sets must be all of them and no others, and the error the share of them that is lost."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations
from math import ceil

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.shopping import Line, histories, releases, shop

from sekisho.data.frame.concrete_draws import Draws
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release
from sekisho.data.history.purchases import Purchases
from sekisho.errors import ParameterError
from sekisho.seeds import Seed
from sekisho.utility.history import item_sets as itemsets
from sekisho.utility.history.item_sets import FrequentItemSets

supports = st.fractions(min_value=Fraction(1, 20), max_value=1, max_denominator=20)


def count_sets(purchases: Purchases, largest: int) -> Counter[tuple[int, ...]]:
    baskets: dict[tuple[int, int], set[int]] = {}
    for person, day, item in zip(purchases.person, purchases.date, purchases.item, strict=True):
        baskets.setdefault((int(person), int(day)), set()).add(int(item))
    return Counter(
        chosen
        for basket in baskets.values()
        for size in range(1, largest + 1)
        for chosen in combinations(sorted(basket), size)
    )


def list_frequent_sets(original: Purchases, measure: FrequentItemSets) -> tuple[int, set[tuple[int, ...]]]:
    invoices = len(set(zip(original.person.tolist(), original.date.tolist(), strict=True)))
    fewest = ceil(measure.support * invoices)
    return fewest, {chosen for chosen, times in count_sets(original, measure.largest).items() if times >= fewest}


@given(histories, supports, st.integers(1, 4))
def test_the_frequent_sets_are_those_that_counting_every_set_finds(
    data: Dataset, support: Fraction, largest: int
) -> None:
    measure, original = FrequentItemSets(support=support, largest=largest), Purchases.of(data)
    reference = measure.build_reference(original)
    mined = [tuple(row) for sets in reference.sets for row in sets.tolist()]
    fewest, expected = list_frequent_sets(original, measure)
    assert reference.fewest == fewest
    assert len(mined) == len(set(mined))
    assert set(mined) == expected


@given(releases(), supports, st.integers(1, 3))
def test_the_error_is_the_share_of_sets_that_counting_no_longer_finds(
    case: tuple[Dataset, Release], support: Fraction, largest: int
) -> None:
    data, release = case
    measure, original = FrequentItemSets(support=support, largest=largest), Purchases.of(data)
    sample = Purchases.draw(Draws.of(data, release), rng=Seed(1).rng())
    fewest, frequent = list_frequent_sets(original, measure)
    again = count_sets(sample, largest)
    expected = 1 - sum(again[chosen] >= fewest for chosen in frequent) / len(frequent) if frequent else 0.0
    assert measure.build_reference(original).error(sample) == pytest.approx(expected, abs=1e-12)


@given(histories, supports)
def test_nothing_changed_nothing_is_lost(data: Dataset, support: Fraction) -> None:
    original = Purchases.of(data)
    assert FrequentItemSets(support=support).build_reference(original).error(original) == 0.0


def test_more_than_sixty_four_baskets_and_a_support_met_exactly() -> None:
    # 130 baskets; x and y together in the 65 even ones, exactly half: support 1/2 keeps {x}, {y} and {x, y}.
    lines: list[Line] = [
        (f"c{n}", 0, item, 1, 1) for n in range(130) for item in (("x", "y") if n % 2 == 0 else ("z",))
    ]
    original = Purchases.of(shop(lines))
    sets = FrequentItemSets(support=Fraction(1, 2)).build_reference(original).sets
    assert [rows.tolist() for rows in sets] == [[[0], [1], [2]], [[0, 1]], []]
    assert [len(rows) for rows in FrequentItemSets(support=Fraction(66, 130)).build_reference(original).sets] == [
        0,
        0,
        0,
    ]


def test_a_torn_basket_loses_its_pair_but_not_its_items() -> None:
    # Two baskets {x, y}; one is torn over two days: {x}, {y} still lie in 2 baskets, {x, y} only in 1. Lost: 1 of 3.
    original = Purchases.of(shop([("a", 0, "x", 1, 1), ("a", 0, "y", 1, 1), ("b", 0, "x", 1, 1), ("b", 0, "y", 1, 1)]))
    torn = Purchases.of(shop([("a", 0, "x", 1, 1), ("a", 1, "y", 1, 1), ("b", 0, "x", 1, 1), ("b", 0, "y", 1, 1)]))
    assert FrequentItemSets(support=Fraction(1)).build_reference(original).error(torn) == pytest.approx(1 / 3)


def test_too_low_a_support_is_refused_before_it_fills_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(itemsets, "MOST_SETS", 6)
    original = Purchases.of(shop([("a", 0, item, 1, 1) for item in "xyz"]))  # 7 sets
    with pytest.raises(ParameterError, match="support must leave at most 6 frequent sets"):
        FrequentItemSets(support=Fraction(1, 2)).build_reference(original)
    assert len(FrequentItemSets(support=Fraction(1, 2), largest=2).build_reference(original).sets) == 2


@pytest.mark.parametrize("support", [Fraction(0), Fraction(3, 2)])
def test_impossible_parameters_are_refused(support: Fraction) -> None:
    with pytest.raises(ParameterError, match="support must be a share"):
        FrequentItemSets(support=support)
    with pytest.raises(ParameterError, match="largest"):
        FrequentItemSets(largest=0)


def test_without_rows_there_is_nothing_to_lose() -> None:
    nothing = Purchases.of(shop([]))
    assert FrequentItemSets().build_reference(nothing).error(nothing) == 0.0
    something = Purchases.of(shop([("a", 0, "x", 1, 1)]))
    emptied = Purchases.from_columns(
        np.zeros(0, dtype=np.int64),
        {name: np.zeros(0, dtype=np.int64) for name in ("date", "item", "price", "quantity")},
        ("x",),
    )
    assert FrequentItemSets().build_reference(something).error(emptied) == 1.0


@pytest.mark.parametrize("largest", [0, 101, 2**53])
def test_the_largest_sets_have_a_size_that_baskets_have(largest: int) -> None:
    with pytest.raises(ParameterError, match="largest must lie between 1 and 100"):
        FrequentItemSets(largest=largest)
