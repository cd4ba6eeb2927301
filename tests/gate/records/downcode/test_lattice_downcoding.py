"""What is said of the cells of global recoding must hold of every original that gives the same release.

A margin that is too wide promises what is not so; one that is too narrow frightens for nothing. So small files are
listed: every other value of every record, and whether the same vector would still be the best.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement, product
from math import factorial, prod
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.red_team_cases import read_cases

from sekisho.attack.records.downcode.answer import Knows, Roster
from sekisho.data.frame.dataset import Column, Dataset, Kind, Role, Schema
from sekisho.data.trees.hierarchy import Tree
from sekisho.gate.records.downcode.lattice_downcoding import (
    LatticeCells,
    downcode_lattice,
    find_exchangeable,
    read_cells_at,
)
from sekisho.protect.records.lattice_recoding import Lattice, LatticeMeasure
from sekisho.protect.records.lattice_search import BestVector, find_best_vector
from sekisho.protect.records.minimality.lattice_margin import measure_margin

Levels = Sequence[Sequence[Sequence[int]]]


def make_tree(levels: Levels) -> Tree:
    """Return the tree whose labels at each level are these sets of leaves."""
    codes, parents, begins = ["root"], [-1], [len(levels) - 1]
    at = {tuple(levels[-1][0]): 0}
    for step in range(len(levels) - 2, -1, -1):
        for label in map(tuple, levels[step]):
            if label in at:
                begins[at[label]] = step
                continue
            above = next(one for one in map(tuple, levels[step + 1]) if set(label) <= set(one))
            at[label] = len(codes)
            codes.append(str(label[0]) if len(label) == 1 else "-".join(map(str, label)))
            parents.append(at[above])
            begins.append(step)
    return Tree(codes=tuple(codes), parents=tuple(parents), begins=tuple(begins))


def make_data(rows: Sequence[Sequence[int]], keys: int) -> Dataset:
    names = [f"k{place}" for place in range(keys)]
    frame = pl.DataFrame({name: [str(row[place]) for row in rows] for place, name in enumerate(names)})
    return Dataset(frame, Schema(tuple(Column(name=name, kind=Kind.CATEGORY, role=Role.QUASI) for name in names)))


def make_method(trees: Sequence[Levels], k: int, loss: str) -> Lattice:
    return Lattice(
        keys=tuple(f"k{place}" for place in range(len(trees))),
        k=k,
        tree={f"k{place}": make_tree(levels) for place, levels in enumerate(trees)},
        measure=LatticeMeasure.NCP if loss == "ncp" else LatticeMeasure.PRECISION,
    )


def weigh(rows: Sequence[Sequence[int]], trees: Sequence[Levels], k: int, loss: str) -> dict[tuple[int, ...], Fraction]:
    """Return the loss of every vector at which all classes have k records, by its definition."""
    losses: dict[tuple[int, ...], Fraction] = {}
    for vector in product(*(range(len(levels)) for levels in trees)):
        labels = [
            tuple(next(tuple(one) for one in trees[key][level] if row[key] in one) for key, level in enumerate(vector))
            for row in rows
        ]
        if min(labels.count(one) for one in labels) < k:
            continue
        if loss == "ncp":
            tops = [len(levels[-1][0]) - 1 for levels in trees]
            losses[vector] = sum(
                (Fraction(len(label[key]) - 1, tops[key]) for label in labels for key in range(len(trees))), Fraction(0)
            )
        else:
            losses[vector] = sum(
                (Fraction(level, len(trees[key]) - 1) for key, level in enumerate(vector)), Fraction(0)
            )
    return losses


def is_least(
    rows: Sequence[Sequence[int]], vector: tuple[int, ...], trees: Sequence[Levels], k: int, loss: str
) -> bool:
    losses = weigh(rows, trees, k, loss)
    return vector in losses and losses[vector] == min(losses.values())


def list_left(
    rows: Sequence[tuple[int, ...]], vector: tuple[int, ...], trees: Sequence[Levels], k: int, loss: str
) -> list[tuple[int, int]]:
    """Return for each record how many combinations its cells admit, and how many leave the vector among the best."""
    counts: list[tuple[int, int]] = []
    for place, row in enumerate(rows):
        admitted = list(
            product(*(next(one for one in trees[key][level] if row[key] in one) for key, level in enumerate(vector)))
        )
        left = [
            other for other in admitted if is_least([*rows[:place], other, *rows[place + 1 :]], vector, trees, k, loss)
        ]
        counts.append((len(admitted), len(left)))
    return counts


def list_files(case: dict[str, Any]) -> Iterator[tuple[list[tuple[int, ...]], int]]:
    """Give every file of a case once, and in how many orders it may stand."""
    leaves = list(product(*(range(len(levels[0])) for levels in case["trees"])))
    for rows in combinations_with_replacement(leaves, case["records"]):
        yield list(rows), factorial(len(rows)) // prod(factorial(rows.count(one)) for one in set(rows))


SMALL: dict[str, Any] = {
    "trees": [[[[0], [1]], [[0, 1]]], [[[0], [1]], [[0, 1]]]],
    "records": 6,
    "k": 3,
    "loss": "levels",
    "least": {"cells": 36576, "all_but_one": {"records": 25992, "narrowed": 9672, "known": 4392}},
}
TWO_BY_FOUR = {
    "trees": [[[[0], [1]], [[0, 1]]], [[[0], [1], [2], [3]], [[0, 1], [2, 3]], [[0, 1, 2, 3]]]],
    "records": 5,
    "k": 2,
    "loss": "ncp",
}
UNEQUAL = {
    "trees": [[[[0], [1], [2], [3]], [[0], [1, 2, 3]], [[0, 1, 2, 3]]]],
    "records": 6,
    "k": 2,
    "loss": "ncp",
}


def count_all_but_one(case: dict[str, Any]) -> dict[str, int]:
    """Return what the program says of every file of a case at every vector of least loss."""
    method = make_method(case["trees"], case["k"], case["loss"])
    sums = {"cells": 0, "records": 0, "narrowed": 0, "known": 0}
    for rows, orders in list_files(case):
        losses = weigh(rows, case["trees"], case["k"], case["loss"])
        data = make_data(rows, len(case["trees"]))
        for vector in (one for one, loss in losses.items() if loss == min(losses.values())):
            cells = read_at(method, data, vector)
            answer = downcode_lattice(method, cells, knows=Knows.LEAST, roster=Roster.OTHERS)
            sums["cells"] += orders * answer.cells
            sums["records"] += orders * answer.touched
            sums["narrowed"] += orders * answer.people
            sums["known"] += orders * (answer.people_known or 0)
    return sums


def read_at(method: Lattice, data: Dataset, vector: tuple[int, ...]) -> LatticeCells:
    posed = method.pose(data)
    best = find_best_vector(posed.problem)
    trees = {name: tree for name, tree in (method.tree or {}).items() if isinstance(tree, Tree)}
    chosen = BestVector(vector=vector, loss=best.loss, vectors=best.vectors, looked_at=0)
    return read_cells_at(method, posed, chosen, trees)


def test_every_file_of_six_records_for_one_who_knows_the_others() -> None:
    wanted = SMALL["least"]
    assert count_all_but_one(SMALL) == {"cells": wanted["cells"], **wanted["all_but_one"]}


def test_a_golden_case_of_unequal_trees(shared: Callable[[str], Path]) -> None:
    case = next(one for one in read_cases(shared, "downcode-lattice", "sums") if one["id"] == "all-asym4-ncp")
    assert count_all_but_one(case) == {"cells": case["least"]["cells"], **case["least"]["all_but_one"]}


@pytest.mark.parametrize("case", [TWO_BY_FOUR, UNEQUAL], ids=["2x4", "unequal"])
def test_no_file_with_a_margin_is_narrowed(case: dict[str, Any]) -> None:
    method, held = make_method(case["trees"], case["k"], case["loss"]), 0
    for rows, _ in list_files(case):
        posed = method.pose(make_data(rows, len(case["trees"])))
        best = find_best_vector(posed.problem)
        if measure_margin(posed.problem, best, case["k"]).people >= 1:
            held += 1
            counts = list_left(rows, best.vector, case["trees"], case["k"], case["loss"])
            assert all(admitted == left for admitted, left in counts), rows
    assert held > 0


@given(st.data())
def test_others_are_counted_as_by_trying_every_record(data: st.DataObject) -> None:
    trees: list[Levels] = [
        [[[0], [1], [2]], [[0], [1, 2]], [[0, 1, 2]]],
        [[[0], [1], [2], [3]], [[0, 1], [2, 3]], [[0, 1, 2, 3]]],
    ]
    loss, k = data.draw(st.sampled_from(["ncp", "levels"])), data.draw(st.integers(2, 3))
    rows = [(data.draw(st.integers(0, 2)), data.draw(st.integers(0, 3))) for _ in range(data.draw(st.integers(k, 7)))]
    method = make_method(trees, k, loss)
    cells = read_at(method, make_data(rows, 2), find_best_vector(method.pose(make_data(rows, 2)).problem).vector)
    answer = downcode_lattice(method, cells, knows=Knows.LEAST, roster=Roster.OTHERS)
    counts = list_left(rows, cells.best.vector, trees, k, loss)
    assert answer.people == sum(left < admitted for admitted, left in counts)
    assert answer.people_known == sum(left == 1 < admitted for admitted, left in counts)
    assert answer.touched == sum(admitted > 1 for admitted, _ in counts)
    assert answer.certain


def test_which_leaves_are_exchangeable() -> None:
    even = make_tree([[[0], [1], [2], [3]], [[0, 1], [2, 3]], [[0, 1, 2, 3]]])
    assert find_exchangeable(even).all()
    uneven = make_tree([[[0], [1], [2], [3]], [[0], [1, 2, 3]], [[0, 1, 2, 3]]])
    assert [uneven.codes[place] for place in np.flatnonzero(~find_exchangeable(uneven))] == ["root"]


def test_one_who_knows_nobody_learns_nothing_where_leaves_are_exchangeable() -> None:
    rows = [(0, 0), (0, 1), (1, 0), (1, 1), (0, 0), (0, 0)]
    method = make_method(SMALL["trees"], 3, "levels")
    cells = read_at(method, make_data(rows, 2), find_best_vector(method.pose(make_data(rows, 2)).problem).vector)
    answer = downcode_lattice(method, cells, knows=Knows.LEAST, roster=Roster.ONE)
    assert (answer.narrowed, answer.guess, answer.certain) == (0, answer.guess_rule, True)
    assert "exchangeable" in answer.proven


def test_a_near_vector_below_a_near_one_is_tried_too() -> None:
    # (0,2) (2,1), k = 2, unequal trees: by listing both records are narrowed, and one has a single combination left.
    trees: list[Levels] = [[[[0], [1], [2]], [[0], [1, 2]], [[0, 1, 2]]]] * 2
    method, data = make_method(trees, 2, "ncp"), make_data([(0, 2), (2, 1)], 2)
    answer = downcode_lattice(method, read_at(method, data, (2, 1)), knows=Knows.LEAST, roster=Roster.OTHERS)
    assert (answer.people, answer.people_known) == (2, 1)
