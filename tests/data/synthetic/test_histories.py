"""A synthetic history must be nobody's, the same for the same seed, and shaped like a real shop's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path
from time import process_time

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.laws import try_examples
from verify.synthetic_histories import MARGINALS, measured

from sekisho.contest.rulebook import read_history_rules
from sekisho.data.history.files import read_original, write_original
from sekisho.data.synthetic.histories import HISTORY, SyntheticHistory
from sekisho.errors import ParameterError
from sekisho.seeds import Seed


@pytest.mark.parametrize("seed", [0, 1, 2, 2018])
def test_the_marginals_lie_in_their_ranges(seed: int) -> None:
    found = measured(SyntheticHistory().draw(rng=Seed(seed).rng()))
    assert {m.name: found[m.name] for m in MARGINALS if not m.low <= found[m.name] <= m.high} == {}


def test_the_real_history_lies_in_the_same_ranges(shared: Callable[[str], Path]) -> None:
    found = measured(read_original(shared("pwscup2018/T_round2.csv"), read_history_rules("pwscup2018")))
    assert {m.name: found[m.name] for m in MARGINALS if not m.low <= found[m.name] <= m.high} == {}


def test_same_seed_same_history() -> None:
    shop = SyntheticHistory(customers=50)
    one, same, other = (shop.draw(rng=Seed(seed).rng()).frame for seed in (5, 5, 6))
    assert one.equals(same)
    assert not one.equals(other)


@given(
    st.integers(1, 40), st.integers(1, 60), st.floats(1, 30), st.floats(0, 2), st.floats(0, 1), st.integers(0, 2**32)
)
@try_examples(60)
def test_every_shop_gives_a_lawful_history(
    customers: int, items: int, median: float, spread: float, repeat: float, seed: int
) -> None:
    shop = SyntheticHistory(customers=customers, items=items, median_rows=median, spread=spread, repeat=repeat)
    data = shop.draw(rng=Seed(seed).rng())
    frame = data.frame
    assert frame["customer"].n_unique() == customers
    assert frame["item"].n_unique() <= items
    assert frame["date"].is_between(date(2010, 12, 1), date(2011, 11, 30)).all()
    assert frame["date"].is_sorted()
    assert (data.grid("price") > 0).all()
    assert (data.grid("quantity") > 0).all()
    assert frame.null_count().transpose().sum().item() == 0


def test_a_price_belongs_to_its_item_on_a_day() -> None:
    frame = SyntheticHistory().draw(rng=Seed(3).rng()).frame
    assert frame.group_by("item", "date").agg(pl.col("price").n_unique())["price"].to_numpy().max() == 1
    assert frame.group_by("item").agg(pl.col("price").n_unique())["price"].to_numpy().max() <= 3  # two changes at most


def test_a_visit_stands_together() -> None:
    frame = SyntheticHistory(customers=200).draw(rng=Seed(4).rng()).frame
    visits = frame.select(pl.struct("customer", "date").rle_id()).to_series().n_unique()
    assert visits == frame.select("customer", "date").unique().height


def test_without_repeats_fewer_pairs_return() -> None:
    with_, without = (SyntheticHistory(repeat=r).draw(rng=Seed(1).rng()).frame for r in (0.27, 0.0))
    pairs = [frame.select("customer", "item").unique().height / frame.height for frame in (with_, without)]
    assert pairs[0] < pairs[1] - 0.1


def test_the_contests_rules_read_it_back(tmp_path: Path) -> None:
    rules = read_history_rules("pwscup2018")
    assert rules.schema == HISTORY
    data = SyntheticHistory(customers=100).draw(rng=Seed(9).rng())
    path = tmp_path / "T.csv"
    path.write_bytes(write_original(data, rules))
    assert read_original(path, rules).frame.equals(data.frame)


def test_a_thousand_customers_take_under_three_seconds() -> None:
    start = process_time()
    rows = len(SyntheticHistory().draw(rng=Seed(1).rng()))
    assert process_time() - start < 3
    assert 70_000 < rows < 100_000


@pytest.mark.parametrize(
    ("name", "value"),
    [("customers", 0), ("items", 0), ("median_rows", 0.5), ("spread", -1.0), ("repeat", 1.5), ("repeat", np.nan)],
)
def test_impossible_shops_are_refused(name: str, value: float) -> None:
    with pytest.raises(ParameterError, match=name):
        replace(SyntheticHistory(), **{name: value})
