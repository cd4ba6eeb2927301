"""Linked tables of one made population, and what an attacker knows of them who thinks of the joint table only: by
a stranger's solver."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, LinearConstraint, linprog, milp

from sekisho.tables.model.geometry import Dimension, from_inner
from sekisho.tables.model.table import TOTAL, Table
from sekisho.tables.rules.primary import MinimumFrequency, primaries

Cube = NDArray[np.float64]
RULE = MinimumFrequency(count=5, width=10)
SCOPES = [(0, 1), (0, 2), (1, 2)]


def dimensions(shape: Sequence[int]) -> list[Dimension]:
    return [
        Dimension.flat(name, [f"{name}{i}" for i in range(size)]) for name, size in zip("rjabc", shape, strict=False)
    ]


def margins(cube: Cube, dims: Sequence[Dimension], scopes: Sequence[tuple[int, ...]]) -> list[Table]:
    """The cube's tables by some of its dimensions each, the unsafe cells flagged."""
    tables: list[Table] = []
    for scope in scopes:
        chosen = [dims[axis] for axis in scope]
        rest = tuple(axis for axis in range(cube.ndim) if axis not in scope)
        keys = list(product(*(dim.leaves for dim in chosen)))
        tables.append(primaries(from_inner(chosen, keys, cube.sum(axis=rest).ravel()), [RULE]))
    return tables


def triple(cube: Cube) -> list[Table]:
    return margins(cube, dimensions(cube.shape), list(combinations(range(cube.ndim), cube.ndim - 1)))


def sums(table: Table, dims: Sequence[Dimension]) -> NDArray[np.float64]:
    """Each cell of a system as a sum of joint cells: those whose leaves its codes hold."""
    held = [dict(zip(dim.codes, dim.spread().toarray(), strict=True)) for dim in dims]
    rows: list[NDArray[np.float64]] = []
    for key in table.keys:
        row: NDArray[np.float64] = np.ones(1)
        for axis, code in enumerate(key):
            row = np.kron(row, held[axis][code]).astype(np.float64)
        rows.append(row)
    return np.array(rows)


def interval(table: Table, dims: Sequence[Dimension], cell: int, *, whole: bool = False) -> tuple[float, float]:
    """A cell's interval over all joint tables without negative cells that agree with what is published."""
    rows = sums(table, dims)
    shown = ~table.suppressed
    ends: list[float] = []
    for sign in (1.0, -1.0):
        if whole:
            fixed = LinearConstraint(rows[shown], table.value[shown], table.value[shown])
            ones = np.ones(rows.shape[1], dtype=np.int64)
            found = milp(sign * rows[cell], integrality=ones, bounds=Bounds(0, np.inf), constraints=fixed)
        else:
            # where nothing is published, an equation that says nothing
            fixed, right = (rows[shown], table.value[shown]) if shown.any() else (0 * rows[:1], np.zeros(1))
            found = linprog(sign * rows[cell], A_eq=fixed, b_eq=right, bounds=(0, None))
        ends.append(float(rows[cell] @ found.x) if found.x is not None else -sign * np.inf)
    return ends[0], ends[1]


def leak(table: Table, dims: Sequence[Dimension]) -> float:
    """How narrow the narrowest interval of a primary is; infinity if there is no primary."""
    widths = [interval(table, dims, cell) for cell in np.flatnonzero(table.primary).tolist()]
    return min((high - low for low, high in widths), default=np.inf)


def tree() -> Dimension:
    return Dimension(
        name="r",
        parent={"n": TOTAL, "s": TOTAL, "n1": "n", "n2": "n", "s1": "s"},
        groupings={"coast": ("n1", "s1")},
    )


def cube_of(seed: int, shape: tuple[int, ...] = (2, 2, 2), high: int = 6) -> Cube:
    return np.random.default_rng(seed).integers(0, high, shape).astype(np.float64)
