"""The risk of an original is counted, not estimated: against every choice of three rows, listed."""

from __future__ import annotations

from itertools import combinations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sekisho.data.frame.dataset import Column, Dataset, Kind, Role, Schema
from sekisho.gate.history.original_risk import measure_original_risk

SCHEMA = Schema(
    (
        Column(name="customer", kind=Kind.CATEGORY, role=Role.IDENTIFIER),
        Column(name="item", kind=Kind.CATEGORY),
        Column(name="price", kind=Kind.INTEGER),
    )
)


def make_history(rows: list[tuple[str, str, int]]) -> Dataset:
    return Dataset(pl.DataFrame(rows, schema=["customer", "item", "price"], orient="row"), SCHEMA)


def test_golden() -> None:
    # a has four rows, one of them his alone: 1 - C(3,3)/C(4,3) = 3/4; b has two, both shared with a: 0; c one, his own
    rows = [("a", "x", 1), ("a", "x", 2), ("a", "y", 1), ("a", "z", 1), ("b", "x", 1), ("b", "x", 2), ("c", "w", 9)]
    risk = measure_original_risk(make_history([*rows, ("b", "y", 1)]))
    assert (risk.customers, risk.alone) == (3, 2)
    assert risk.found == pytest.approx((3 / 4 + 0 + 1) / 3)


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("xyz"), st.integers(0, 1)), min_size=1, max_size=14))
def test_it_is_the_share_of_choices_that_hold_a_row_of_one_s_own(rows: list[tuple[str, str, int]]) -> None:
    risk = measure_original_risk(make_history(rows))
    shares: list[float] = []
    for customer in {each[0] for each in rows}:
        mine = [each[1:] for each in rows if each[0] == customer]
        others = {each[1:] for each in rows if each[0] != customer}
        choices = list(combinations(mine, min(3, len(mine))))
        shares.append(sum(any(row not in others for row in choice) for choice in choices) / len(choices))
    assert risk.found == pytest.approx(sum(shares) / len(shares))
    assert risk.alone == sum(share > 0 for share in shares)
