"""A statement is what the rule says of a cell, and the audit gives what all of them leave: no more, no less."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import Bounds, LinearConstraint, milp
from tests.tables.instances import grid

from sekisho.errors import ParameterError
from sekisho.tables.audit.intervals import audit
from sekisho.tables.audit.statement_audit import (
    Possible,
    audit_statements,
    find_inner,
    is_sum_of_inner,
    is_uniform,
)
from sekisho.tables.audit.statements import StatementKind, Statements
from sekisho.tables.model.geometry import Dimension, from_inner
from sekisho.tables.model.table import Table

NAMES = "abc"


def flat(shape: tuple[int, ...], values: list[int] | None = None) -> Table:
    sides = [Dimension.flat(NAMES[at], [f"{NAMES[at]}{code + 1}" for code in range(n)]) for at, n in enumerate(shape)]
    keys = list(product(*([f"{NAMES[at]}{code + 1}" for code in range(n)] for at, n in enumerate(shape))))
    return from_inner(sides, keys, np.array(values or [0] * len(keys), dtype=np.float64))


def cases(shared: Callable[[str], Path], name: str) -> list[dict[str, Any]]:
    return json.loads(shared(f"tables/beyond/{name}.json").read_text("utf-8"))["cases"]


def test_what_the_rule_says_of_one_cell() -> None:
    # base 5, one step: 14 may be shown as 5 (from 10 or 15 one step down), 15 may not; 0 may be shown as 5
    one = Statements.rounded([5.0, 0.0, 20.0], base=5, steps=1)
    assert (one.low.tolist(), one.high.tolist()) == ([0, 0, 11], [14, 9, 29])
    near = Statements.nearest([0.0, 6.0], base=3)
    assert (near.low.tolist(), near.high.tolist()) == ([0, 5], [1, 7])
    even = Statements.nearest([4.0], base=4)  # 2 goes up to 4, 6 up to 8
    assert (even.low.tolist(), even.high.tolist()) == ([2], [5])
    small = Statements.small_rounded([0.0, 5.0, 7.0, 12.0], base=5, inner=np.array([True, True, True, False]))
    assert (small.low.tolist(), small.high.tolist()) == ([0, 1, 7, 0], [4, 5, 7, np.inf])
    assert small.kind.tolist()[-1] == StatementKind.SUM


@pytest.mark.parametrize(("base", "steps"), [(2, 0), (3, 0), (3, 1), (5, 2)])
def test_rounded_statements_are_those_of_enumeration(base: int, steps: int) -> None:
    # a count a has the neighbours b floor(a / b) and, if it is no multiple, the next one; K steps go further both ways
    for shown in range(0, 6 * base, base):
        truths = [
            count
            for count in range(12 * base)
            if max(0, count // base - steps) <= shown // base <= count // base + steps + (count % base > 0)
        ]
        said = Statements.rounded([float(shown)], base=base, steps=steps)
        assert (said.low[0], said.high[0]) == (min(truths), max(truths))


def test_noise_says_what_can_become_the_number() -> None:
    half = Fraction(1, 2)
    rows = [{0: Fraction(1)}, {0: half, 2: half}, {1: half, 2: Fraction(0), 3: half}]
    said = Statements.noisy([0.0, 2.0, 9.0], rows=rows)
    # 0: from 0 or 1; 2: from 1 or 3; 9: from 8 or 10, not 9: a gap
    assert (said.low.tolist(), said.high.tolist()) == ([0, 1, 8], [1, 3, 10])
    assert said.gaps.tolist() == [False, True, True]
    with pytest.raises(ParameterError, match="some count becomes"):
        Statements.noisy([0.5], rows=rows)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Statements.rounded([4.0], base=3),
        lambda: Statements.rounded([-3.0], base=3),
        lambda: Statements.rounded([3.0], base=1),
        lambda: Statements.rounded([3.0], base=3, steps=-1),
        lambda: Statements.small_rounded([2.0], base=3, inner=np.array([True])),
        lambda: Statements.noisy([0.0], rows=[]),
        lambda: Statements.interval([0.0], [np.nan]),
    ],
)
def test_what_no_rule_shows_is_refused(make: Callable[[], Statements]) -> None:
    with pytest.raises(ParameterError):
        make()


def test_rounded_tables_of_the_data(shared: Callable[[str], Path]) -> None:
    for case in cases(shared, "rounding-attack"):
        rows, columns = case["shape"]
        table = flat((rows, columns), case["published_inner"])
        order = list(product([f"a{i + 1}" for i in range(rows)], [f"b{j + 1}" for j in range(columns)]))
        order += [(f"a{i + 1}", "Total") for i in range(rows)] + [("Total", f"b{j + 1}") for j in range(columns)]
        at = [table.position[key] for key in [*order, ("Total", "Total")]]
        said = Statements.rounded(table.value, base=case["base"])
        found = audit_statements(table, said)
        assert found.theorem
        assert not found.unsettled.size
        assert (found.low[at].tolist(), found.high[at].tolist()) == (case["rule"]["low"], case["rule"]["high"])
        asked = audit_statements(table, replace(said, shown=np.full(len(table), np.nan)))  # the programs say the same
        assert not asked.theorem
        assert np.array_equal(asked.low, found.low)
        assert np.array_equal(asked.high, found.high)


def test_cells_rounded_one_by_one_are_unpicked(shared: Callable[[str], Path]) -> None:
    for case in cases(shared, "nearest-rounding-unpicked"):
        table = flat((len(case["published"]),))
        order = [table.position[(f"a{i + 1}",)] for i in range(len(case["published"]))]
        shown = np.zeros(len(table))
        shown[order], shown[table.position[("Total",)]] = case["published"], case["published_total"]
        found = audit_statements(table, Statements.nearest(shown, base=case["base"]))
        assert found.low[order].tolist() == case["low"]
        assert found.high[order].tolist() == case["high"]
        total = table.position[("Total",)]
        assert [found.low[total], found.high[total]] == case["total"]
        assert len(found.disclosed) == (len(table) if case["tables"] == 1 else 0)


def test_noisy_tables_of_the_data(shared: Callable[[str], Path]) -> None:
    for case in cases(shared, "bounded-noise-intervals"):
        reach, least = case["D"], case["js"]
        rows = [{0: 1.0}] + [
            {j: 1.0 for j in range(max(0, i - reach), i + reach + 1) if not 1 <= j <= least}
            for i in range(1, reach + least + 2)
        ]
        table = flat(tuple(case["shape"]))
        shown = np.zeros(len(table))
        for key, value in case["published_cells_in_order"]:
            shown[table.position[tuple(key)]] = value
        inner = [table.position[tuple(key)] for key, _ in case["published_cells_in_order"] if "Total" not in key]
        said = Statements.noisy(shown, rows=rows)
        assert (said.low[inner].tolist(), said.high[inner].tolist()) == (case["alone_low"], case["alone_high"])
        found = audit_statements(table, said)
        assert (found.low[inner].tolist(), found.high[inner].tolist()) == (case["joint_low"], case["joint_high"])


def ends_by_a_stranger(table: Table, said: Statements) -> tuple[list[float], list[float]] | None:
    ends: list[list[float]] = [[], []]
    for cell, (at, sign) in product(range(len(table)), enumerate((1, -1))):
        cost = np.zeros(len(table))
        cost[cell] = sign
        found = milp(
            cost,
            integrality=np.ones(len(table), dtype=np.int64),
            bounds=Bounds(said.low, said.high),
            constraints=LinearConstraint(table.matrix.toarray(), 0.0, 0.0),
        )
        if found.x is None:
            return None
        ends[at].append(float(np.rint(found.x[cell])))
    return ends[0], ends[1]


@given(
    st.integers(0, 10**6), st.sampled_from([(3,), (2, 2), (2, 3), (2, 2, 2)]), st.sampled_from(["truth known", "not"])
)
def test_any_intervals_are_joined_as_a_stranger_joins_them(seed: int, shape: tuple[int, ...], who: str) -> None:
    rng, known = np.random.default_rng(seed), who == "truth known"
    table = flat(shape, rng.integers(0, 8, int(np.prod(shape))).tolist())
    off = rng.integers(-1, 2, len(table)) if not known else np.zeros(len(table))
    low = np.maximum(0.0, table.value + off - rng.integers(0, 3, len(table)))
    said = Statements.interval(low, np.maximum(low, table.value + off + rng.integers(0, 3, len(table))))
    right = ends_by_a_stranger(table, said)
    found = audit_statements(table, said, truth=table.value if known else None)
    if right is None:
        assert found.possible is Possible.NO
        assert not found.disclosed.size
        return
    assert found.possible is Possible.YES
    assert (found.low.tolist(), found.high.tolist()) == right
    assert bool(said.hold(found.point).all())
    assert not np.any(table.matrix @ found.point)


@given(st.integers(0, 10**6))
def test_suppression_is_a_special_case(seed: int) -> None:
    rng = np.random.default_rng(seed)
    table = flat((3, 3), rng.integers(0, 9, 9).tolist()).suppress_cells(rng.random(16) < 0.5)
    own = audit(table, whole=True)
    said = audit_statements(table, Statements.of_pattern(table), truth=table.value)
    assert np.array_equal(said.low[own.cells], own.low)
    assert np.array_equal(said.high[own.cells], own.high)
    assert set(own.disclosed) == set(said.disclosed)


def test_an_exact_total_ends_the_theorem() -> None:
    table = flat((2, 2), [3, 0, 3, 0])
    said = Statements.rounded(table.value, base=3)
    assert is_uniform(table, said)
    total = np.array([key == ("Total", "Total") for key in table.keys])
    # 6 rounded up from 4: both columns, shown 6 and 0, are then 4 and 0
    told = said.replace_cells(total, Statements.exact(np.full(len(table), 4.0)))
    assert not is_uniform(table, told)
    found = audit_statements(table, told)
    column = table.position[("Total", "b2")]
    assert (found.low[column], found.high[column]) == (0, 0)
    assert column in found.disclosed


def test_a_table_that_contradicts_itself() -> None:
    table = flat((3,))
    total = table.position[("Total",)]
    shown = np.full(len(table), 0.0)
    shown[total] = 12.0
    found = audit_statements(table, Statements.rounded(shown, base=3))  # 2 + 2 + 2 is below 10
    assert found.possible is Possible.NO
    assert not found.point.size
    assert not found.unsettled.size


def test_gaps_leave_nothing_certain_but_what_is_known() -> None:
    table = flat((2,))
    half = Fraction(1, 2)
    rows = [{0: Fraction(1)}, {0: half, 2: half}, {1: half, 3: half}]
    found = audit_statements(table, Statements.noisy(np.where(np.arange(3) == 0, 9.0, 3.0), rows=rows))
    assert found.outer
    assert not found.unsettled.size  # 4 + 4 = 8 is the only way even without the gaps
    wider = audit_statements(table, Statements.noisy(np.where(np.arange(3) == 0, 7.0, 3.0), rows=rows))
    assert wider.outer
    assert wider.unsettled.size == 3
    with pytest.raises(ParameterError, match="inside what is said"):
        audit_statements(table, Statements.exact(np.zeros(3)), truth=np.array([2.0, 1.0, 1.0]))


def test_which_cells_are_sums_of_inner_ones() -> None:
    table = grid((3, 4), np.random.default_rng(0))
    assert is_sum_of_inner(table)
    assert int(find_inner(table).sum()) == 12
    turned = replace(table, matrix=-table.matrix)
    assert not is_sum_of_inner(turned)


@given(st.integers(0, 10**6), st.integers(2, 6), st.integers(0, 2))
def test_two_statements_leave_what_both_do(seed: int, base: int, steps: int) -> None:
    rng = np.random.default_rng(seed)
    one = Statements.rounded(base * rng.integers(0, 4, 5).astype(np.float64), base=base, steps=steps)
    two = Statements.interval(rng.integers(0, 5, 5).astype(np.float64), rng.integers(5, 20, 5).astype(np.float64))
    both = one.intersect(two)
    for value in range(30):
        point = np.full(5, float(value))
        assert np.array_equal(both.hold(point), one.hold(point) & two.hold(point))
