"""Patterns of every kind, made from a seed: what the audit is compared on with an attacker who shares nothing with
it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from tests.tables.instances import filled, grid

from sekisho.tables.model.geometry import Dimension, from_inner
from sekisho.tables.model.linked.join import join_tables
from sekisho.tables.model.table import TOTAL, Table

KINDS = ("grouped", "grouped two-way", "linked", "three-way", "tree", "relations", "signs")
SHARES = (0.3, 0.5, 0.7, 0.9)
HEAVY = (1, 1, 2, 3, 12)
SIGNS = ((1, 1, -1), (1, -1))


def pattern(kind: str, seed: int) -> Table:
    """Return a table of a kind with cells hidden, about half of them primary, and bounds and levels of some sort."""
    rng = np.random.default_rng([seed, KINDS.index(kind)])
    table = bounded(_made(kind, rng), rng)
    hidden = (rng.random(len(table)) < rng.choice(SHARES)) & ~table.unpublished
    if rng.random() < 0.7:  # the sums that do not nest tell of what is hidden
        tell = np.array([any(code.startswith("G") for code in key) for key in table.keys])
        hidden = np.where(tell, hidden & (rng.random(len(table)) < 0.3), hidden)
    primary = hidden & (rng.random(len(table)) < 0.5)
    lower, upper, sliding = (rng.integers(0, 6, 3) * rng.integers(0, 2, 3)).tolist()
    return table.flag_cells(primary, lower=lower, upper=upper, sliding=sliding or 1).suppress_cells(hidden)


def _made(kind: str, rng: np.random.Generator) -> Table:
    if kind == "grouped":
        return filled([_grouping(rng, int(rng.integers(4, 8)))], rng, high=40)
    if kind == "grouped two-way":
        return filled([_grouping(rng, int(rng.integers(3, 6))), Dimension.flat("d", ["p", "q"])], rng, high=40)
    if kind == "three-way":
        return grid(tuple(rng.permutation([2, 3, int(rng.integers(2, 4))]).tolist()), rng, high=30)
    if kind == "tree":
        tree = Dimension(name="r", parent={"n": TOTAL, "s": TOTAL, "n1": "n", "n2": "n", "s1": "s", "s2": "s"})
        return filled([tree, Dimension.flat("c", ["c1", "c2", "c3"])], rng, high=30)
    if kind == "linked":
        return _linked(rng)
    return relations(rng, most=1, least=3) if kind == "signs" else relations(rng, most=int(rng.choice(HEAVY)))


def _grouping(rng: np.random.Generator, codes: int) -> Dimension:
    """Return a dimension with sums that do not nest."""
    names = [f"c{at}" for at in range(codes)]
    sums = {
        f"G{at}": tuple(sorted(rng.choice(names, int(rng.integers(2, codes)), replace=False).tolist()))
        for at in range(int(rng.integers(2, 5)))
    }
    return Dimension(name="c", parent=dict.fromkeys(names, TOTAL), groupings=sums)


def _linked(rng: np.random.Generator) -> Table:
    """Return the three two-way margins of a cube as one system, with the cube's cells as unpublished ones or
    without."""
    cube = rng.integers(0, 12, (2, 3, 2)).astype(np.float64)
    sides = [
        Dimension.flat(name, [f"{name}{at}" for at in range(size)])
        for name, size in zip("abc", cube.shape, strict=True)
    ]
    pairs = [(sides[0], sides[1], cube.sum(2)), (sides[0], sides[2], cube.sum(1)), (sides[1], sides[2], cube.sum(0))]
    tables = [from_inner([x, y], [(i, j) for i in x.leaves for j in y.leaves], v.ravel()) for x, y, v in pairs]
    return join_tables(tables, joint=bool(rng.random() < 0.5))


def relations(rng: np.random.Generator, *, most: int, least: int = 1) -> Table:
    """Return cells with relations of all sorts between them, as a file of the JJ format may hold: coefficients need not be 1.

    Each relation has a cell of its own, whose coefficient divides the rest's sum: so it holds, whatever the others are.
    ``most`` is the largest coefficient, ``least`` the fewest cells of a relation.
    """
    inner, count = int(rng.integers(4, 9)), int(rng.integers(2, 6))
    value = rng.integers(0, 30, inner).tolist()
    rows: list[dict[int, int]] = []
    for at in range(count):
        places = rng.choice(inner, int(rng.integers(least, min(inner, 5) + 1)), replace=False).tolist()
        row = {place: int(rng.integers(1, most + 1) * rng.choice(SIGNS[least > 1])) for place in places}
        total = sum(by * value[place] for place, by in row.items())
        own = next(each for each in (most, 2, 1) if total % each == 0 and each <= most)
        rows.append(row | {inner + at: -own})
        value.append(total // own)
    if rng.random() < 0.5:  # one that says nothing new
        times = int(rng.choice([-2, -1, 1]))
        rows.append({place: times * by for place, by in rows[0].items()})
    if rng.random() < 0.5:
        rows.append(_sum(rows[0], rows[1], int(rng.choice([-1, 1]))))
    dense = np.zeros((len(rows), len(value)))
    for at, row in enumerate(rows):
        for place, by in row.items():
            dense[at, place] = by
    return Table.of(
        dims=("cell",),
        keys=[(str(at) if at < inner else f"G{at}",) for at in range(len(value))],
        value=np.array(value, dtype=np.float64),
        matrix=csr_array(dense),
        equations=[f"relation {at}" for at in range(1, len(rows) + 1)],
    )


def _sum(one: dict[int, int], two: dict[int, int], times: int) -> dict[int, int]:
    return {place: one.get(place, 0) + times * two.get(place, 0) for place in one.keys() | two.keys()}


def bounded(table: Table, rng: np.random.Generator) -> Table:
    """Return the table as it is, or with bounds near the values, or with hardly any, so that cells may go on for
    ever."""
    kind = rng.random()
    if kind < 0.6:
        return table
    own = ~table.unpublished
    if kind < 0.7:
        return replace(table, lower=np.where(own, -np.inf, table.lower))
    # of unpublished cells no more is known than that they are not below 0
    near: NDArray[np.int64] = rng.integers(0, 9, (2, len(table)))
    lower, upper = (np.where(rng.random(len(table)) < 0.3, np.inf, each) for each in near)
    return replace(
        table,
        lower=np.where(own, table.value - lower, table.lower),
        upper=np.where(own, table.value + upper, table.upper),
    )
