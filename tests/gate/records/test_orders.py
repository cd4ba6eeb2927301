"""Deleting before swapping loses the odds ratios that deleting after it keeps: the lesson of the slides of 2021."""

from __future__ import annotations

import numpy as np
import pytest
from verify.crossing.orders import Order, compare_orders, make_release

from sekisho.contest.rulebook import read_record_rules
from sekisho.data.records.partners import count_partners
from sekisho.data.records.space import take_kept
from sekisho.data.synthetic.health import health_records
from sekisho.seeds import Seed

RULES = read_record_rules("pwscup2021")
DATA = health_records(4190, rng=Seed(2021).rng())


def test_swapping_first_keeps_the_odds_and_deleting_first_breaks_them() -> None:
    first, second = compare_orders(RULES, DATA, (25,), [Seed(number) for number in range(3)])
    assert (first.order, second.order) == (Order.SWAP_FIRST, Order.DELETE_FIRST)
    assert first.median < 0.1 < min(second.odds)
    assert (first.met >= 2, second.met) == (True, 0)
    assert first.deleted == second.deleted == first.as_dict()["deleted"]


@pytest.mark.parametrize("order", list(Order))
def test_both_orders_delete_the_same_and_only_one_lets_deleted_values_live_on(order: Order) -> None:
    (points,) = RULES.space.points(DATA)
    few = count_partners(points, 4) <= 25
    release = make_release(RULES, DATA, 25, order, rng=Seed(1).rng())
    assert np.array_equal(release.deleted, few)
    names = ["age", "bmi", "race", "edu", "mar"]
    lost, kept = (set(DATA.frame[np.flatnonzero(rows)].select(names).iter_rows()) for rows in (few, ~few))
    left = set(take_kept(release).frame.select(names).iter_rows())
    assert bool((lost - kept) & left) == (order is Order.SWAP_FIRST)
