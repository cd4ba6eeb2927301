"""What an attacker sees without any program.

Which hidden cells cannot move, which move together, how far each can move at most. An equation in which one hidden cell
is left fixes it; one in which two are left makes the second move with the first, or against it. Cells that move
together are one group, the equations are written in groups, and so on until every equation has three groups or more;
all in whole numbers. Then each equation in turn bounds each of its groups: it gains at most what the others can lose. A
group without room is fixed, and the reduction begins anew. Nothing is lost: the tables that agree with what is
published stay the same.

Source: the fixed, doubleton and implied-bound reductions of Andersen and Andersen, "Presolving in linear programming",
Mathematical Programming 71 (1995), sections 3.1 to 3.3.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from sekisho.kernels import njit
from sekisho.tables.model.table import Floats, Mask

Places = NDArray[np.int64]
STILL = 1e-9
SWEEPS = 100
GAIN = 1e-9
"""By what part a bound must fall to count as a change: bounds that creep towards a limit are left where they are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Some groups, joined with one another and with no other.

    Attributes:
        groups: their numbers, ascending.
        matrix: the equations between them.
        down: how far each may move down by its cells' own bounds; ``up`` the same upwards.
        most_down: how far it can move at most by the equations one by one; ``most_up`` the same upwards.
        exact: whether ``most_down`` and ``most_up`` are the ends. They are if the graph of groups and equations is a
            tree and the bounds are at rest: each equation lets each of its groups go to its bound with the others
            inside theirs, and in a tree no two equations disagree on a third. With steps of 1 this holds for whole
            tables too.
    """

    groups: Places
    matrix: csr_array
    down: Floats
    up: Floats
    most_down: Floats
    most_up: Floats
    exact: bool

    def __len__(self) -> int:
        """Return the number of groups."""
        return len(self.groups)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reduction:
    """Groups of hidden cells that move together, and what is left of the equations.

    Attributes:
        group: of each cell; -1 if it cannot move.
        sign: 1 if the cell moves with its group, -1 if against it.
        rows: the equations between the groups, no two alike, each of three or more.
        down: how far each group may move down by its cells' own bounds.
        up: the same upwards.
        most_down: how far it can move at most by the equations one by one.
        most_up: the same upwards.
        settled: whether every bound is at rest, so that no further sweep would change it.
    """

    group: Places
    sign: Floats
    rows: csr_array
    down: Floats
    up: Floats
    most_down: Floats
    most_up: Floats
    settled: bool

    def parts(self) -> Iterator[Part]:
        """Return the groups that chains of equations join, part by part."""
        count, label = self._joined()
        of_row = label[self.rows.indices[self.rows.indptr[:-1]]]
        groups, rows = _sorted_by(label, count), _sorted_by(of_row, count)
        for at in range(count):
            yield self._part(groups[at], csr_array(self.rows[rows[at]].tocsc()[:, groups[at]].tocsr()))

    def _joined(self) -> tuple[int, NDArray[np.int32]]:
        """Return how many parts there are, and each group's.

        Whatever its coefficient, an equation joins all its groups: each with its first. (A product of the equations
        with one another would not do: two equations that join two groups with opposite signs cancel in it.)
        """
        rows, groups = self.rows, len(self.down)
        first = np.repeat(rows.indices[rows.indptr[:-1]], np.diff(rows.indptr))
        graph = coo_array((np.ones(rows.nnz), (first, rows.indices)), shape=(groups, groups))
        return scipy.sparse.csgraph.connected_components(csr_array(graph), directed=False)

    def _part(self, groups: Places, rows: csr_array) -> Part:
        tree = rows.nnz == rows.shape[0] + len(groups) - 1
        return Part(
            groups=groups,
            matrix=rows,
            down=self.down[groups],
            up=self.up[groups],
            most_down=self.most_down[groups],
            most_up=self.most_up[groups],
            exact=tree and self.settled and bool(np.all(np.abs(rows.data) == 1)),
        )

    def of_cells(self, down: Floats, up: Floats) -> tuple[Floats, Floats]:
        """Return how far each cell moves down and up if the groups move so far."""
        along = self.sign > 0
        far_down, far_up = (
            np.append(each, 0.0)[self.group] for each in (down, up)
        )  # the last entry is that of no group
        return np.where(along, far_down, far_up), np.where(along, far_up, far_down)


def reduce_cells(equations: csr_array, down: Floats, up: Floats) -> Reduction:
    """Return the groups of some cells, given the equations between them and how far each may move by its own bounds."""
    cells = equations.shape[1]
    group, sign = np.arange(cells), np.ones(cells)
    group[(down <= STILL) & (up <= STILL)] = -1
    while True:
        group, sign = _merge(equations, group, sign)
        count = int(group.max(initial=-1)) + 1
        own_down, own_up = _rooms(group, sign, count, down, up)
        rows = _distinct(_written(equations, group, sign, count))
        most_down, most_up = own_down.copy(), own_up.copy()
        sweeps = _tighten(rows.indptr, rows.indices, rows.data, most_down, most_up)
        fixed = (most_down <= STILL) & (most_up <= STILL)
        if not fixed.any():
            return Reduction(
                group=group,
                sign=sign,
                rows=rows,
                down=own_down,
                up=own_up,
                most_down=most_down,
                most_up=most_up,
                settled=sweeps < SWEEPS,
            )
        group = np.where((group >= 0) & fixed[np.maximum(group, 0)], -1, group)


def _sorted_by(label: NDArray[np.int32], count: int) -> list[Places]:
    """Return the places of each label."""
    order = np.argsort(label, kind="stable").astype(np.int64)
    return np.split(order, np.searchsorted(label[order], np.arange(1, count)))


def _written(equations: csr_array, group: Places, sign: Floats, count: int) -> csr_array:
    """Return the equations between the groups."""
    live = np.flatnonzero(group >= 0)
    members = csr_array(coo_array((sign[live], (live, group[live])), shape=(len(group), count)))
    rows = csr_array(equations @ members)
    rows.eliminate_zeros()
    rows.sort_indices()
    return rows


def _merge(equations: csr_array, group: Places, sign: Floats) -> tuple[Places, Floats]:
    """Return larger groups, numbered from 0.

    No equation has one or two of them, unless the two move by different amounts.
    """
    group = _number(group)
    while True:
        count = int(group.max(initial=-1)) + 1
        rows = _written(equations, group, sign, count)
        length = np.diff(rows.indptr)
        fixed = np.zeros(count, dtype=np.bool_)
        fixed[rows.indices[rows.indptr[:-1][length == 1]]] = True
        first = rows.indptr[:-1][length == 2]
        even = first[np.abs(rows.data[first]) == np.abs(rows.data[first + 1])]
        if not (fixed.any() or even.size):
            return group, sign
        against = rows.data[even] == rows.data[even + 1]
        joined, turned, fixed = _joined(count, rows.indices[even], rows.indices[even + 1], against, fixed)
        live = group >= 0
        sign = np.where(live, sign * turned[np.maximum(group, 0)], sign)
        group = np.where(live & ~fixed[np.maximum(group, 0)], joined[np.maximum(group, 0)], -1)
        group = _number(group)


def _joined(
    count: int, one: NDArray[np.int32], two: NDArray[np.int32], against: Mask, fixed: Mask
) -> tuple[Places, Floats, Mask]:
    """Return each group's new one, its sign there, and whether it is fixed.

    Pairs of groups move together or against each other. Every group has two nodes, itself and its opposite. A group in
    one component with its opposite equals its own negative; whatever its sign, one of the equations then holds it
    twice, and alone: the next round fixes it.
    """
    pairs = np.concatenate(
        [np.stack([one, two + count * against]), np.stack([one + count, two + count * ~against])], axis=1
    )
    graph = coo_array((np.ones(pairs.shape[1]), (pairs[0], pairs[1])), shape=(2 * count, 2 * count))
    label = scipy.sparse.csgraph.connected_components(csr_array(graph), directed=False)[1].astype(np.int64)
    plain, opposite = label[:count], label[count:]
    joined = np.minimum(plain, opposite)
    still = np.zeros(2 * count, dtype=np.bool_)
    still[joined[fixed]] = True
    return joined, np.where(plain <= opposite, 1.0, -1.0), still[joined]


def _number(group: Places) -> Places:
    """Return the groups numbered from 0 in their order; what is fixed stays -1."""
    live = group >= 0
    out = np.full(len(group), -1, dtype=np.int64)
    out[live] = np.unique(group[live], return_inverse=True)[1]
    return out


def _rooms(group: Places, sign: Floats, count: int, down: Floats, up: Floats) -> tuple[Floats, Floats]:
    """Return how far each group may move: as far as all its cells may."""
    own_down, own_up = np.full(count, np.inf), np.full(count, np.inf)
    live = group >= 0
    along = sign[live] > 0
    np.minimum.at(own_down, group[live], np.where(along, down[live], up[live]))
    np.minimum.at(own_up, group[live], np.where(along, up[live], down[live]))
    return own_down, own_up


def _distinct(rows: csr_array) -> csr_array:
    """Return the equations without empty ones and without repetitions, also of the opposite sign."""
    seen: dict[bytes, int] = {}
    for row in np.flatnonzero(np.diff(rows.indptr)).tolist():
        begin, end = rows.indptr[row], rows.indptr[row + 1]
        data = rows.data[begin:end]
        seen.setdefault(rows.indices[begin:end].tobytes() + (data / data[0]).tobytes(), row)
    return csr_array(rows[np.array(list(seen.values()), dtype=np.intp)])


@njit(cache=True, nogil=True)
def _tighten(start: NDArray[np.int32], index: NDArray[np.int32], data: Floats, down: Floats, up: Floats) -> int:
    """Lower the rooms until no equation lowers one, at most so many sweeps; return how many it took.

    Sums over the others are made from both ends, so that no small room is lost in the difference of large sums.
    """
    for sweep in range(SWEEPS):
        changed = False
        for row in range(len(start) - 1):
            begin, end = start[row], start[row + 1]
            # gain: how far the others can move the sum up; loss: down
            gain, loss = np.zeros(end - begin + 1), np.zeros(end - begin + 1)
            for at in range(end - 1, begin - 1, -1):
                size, group = abs(data[at]), index[at]
                rise, fall = (up[group], down[group]) if data[at] > 0 else (down[group], up[group])
                gain[at - begin] = gain[at - begin + 1] + size * rise
                loss[at - begin] = loss[at - begin + 1] + size * fall
            before_gain, before_loss = 0.0, 0.0
            for at in range(begin, end):
                size, group = abs(data[at]), index[at]
                rise, fall = (up[group], down[group]) if data[at] > 0 else (down[group], up[group])
                can_rise = (before_loss + loss[at - begin + 1]) / size
                can_fall = (before_gain + gain[at - begin + 1]) / size
                before_gain += size * rise
                before_loss += size * fall
                if can_rise < rise * (1 - GAIN) or can_fall < fall * (1 - GAIN):
                    changed = True
                    rise, fall = min(rise, can_rise), min(fall, can_fall)
                    up[group], down[group] = (rise, fall) if data[at] > 0 else (fall, rise)
        if not changed:
            return sweep
    return SWEEPS
