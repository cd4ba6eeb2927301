"""A class must not tell more about the sensitive value than the whole release does."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog
from tests.safety.records import slow_risk
from tests.safety.records.slow_risk import Row
from tests.safety.records.tables import cross, drawn_tables, released

from sekisho.data.trees.hierarchy import Tree
from sekisho.errors import FaultsError, ParameterError
from sekisho.safety.records.closeness import (
    Distance,
    TCloseness,
    measure_equal,
    measure_hierarchical,
    measure_ordered,
)

# Total over x (0, 1) and y (2, 3, z), z over (4, 5): leaves of unequal depth; heights: z 1, x 1, y 2, Total 3.
TREE = Tree.of(
    [("x", "Total"), ("y", "Total"), ("0", "x"), ("1", "x"), ("2", "y"), ("3", "y"), ("z", "y"), ("4", "z"), ("5", "z")]
)
HEIGHTS = {"x": 1, "y": 2, "z": 1, "Total": 3}


def test_the_example_of_the_paper() -> None:
    # Li and others, section 4.1: salaries 3k … 11k, one of each. {3k, 4k, 5k} is 0.375 away, {6k, 8k, 11k} 0.167:
    # cumulated differences of the first are 2/9, 4/9, 6/9, 5/9, 4/9, 3/9, 2/9, 1/9, their sum 27/9 = 3, over 8: 0.375.
    low, other = [3, 4, 5], [6, 8, 11]
    rows: list[Row] = [("low" if pay in low else "high" if pay in other else "rest",) for pay in range(3, 12)]
    far = measure_ordered(cross(rows, list(range(3, 12))))  # classes: high, low, rest
    assert far[1] == pytest.approx(0.375)
    assert far[0] == pytest.approx(1 / 6)
    # equal distance of the first: three values gain 1/3 - 1/9 each
    assert measure_equal(cross(rows, list(range(3, 12))))[1] == pytest.approx(2 / 3)


@given(drawn_tables())
def test_both_distances_are_those_of_the_definitions(table: tuple[list[Row], list[int]]) -> None:
    found = cross(*table)
    assert measure_equal(found).max() == pytest.approx(float(slow_risk.equal_distance(*table)), abs=1e-12)
    assert measure_ordered(found).max() == pytest.approx(float(slow_risk.ordered_distance(*table)), abs=1e-12)


def ground(a: int, b: int) -> float:
    """Return how far two leaves are apart: how high the lowest code above both stands."""

    def path(leaf: int) -> list[str]:
        codes, place = [], TREE.position[str(leaf)]
        while place >= 0:
            codes.append(TREE.codes[place])
            place = TREE.parents[place]
        return codes

    return 0.0 if a == b else HEIGHTS[next(code for code in path(a) if code in path(b))] / 3


@given(drawn_tables())
def test_the_distance_by_a_tree_is_the_cheapest_way_to_move_the_earth(table: tuple[list[Row], list[int]]) -> None:
    rows, values = table
    names = sorted(set(values))
    found = measure_hierarchical(cross(rows, values), TREE, tuple(map(str, names)))
    whole = np.array([float(share) for share in slow_risk.shares(values, names)])
    costs = np.array([ground(a, b) for a in names for b in names])
    worst = 0.0
    size = len(names)
    for each in slow_risk.split_classes(rows, values):
        here = np.array([float(share) for share in slow_risk.shares(each, names)])
        sums = [np.kron(np.eye(size), np.ones(size)), np.kron(np.ones(size), np.eye(size))]
        plan = linprog(costs, A_eq=np.concatenate(sums), b_eq=np.concatenate([here, whole]), method="highs")
        assert plan.fun is not None
        worst = max(worst, float(plan.fun))
    assert found.max() == pytest.approx(worst, abs=1e-9)


PEOPLE = [("f", 30, 1), ("f", 30, 3), ("m", 40, 1), ("m", 40, 1)]


def test_the_farthest_class_decides_and_is_named() -> None:
    # 3/4 have 1, 1/4 has 3. Women: 1/2, 1/2: 1/4 away. Men: 1, 0: 1/4 away as well; the first is named.
    found = TCloseness(t=0.2).check(released(PEOPLE))
    assert (found.kept, found.worst, found.where) == (False, 0.25, (0, 1))
    assert "0.25 from the whole (equal), 0.2 is allowed" in found.words
    assert TCloseness(t=0.25).check(released(PEOPLE)).kept
    assert TCloseness(t=0.25, distance=Distance.ORDERED).check(released(PEOPLE)).kept
    tree = Tree.of([("low", "Total"), ("high", "Total"), ("1", "low"), ("2", "low"), ("3", "high")])
    assert TCloseness(t=0.25, distance=Distance.HIERARCHICAL, tree=tree).check(released(PEOPLE)).kept


def test_one_value_is_told_to_everybody_already() -> None:
    assert TCloseness(t=0, distance=Distance.ORDERED).check(released([("f", 1, 5), ("m", 2, 5)])).worst == 0


def test_what_cannot_be_asked_is_refused() -> None:
    with pytest.raises(ParameterError, match="t must lie between 0 and below 1"):
        TCloseness(t=1.5)
    with pytest.raises(ParameterError, match="tree must be given for the hierarchical distance"):
        TCloseness(distance=Distance.HIERARCHICAL)
    with pytest.raises(ParameterError, match="distance must be equal for what is no number or date"):
        TCloseness(keys=("age",), sensitive="sex", distance=Distance.ORDERED).check(released(PEOPLE))
    with pytest.raises(FaultsError, match="the value '1' is no leaf; file: the value '3' is no leaf"):
        TCloseness(distance=Distance.HIERARCHICAL, tree=TREE.flat("79")).check(released(PEOPLE))


@given(st.lists(st.integers(0, 3), min_size=1, max_size=12))
def test_one_class_is_as_the_whole(values: list[int]) -> None:
    table = cross([("a",)] * len(values), values)
    for far in (measure_equal(table), measure_ordered(table)):
        assert far.max() == pytest.approx(0.0, abs=1e-12)
