"""Rounding up with chance ``r/b``: each cell's expected value is its true one, and the table adds up all the same.

Start at the true table, in units of the base: every equation holds, and cells stand ``r/b`` above a multiple. As long
as some do not stand at one, they contain a cycle of the network: moved up and down in turn along it, the equations
stay. Of the two ways to go, each up to where the first cell meets a multiple, one is drawn so that the expected move is
0 (up ``s`` with chance ``t/(s+t)``, down ``t`` with chance ``s/(s+t)``). Each move settles a cell, and the expected
value of every cell is what it was. All in whole numbers: chances are exact. Nobody made the deviation least, so who
knows how least roundings are made learns nothing more; the expected cost is ``sum 2 r (b - r) / b``.

Source: Cox, "A constructive procedure for unbiased controlled rounding", JASA 82 (1987).
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import Protocol, SupportsInt

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack

from sekisho.errors import BugError, ParameterError
from sekisho.tables.model.axes import Axes
from sekisho.tables.model.heights import find_totals
from sekisho.tables.model.table import Table
from sekisho.words import Said

Wholes = NDArray[np.int64]
Ends = Sequence[tuple[int, int, int, int]]
"""Of each cell its two equations and its signs in them."""


class WholeDraws(Protocol):
    """What draws whole numbers: a generator."""

    def integers(self, low: int, /) -> SupportsInt:
        """Return a number from 0 to one below the given."""
        ...


class RecordedDraws:
    """Draws as another does, and remembers what was drawn."""

    def __init__(self, rng: WholeDraws) -> None:
        self._rng = rng
        self._drawn: list[int] = []

    def integers(self, low: int, /) -> int:
        """Return a number from 0 to one below the given."""
        self._drawn.append(int(self._rng.integers(low)))
        return self._drawn[-1]

    def digest(self) -> str:
        """Return the SHA-256 of all that was drawn."""
        return sha256(",".join(map(str, self._drawn)).encode()).hexdigest()


def round_unbiased(table: Table, value: Wholes, base: int, *, rng: WholeDraws) -> Wholes:
    """Return a table rounded up or down by chance, each cell up with the chance of its rest over the base.

    Raises:
        ParameterError: the equations are no network: the table has more than one tree, or more than two dimensions.
    """
    ends = _find_network(table)
    rest = (value % base).tolist()
    _settle(ends, rest, base, rng)
    return value - value % base + np.array(rest, dtype=np.int64)


def expect_cost(value: Wholes, base: int) -> float:
    """Return the expected sum of all changes."""
    rest = value % base
    return float((2 * rest * (base - rest)).sum()) / base


def _find_network(table: Table) -> Ends:
    """Return each cell's two equations, from a choice of equations that implies all others.

    Along the tree every equation; along the flat dimension those of the tree's leaves and of its root.
    """
    axes = Axes.of(table)
    trees = (
        [] if axes is None else [axis for axis, leaves in enumerate(axes.leaves) if axes.shape[axis] - len(leaves) > 1]
    )
    if axes is None or len(axes.shape) > 2 or len(trees) > 1:
        raise ParameterError(
            "objective",
            Said("be least for a table of more than two dimensions, of two trees or of linked tables"),
            "unbiased",
            hint=Said("chances of single cells can be kept where the equations are a network only"),
        )
    tree = trees[0] if trees else 0
    rows = _choose_rows(table, axes, tree)
    columns = rows.tocsc()
    if np.any(np.diff(columns.indptr) != 2):
        raise ParameterError("objective", Said("be least where codes belong to several groups"), "unbiased")
    at, sign = columns.indices.reshape(-1, 2).tolist(), columns.data.astype(np.int64).reshape(-1, 2).tolist()
    return [(one, other, plus, minus) for (one, other), (plus, minus) in zip(at, sign, strict=True)]


def _choose_rows(table: Table, axes: Axes, tree: int) -> csr_array:
    totals = find_totals(table)
    begins = table.matrix.indptr[:-1]
    first = table.matrix.indices[begins]
    second = np.where(first == totals, table.matrix.indices[begins + 1], first)
    along = axes.codes[second, tree] != axes.codes[totals, tree]
    spread = axes.spread[tree].sum(axis=1)
    end = np.isin(axes.codes[:, tree], axes.leaves[tree]) | (spread[axes.codes[:, tree]] == spread.max())
    rows = table.matrix[np.flatnonzero(along | end[totals])]
    if len(axes.shape) == 2:
        return rows
    leaf = np.isin(axes.codes[:, 0], axes.leaves[0])
    closing = np.where(leaf, 1.0, np.where(spread[axes.codes[:, 0]] == spread.max(), -1.0, 0.0))
    return csr_array(vstack([rows, csr_array(closing[None, :])]))


def _settle(ends: Ends, rest: list[int], base: int, rng: WholeDraws) -> None:
    """Move rests along cycles until each is 0 or the base."""
    touching: dict[int, set[int]] = {}
    for cell, (one, other, _, _) in enumerate(ends):
        if 0 < rest[cell] < base:
            touching.setdefault(one, set()).add(cell)
            touching.setdefault(other, set()).add(cell)
    for start in list(touching):
        while touching[start]:
            cycle, moves = _find_cycle(ends, touching, start)
            up = min(base - rest[cell] if move > 0 else rest[cell] for cell, move in zip(cycle, moves, strict=True))
            down = min(rest[cell] if move > 0 else base - rest[cell] for cell, move in zip(cycle, moves, strict=True))
            step = up if int(rng.integers(up + down)) < down else -down
            for cell, move in zip(cycle, moves, strict=True):
                rest[cell] += step * move
                if not 0 < rest[cell] < base:
                    touching[ends[cell][0]].discard(cell)
                    touching[ends[cell][1]].discard(cell)


def _find_cycle(ends: Ends, touching: dict[int, set[int]], start: int) -> tuple[list[int], list[int]]:
    """Return a cycle of unsettled cells and the move, 1 or -1, of each that keeps every equation.

    Each equation has none or at least two unsettled cells: one alone would be a multiple like all the rest.
    """
    path: list[int] = []
    moves: list[int] = []
    seen = {start: 0}
    node, due = start, 0
    while True:
        cell = next(one for one in touching[node] if not path or one != path[-1])
        one, other, first, second = ends[cell]
        here, there, after = (first, second, other) if one == node else (second, first, one)
        moves.append(1 if not path else -due * here)
        path.append(cell)
        due, node = moves[-1] * there, after
        if node in seen:
            break
        seen[node] = len(path)
    cycle, turns = path[seen[node] :], moves[seen[node] :]
    begin = ends[cycle[0]]
    if turns[0] * (begin[2] if begin[0] == node else begin[3]) + due:
        raise BugError("a cycle does not close: the equations are no network")
    return cycle, turns
