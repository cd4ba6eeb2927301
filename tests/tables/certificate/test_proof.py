"""A proof must prove what it says, in exact arithmetic and not a unit more, and it must reach the optimum of its
cuts."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from sekisho.tables.certificate.seal import SCALE, Branch, Leaf, Prover, prove_bound
from sekisho.tables.suppress.cuts import Cut


def cut(row: list[float]) -> Cut:
    cells = np.flatnonzero(row)
    return Cut(cells=cells, coefficients=np.array(row)[cells], primary=0, up=None, down=None)


def covering(seed: int) -> tuple[list[list[float]], list[int]]:
    """Cuts with coefficients in quarters over seven cells, each cut reachable."""
    rng = np.random.default_rng(seed)
    rows = [[int(c) / 4 for c in rng.integers(0, 5, 7)] for _ in range(8)]
    return [row for row in rows if sum(row) >= 1], rng.integers(1, 5, 7).tolist()


def optimum(rows: list[list[float]], weight: list[int]) -> int:
    return min(
        sum(w for w, each in zip(weight, y, strict=True) if each)
        for y in product([0, 1], repeat=len(weight))
        if all(sum(c * each for c, each in zip(row, y, strict=True)) >= 1 for row in rows)
    )


def proven(tree: Leaf | Branch, rows: list[list[float]], weight: list[int], case: dict[int, int]) -> Fraction:
    """What a tree proves: for each way to choose, the sum of its cuts' parts and of what the parts leave of the
    costs."""
    if isinstance(tree, Branch):
        sides = (tree.zero, tree.one)
        return min(proven(side, rows, weight, {**case, tree.cell: to}) for to, side in enumerate(sides))
    parts = {at: Fraction(part, SCALE) for at, part in tree.parts.items()}
    assert all(part >= 0 for part in parts.values())
    total = sum(parts.values(), Fraction(0))
    for cell, price in enumerate(weight):
        left = price - sum(part * Fraction(rows[at][cell]) for at, part in parts.items())
        total += left * case[cell] if cell in case else min(left, Fraction(0))
    return total


@pytest.mark.parametrize("seed", range(40))
def test_a_tree_proves_the_optimum_and_no_more(seed: int) -> None:
    rows, weight = covering(seed)
    best = optimum(rows, weight)
    prover = Prover([cut(row) for row in rows], np.array(weight, dtype=np.float64))
    root = prover.root()
    assert root.bound <= best
    assert (
        proven(root.tree, rows, weight, {}) > root.bound - 1
    )  # whole costs: more than the bound less 1 rounds up to it
    part = prover.tree(float(best), 500)
    assert part.bound == best
    assert best - 1 < proven(part.tree, rows, weight, {}) <= best
    # no tree proves more; one cut short proves what it says
    assert prover.tree(best + 1.0, 500).bound == best
    for nodes in (1, 3, 5, 9):
        short = prover.tree(float(best), nodes)
        assert root.bound <= short.bound <= best
        assert proven(short.tree, rows, weight, {}) > short.bound - 1


def test_a_tree_too_large_proves_less() -> None:
    # Any two of three: the relaxation says 1.5, so rounding up proves 2 at the root; of fractions' costs it needs a
    # branch.
    rows = [cut([1.0, 1.0, 0.0]), cut([0.0, 1.0, 1.0]), cut([1.0, 0.0, 1.0])]
    small = Prover(rows, np.ones(3)).tree(2.0, 1)
    assert (small.bound, type(small.tree)) == (2, Leaf)
    fine = Prover(rows, np.full(3, 1.5))
    assert fine.tree(2.999, 1).bound == pytest.approx(2.25, abs=1e-4)
    large = fine.tree(2.999, 20)
    assert (large.bound, type(large.tree)) == (2.999, Branch)


@pytest.mark.parametrize("seed", range(10))
def test_what_cuts_do_not_join_is_proven_apart(seed: int) -> None:
    # Two problems side by side: their optima add up, whichever nodes are left.
    first, second = covering(seed), covering(seed + 100)
    rows = [[*row, *([0.0] * 7)] for row in first[0]] + [[*([0.0] * 7), *row] for row in second[0]]
    weight = np.array([*first[1], *second[1]], dtype=np.float64)
    best = optimum(*first) + optimum(*second)
    everything = np.ones(14, dtype=np.bool_)
    parts = prove_bound([cut(row) for row in rows], weight, everything, float(best), nodes=2000)
    assert sum(part.bound for part in parts) == best
    assert len({cell for part in parts for cell in part.cells}) == sum(len(part.cells) for part in parts)
    few = prove_bound([cut(row) for row in rows], weight, everything, float(best), nodes=0)
    assert sum(part.bound for part in few) <= best
