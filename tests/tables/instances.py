"""Small tables of every kind, made from a seed: what the optimiser's tests, campaigns and oracles run on."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sekisho.tables.model.geometry import Dimension, from_inner
from sekisho.tables.model.linked.join import join_tables
from sekisho.tables.model.table import TOTAL, Status, Table

Flags = NDArray[np.bool_]
KINDS = ("two-way", "three-way", "tree", "linked", "magnitude", "frozen")
FEASIBLE = {
    "two-way": (1, 2, 3, 4),
    "three-way": (0, 1, 3, 5),
    "tree": (2, 3, 5, 6),
    "linked": (0, 1, 2, 3),
    "magnitude": (0, 1, 2, 3),
    "frozen": (0, 1, 2, 5),
}
"""Of each kind the first seeds whose instance has a safe pattern."""


def grid(shape: tuple[int, ...], rng: np.random.Generator, *, high: int = 12) -> Table:
    dimensions = [Dimension.flat(f"v{axis}", [f"{axis}{i}" for i in range(size)]) for axis, size in enumerate(shape)]
    return filled(dimensions, rng, high=high)


def filled(dimensions: list[Dimension], rng: np.random.Generator, *, high: int = 12) -> Table:
    keys: list[tuple[str, ...]] = [()]
    for dimension in dimensions:
        keys = [(*key, leaf) for key in keys for leaf in dimension.leaves]
    return from_inner(dimensions, keys, rng.integers(0, high, len(keys)).astype(np.float64))


def puzzle(seed: int) -> tuple[Table, Flags]:
    """Return a table of some shape, perhaps with negative values and with bounds of every kind, and cells to hide."""
    rng = np.random.default_rng(seed)
    tree = Dimension(name="r", parent={"n": TOTAL, "s": TOTAL, "n1": "n", "n2": "n", "n3": "n", "s1": "s", "s2": "s"})
    columns = Dimension.flat("c", ["c1", "c2", "c3"])
    shapes = ((4, 4), (3, 3, 2), (2, 6), (2, 2, 3))
    at = int(rng.integers(len(shapes) + 2))
    table = grid(shapes[at], rng) if at < len(shapes) else filled([tree, columns][: at - 2], rng)
    hidden = rng.random(len(table)) < rng.choice([0.3, 0.5, 0.7, 0.9])
    if rng.random() < 0.3:
        shown = from_inner_of(table, rng)
        table = replace(
            table, value=shown, lower=np.where(shown < 0, -np.inf, 0.0), frequency=np.abs(shown).astype(np.int64)
        )
    if rng.random() < 0.5:
        near = rng.integers(0, 9, (2, len(table)))
        far = rng.random((2, len(table))) < 0.3
        lower, upper = (np.where(far[way], np.inf, near[way]) for way in (0, 1))
        table = replace(table, lower=table.value - lower, upper=table.value + upper)
    return table, hidden


def from_inner_of(table: Table, rng: np.random.Generator) -> NDArray[np.float64]:
    """Return other values for a table, some below 0, that add up too: a mix of two tables of its shape does."""
    parts = table.matrix.toarray()
    inner = ~np.any(parts < 0, axis=0)
    # every cell in terms of the inner ones: the solution of the equations with those given
    fixed = np.eye(len(table))[inner]
    value = rng.integers(-6, 12, int(inner.sum()))
    system, right = np.vstack([parts, fixed]), np.concatenate([np.zeros(len(parts)), value])
    return np.rint(np.linalg.lstsq(system, right, rcond=None)[0])


def few(table: Table, rng: np.random.Generator, *, most: int = 2) -> Flags:
    """Flag some small positive cells."""
    small = np.flatnonzero((table.value > 0) & (table.value < 5))
    mask = np.zeros(len(table), dtype=np.bool_)
    mask[rng.permutation(small)[:most]] = True
    return mask


def _restricted(table: Table, mask: Flags, rng: np.random.Generator, *, free: int = 9) -> Table:
    """Publish all but some cells that are not primary, margins before inner cells, so that patterns can be
    enumerated."""
    margins = np.array([sum(code == TOTAL or len(code) == 1 for code in key) for key in table.keys])
    order = np.lexsort((rng.permutation(len(table)), np.minimum(margins, 1), mask))
    status = table.status.copy()
    status[order[free : len(table) - int(mask.sum())]] = Status.PUBLISH
    return replace(table, status=status)


def instance(kind: str, seed: int) -> Table:
    """Return a table with a few primaries, small enough to enumerate patterns."""
    rng = np.random.default_rng([seed, KINDS.index(kind)])
    if kind == "three-way":
        table = grid((2, 2, 2), rng)
    elif kind == "tree":
        tree = Dimension(name="r", parent={"n": TOTAL, "s": TOTAL, "n1": "n", "n2": "n", "s1": "s", "s2": "s"})
        table = filled([tree, Dimension.flat("c", ["c1", "c2"])], rng)
    elif kind == "linked":
        cube = rng.integers(0, 9, (2, 3, 2)).astype(np.float64)
        one, two, three = (Dimension.flat(n, [f"{n}{i}" for i in range(k)]) for n, k in (("a", 2), ("b", 3), ("c", 2)))
        sides = [(one, two, cube.sum(2)), (one, three, cube.sum(1))]
        table = join_tables(
            [from_inner([x, y], [(i, j) for i in x.leaves for j in y.leaves], v.ravel()) for x, y, v in sides]
        )
    else:
        table = grid((3, 3), rng)
    mask = few(table, rng, most=2)
    table = _restricted(table, mask, rng)
    if kind == "magnitude":
        table = replace(table, weight=np.maximum(table.value, 1.0), upper=table.value * 2 + 10)
        level = np.ceil(table.value * 0.5)
        return table.flag_cells(mask, lower=level, upper=level)
    if kind == "frozen":
        rest = np.flatnonzero(table.status == Status.SAFE)
        status = table.status.copy()
        status[rng.permutation(rest[~mask[rest]])[:2]] = [Status.SECONDARY, Status.PUBLISH]
        table = replace(table, status=status)
    return table.flag_cells(mask, sliding=float(rng.integers(2, 8)))
