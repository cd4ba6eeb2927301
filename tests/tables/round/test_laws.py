"""Rounding beside plain listing: every way to round a small table, and every truth behind what is shown."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.laws import try_examples
from tests.tables.round_cases import GROUPS, lay_out, needs_cases, read_cases, round_table

from sekisho.errors import InfeasibleError, ParameterError
from sekisho.tables.model.geometry import Dimension, from_inner
from sekisho.tables.model.heights import measure_heights, sum_inner
from sekisho.tables.model.table import Table
from sekisho.tables.round.conflict import conflicts
from sekisho.tables.round.rounding import Objective, Rounder
from sekisho.tables.round.unbiased import expect_cost, round_unbiased


def list_roundings(table: Table, base: int, steps: int) -> Iterator[np.ndarray[Any, np.dtype[np.int64]]]:
    """Give every table of multiples within its steps that adds up, by trying all inner cells."""
    value = table.value.astype(np.int64)
    inner = np.flatnonzero(measure_heights(table) == 0)

    def allowed(count: int) -> range:
        return range(max(0, count // base - steps), -(-count // base) + steps + 1)

    for chosen in product(*(allowed(int(value[cell])) for cell in inner)):
        shown = np.zeros(len(table), dtype=np.int64)
        shown[inner] = np.array(chosen) * base
        shown = sum_inner(table, shown)
        if all(int(x) // base in allowed(int(a)) for x, a in zip(shown, value, strict=True)):
            yield shown


@try_examples(20)
@given(st.sampled_from([(2, 2), (2, 3), (2, 2, 2)]), st.integers(2, 5), st.integers(0, 1), st.data())
def test_the_change_is_the_least_of_all_that_are_listed(
    shape: tuple[int, ...], base: int, steps: int, data: st.DataObject
) -> None:
    steps = steps if len(shape) == 2 and shape != (2, 3) else 0  # listing all is slow beyond
    inner = data.draw(st.lists(st.integers(0, 9), min_size=int(np.prod(shape)), max_size=int(np.prod(shape))))
    table = lay_out(inner, shape)
    costs = [int(np.abs(shown - table.value).sum()) for shown in list_roundings(table, base, steps)]
    try:
        rounded = round_table(table, Rounder(base=base, steps=steps))
    except InfeasibleError:
        assert not costs
        return
    assert rounded.additive
    assert (rounded.status, rounded.deviation) == ("optimal", min(costs))
    assert rounded.certified <= rounded.deviation
    assert rounded.statements.hold(table.value).all()


def test_a_conflict_is_irreducible_and_one_step_more_resolves_it() -> None:
    # ones at (1,2,2), (2,1,2), (2,2,1), base 2: each sum of two of the three is 2 and must stay, so of each two of the
    # three precisely one goes up, which no three can do
    table = lay_out([0, 0, 0, 1, 0, 1, 1, 0], (2, 2, 2))
    rounder = Rounder(base=2)
    found = rounder.explain_conflict(table)
    assert found.irreducible
    assert found.steps == 1
    assert Rounder(base=2, steps=1).round(table, rng=np.random.default_rng(0)).deviation == 18
    choices = rounder.choose(table)
    rows = np.array(found.equations)
    assert conflicts(choices, rows)
    assert not any(conflicts(choices, np.delete(rows, at)) for at in range(len(rows)))


@needs_cases
@pytest.mark.parametrize("case", read_cases("rounding-attack"), ids=lambda case: case["id"])
def test_who_knows_the_rule_learns_of_a_cell_what_its_own_number_says(case: dict[str, Any]) -> None:
    table = lay_out(case["published_inner"], tuple(case["shape"]))
    # the golden cells stand inner first, then rows, columns, total; ours by key
    order = sorted(range(len(table)), key=lambda at: _place(table, at))
    said = Rounder(base=case["base"]).round(table, rng=np.random.default_rng(0)).statements
    assert said.low[order].tolist() == case["rule"]["low"]
    assert said.high[order].tolist() == case["rule"]["high"]


def _place(table: Table, at: int) -> tuple[int, tuple[str, ...]]:
    key = table.keys[at]
    row, column = (code == "Total" for code in key)
    return (2 * row + column, key)


@needs_cases
@pytest.mark.parametrize("case", read_cases("rounding-attack")[:3], ids=lambda case: case["id"])
def test_who_knows_that_the_change_is_least_may_learn_more(case: dict[str, Any]) -> None:
    """Of all truths that the rule leaves, keep those of which what is shown is a least rounding: the golden number."""
    table = lay_out(case["published_inner"], tuple(case["shape"]))
    shown = table.value.astype(np.int64)
    inner = np.flatnonzero(measure_heights(table) == 0)
    base, kept, left = case["base"], [], 0
    for truth in product(*(range(max(0, int(shown[at]) - base + 1), int(shown[at]) + base) for at in inner)):
        value = np.zeros(len(table), dtype=np.int64)
        value[inner] = truth
        value = sum_inner(table, value)
        if np.any(np.abs(value - shown) >= base):
            continue
        left += 1
        dear = int(np.abs(value - shown).sum())
        if dear == round_table(lay_out(list(truth), tuple(case["shape"])), Rounder(base=base)).deviation:
            kept.append(value)
    assert (left, len(kept)) == (case["rule"]["tables"], case["least"]["tables"])
    order = sorted(range(len(table)), key=lambda at: _place(table, at))
    assert np.min(kept, axis=0)[order].tolist() == case["least"]["low"]
    assert np.max(kept, axis=0)[order].tolist() == case["least"]["high"]


class Branches:
    """Draws the numbers of a list, then zeros; remembers how many each could have been."""

    def __init__(self, drawn: list[int]) -> None:
        self.drawn = drawn
        self.sizes: list[int] = []

    def integers(self, low: int, /) -> int:
        at = len(self.sizes)
        self.sizes.append(low)
        return self.drawn[at] if at < len(self.drawn) else 0


def expect(table: Table, base: int) -> list[Fraction]:
    """Return the expected value of every cell over all draws, exactly."""
    value = table.value.astype(np.int64)
    total = [Fraction(0)] * len(table)
    waiting: list[tuple[list[int], Fraction]] = [([], Fraction(1))]
    while waiting:
        drawn, chance = waiting.pop()
        rng = Branches(drawn)
        shown = round_unbiased(table, value, base, rng=rng)
        if len(rng.sizes) > len(drawn):
            size = rng.sizes[len(drawn)]
            waiting += [([*drawn, one], chance / size) for one in range(size)]
            continue
        assert not np.any(table.matrix @ shown)
        assert not np.any(shown % base)
        assert np.all(np.abs(shown - value) < base)
        total = [one + chance * int(x) for one, x in zip(total, shown, strict=True)]
    return total


@pytest.mark.parametrize(
    ("inner", "shape"), [([1, 2, 2, 1], (2, 2)), ([4, 0, 2, 1, 1, 5], (2, 3)), ([1, 1, 2, 3], (4,))]
)
def test_chance_keeps_every_expected_value(inner: list[int], shape: tuple[int, ...]) -> None:
    table = lay_out(inner, shape)
    assert expect(table, 3) == [Fraction(int(value)) for value in table.value]


def test_chance_rounds_a_tree_by_a_flat_dimension_and_refuses_what_is_no_network() -> None:
    rng = np.random.default_rng(7)
    keys = [(row, column) for row in "1234" for column in "ab"]
    dimensions = [Dimension(name="r", parent=GROUPS), Dimension.flat("c", ["a", "b"])]
    table = from_inner(dimensions, keys, rng.integers(0, 9, 8).astype(np.float64))
    value = table.value.astype(np.int64)
    draws = np.array([round_unbiased(table, value, 5, rng=rng) for _ in range(300)])
    assert not np.any(table.matrix @ draws.T)
    # five standard errors of a mean of 300 draws that vary by at most 6.25
    assert np.all(np.abs(draws.mean(axis=0) - value) < 5 * (6.25 / 300) ** 0.5 + 1e-9)
    spent = np.abs(draws - value).sum(axis=1).mean()
    assert abs(spent - expect_cost(value, 5)) < 0.15 * expect_cost(value, 5)
    with pytest.raises(ParameterError, match="objective"):
        round_table(lay_out([1] * 8, (2, 2, 2)), Rounder(base=3, objective=Objective.UNBIASED))


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        ({"base": 1}, "base"),
        ({"steps": -1}, "steps"),
        ({"objective": Objective.SMALL, "steps": 1}, "steps"),
        ({"seconds": 0.0}, "time"),
    ],
)
def test_what_makes_no_sense_is_refused(asked: dict[str, Any], name: str) -> None:
    with pytest.raises(ParameterError, match=name):
        Rounder(**asked)


def test_widths_that_no_cell_can_have_and_unsafe_cells_left_as_they_are_are_refused() -> None:
    table = lay_out([1, 6, 4, 9], (2, 2))
    small = np.array([value == 1 for value in table.value])
    # base 2 without further steps leaves at most x - 1 .. x + 1
    with pytest.raises(ParameterError, match="width"):
        round_table(table.flag_cells(small, sliding=3.0), Rounder(base=2))
    assert round_table(table.flag_cells(small, sliding=2.0), Rounder(base=2)).status == "optimal"
    with pytest.raises(ParameterError, match="base"):
        round_table(table.flag_cells(table.value == 6, sliding=2.0), Rounder(base=5, objective=Objective.SMALL))
    with pytest.raises(ParameterError, match="count"):
        round_table(lay_out([1, -2, 3, 4], (2, 2)), Rounder(base=3))
