"""Whom few columns single out: found by a walk over sets, and again by looking at every set."""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.laws import try_examples
from tests.safety.records import slow_risk
from tests.safety.records.slow_risk import Row
from tests.safety.records.tables import code_rows, drawn_rows

from sekisho.errors import ParameterError
from sekisho.safety.records.classes import ColumnCodes
from sekisho.safety.records.uniques.set_choice import choose_largest
from sekisho.safety.records.uniques.special_uniques import SpecialUniques, find_special_uniques

# a1 b1 c1, a1 b1 c2, a1 b2 c1, a2 b1 c1. Row 1 is unique by c2 alone, row 2 by b2, row 3 by a2; row 0 shares a1 b1 with
# row 1, a1 c1 with row 2, b1 c1 with row 3: only all three keys single it out. Scores with A = 3: (3 - 1)! = 2 and 0! =
# 1.
ROWS: list[Row] = [("a1", "b1", "c1"), ("a1", "b1", "c2"), ("a1", "b2", "c1"), ("a2", "b1", "c1")]


def sets_of(special: SpecialUniques) -> set[tuple[int, tuple[int, ...]]]:
    return {
        (row, tuple(key for key in range(special.keys) if bits >> key & 1))
        for row, bits in zip(special.minimal_rows.tolist(), special.minimal_sets.tolist(), strict=True)
    }


def test_four_records_by_hand() -> None:
    special = find_special_uniques(code_rows(ROWS))
    assert sets_of(special) == {(0, (0, 1, 2)), (1, (2,)), (2, (1,)), (3, (0,))}
    assert special.compute_scores().tolist() == [1.0, 2.0, 2.0, 2.0]
    assert special.uniques == (1, 1, 1, 2, 2, 2, 4)
    # 7 in all; each key is in a set of 2 and in that of 1
    assert special.compute_contributions() == pytest.approx([3 / 7] * 3)


@try_examples(150)
@given(drawn_rows(gaps=True), st.integers(1, 4))
@example([("a",)], 1)
@example([("a", "b"), ("a", "b")], 2)
def test_the_walk_finds_what_every_set_tells(rows: list[Row], most: int) -> None:
    width = len(rows[0])
    most = min(most, width)
    special = find_special_uniques(code_rows(rows), largest=most)
    assert sets_of(special) == slow_risk.minimal_uniques(rows, most)
    assert special.sets == tuple(keys for size in range(1, most + 1) for keys in combinations(range(width), size))
    assert special.uniques == tuple(len(slow_risk.uniques_on(rows, keys)) for keys in special.sets)
    assert special.rows.tolist() == slow_risk.uniques_on(rows, range(width))
    assert special.compute_scores().tolist() == [slow_risk.score(rows, row, most) for row in special.rows.tolist()]


@try_examples(20)
@given(st.integers(0, 2**32 - 1))
def test_many_keys_and_values_too(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows: list[Row] = [tuple(map(str, row)) for row in rng.integers(0, rng.integers(2, 9, 6), (40, 6)).tolist()]
    special = find_special_uniques(code_rows(rows))
    assert sets_of(special) == slow_risk.minimal_uniques(rows, 6)


def test_dis_by_hand() -> None:
    # 2 uniques and 1 pair: 0.1 · 2 / (0.1 · 2 + 0.9 · 2) = 0.1. Two keys a, b: row 0 is unique by a and by b: 2 · 1! =
    # 2; row 1 likewise. Q = 1 + 6/20 = 1.3; the sum of 1 / 2^1.3 twice is 0.81226, times 2^1.3 is 2: 1 / (1 + (20 - 2)
    # / 2) = 0.1
    rows: list[Row] = [("x", "p"), ("y", "q"), ("z", "r"), ("z", "r")]
    special = find_special_uniques(code_rows(rows))
    assert special.pairs == 1
    assert special.compute_dis(0.1) == pytest.approx(0.1)
    assert special.compute_dis_scores(0.1) == pytest.approx([0.1, 0.1])
    assert special.compute_dis(1) == 1
    with pytest.raises(ParameterError, match="fraction must be above 0 and at most 1"):
        special.compute_dis(0)


def test_nobody_special_scores_nothing() -> None:
    special = find_special_uniques(code_rows([("x",), ("x",)]))
    assert special.compute_dis(0.5) == 0
    assert special.compute_dis_scores(0.5).tolist() == []
    assert special.compute_contributions().tolist() == [0.0]


def test_the_highest_scores_share_out_the_same_dis() -> None:
    special = find_special_uniques(code_rows(ROWS))
    # no pairs: every match is right
    assert special.compute_dis_scores(0.01) == pytest.approx([1.0] * 4)


def test_who_stands_out_is_told_by_row_and_smallest_set() -> None:
    names = dict(zip("abc", code_rows([*ROWS, ("a1", None, "c2")]), strict=True))
    special = find_special_uniques(tuple(names.values()))
    found = special.list_stand_outs(names, count=2)
    # now c2 stands twice. Row 4: b missing alone (2). Rows 2 and 3 as before.
    assert [(each.row, each.columns, each.values) for each in found] == [(2, ("b",), ("b2",)), (3, ("a",), ("a2",))]
    everybody = special.list_stand_outs(names, count=9)
    assert (4, ("b",), (None,)) in [(each.row, each.columns, each.values) for each in everybody]
    few = find_special_uniques(tuple(names.values()), largest=1)
    assert [each.row for each in few.list_stand_outs(names, count=9)] == [2, 3, 4]
    elsewhere = np.array([0, 3, 5, 6, 9])
    assert [each.row for each in few.list_stand_outs(names, count=9, rows=elsewhere)] == [5, 6, 9]


def test_sets_are_looked_at_as_far_as_is_quick() -> None:
    assert choose_largest(8) == 8
    assert choose_largest(12) == 12  # 4,095 sets
    assert choose_largest(20) == 3  # 20 + 190 + 1,140, and 4,845 more would be too many
    assert sum(comb(30, size) for size in range(1, choose_largest(30) + 1)) <= 5000


def test_what_cannot_be_walked_is_refused() -> None:
    column = ColumnCodes.of(pl.Series(["a", "b"]))
    with pytest.raises(ParameterError, match="keys must be 1 to 30"):
        find_special_uniques([])
    with pytest.raises(ParameterError, match="keys must be 1 to 30"):
        find_special_uniques([column] * 31)
    with pytest.raises(ParameterError, match="largest set must have 1 to 2 keys"):
        find_special_uniques([column] * 2, largest=3)
