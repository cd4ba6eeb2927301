"""Rules that would publish a cell of one or of two hardly ask for anything."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sekisho.tables.model.geometry import Dimension, from_inner
from sekisho.tables.rules.table_rules import TableRules, rule
from sekisho.tables.rules.weak_demand import find_telling_zeros, find_weak_demand

ONE, TWO, NONE = "a cell of a single contributor", "a cell of two contributors", "no rule says"


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["min:1"], ONE),  # nothing can break it
        (["min:2"], TWO),
        (["zeros"], ONE),
        (["request:70"], ONE),
        (["nk:1,85"], TWO),  # of two who gave alike nobody dominates
        (["p%:15,0"], TWO),  # an outsider knows neither of them
        (["min:3"], None),
        (["p%:15"], None),
        (["nk:2,85"], None),
        (["pq:10,50"], None),
        (["nk:1,85", "min:3"], None),
    ],
)
def test_rules_of_sums(words: list[str], why: str | None) -> None:
    found = find_weak_demand([rule(word) for word in words], counts=False)
    assert found is None if why is None else found is not None and why in found


@pytest.mark.parametrize(("fewest", "why"), [(0, NONE), (1, NONE), (2, TWO), (3, None), (5, None), (None, None)])
def test_the_minimum_of_counts(fewest: int | None, why: str | None) -> None:
    found = find_weak_demand(TableRules(min_count=fewest).choose(counts=True), counts=True)
    assert found is None if why is None else found is not None and why in found


def test_a_zero_to_which_somebody_contributes_tells_what_each_gave() -> None:
    dimensions = [Dimension.flat("a", ("x", "y", "z"))]
    table = from_inner(dimensions, [("x",), ("y",), ("z",)], np.array([0.0, 0.0, 90.0]))
    table = replace(table, frequency=np.array([17, 5, 0, 12]))  # the margin comes first
    asked = [rule("p%:15")]
    assert np.flatnonzero(find_telling_zeros(table, asked)).tolist() == [table.position["x",]]
    assert not find_telling_zeros(table, [*asked, rule("zeros")]).any()
    negative = replace(table, lower=np.full(len(table), -np.inf))
    assert not find_telling_zeros(negative, asked).any()
