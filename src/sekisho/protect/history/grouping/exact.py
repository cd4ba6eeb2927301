"""The best alignment of a small group, proven: every way to fill a slot is a variable of a whole-number program.

The shortest member is published whole (docs/proofs/history-groups.md, section 1), so each of his rows is a slot, filled
by one row of every other member; each row fills one slot at most. Solved by branch and bound (HiGHS through scipy), to
``FINE`` of a cell.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import LinearConstraint, OptimizeResult, milp
from scipy.sparse import csr_array, vstack

from sekisho.protect.history.grouping.align import build_slot_matrix
from sekisho.protect.history.grouping.rows import HistoryRows

FINE = 1e-6
NODES = 1000
"""Branches after which a group is left unproven."""


def count_fillings(rows: HistoryRows, people: NDArray[np.int64]) -> int:
    """Return how many ways there are to fill the slots of a group, one at a time: the size of its program."""
    return int(np.prod(np.diff(rows.starts)[people].astype(np.float64)))


def align_exactly(rows: HistoryRows, people: NDArray[np.int64]) -> tuple[float, NDArray[np.int64]] | None:
    """Return the least cost of a group and its rows (one line per member in the order given).

    None where it was not proven.
    """
    lengths = np.diff(rows.starts)[people]
    order = np.argsort(lengths, kind="stable")
    members = people[order]
    grid = np.indices(tuple(lengths[order])).reshape(len(people), -1)
    ways = rows.starts[members][:, None] + grid
    last = int(lengths[order[-1]])
    cost = build_slot_matrix(rows, np.ascontiguousarray(ways[:-1, ::last]), int(members[-1])).ravel()
    slots = int(lengths.min())
    limits = [_mark_uses(grid[place], int(lengths[order[place]])) for place in range(len(people))]
    # scipy's types ask for dense matrices here, scipy itself does not.
    solved = cast("Callable[..., OptimizeResult]", milp)(
        cost,
        integrality=np.ones(len(cost)),
        bounds=(0, 1),
        constraints=[
            LinearConstraint(limits[0], 1, 1),
            LinearConstraint(vstack(limits[1:]).tocsr(), -np.inf, 1),
        ],
        options={"mip_rel_gap": 0.0, "node_limit": NODES},
    )
    if solved.status != 0 or solved.fun - solved.mip_dual_bound > FINE:
        return None
    chosen = np.flatnonzero(np.asarray(solved.x) > 0.5)
    aligned = np.empty((len(people), slots), dtype=np.int64)
    aligned[order] = ways[:, chosen]
    return cost_alignment(rows, people, aligned), aligned


def cost_alignment(rows: HistoryRows, people: NDArray[np.int64], aligned: NDArray[np.int64]) -> float:
    """Return what a group costs whose rows are aligned, one line per member."""
    last = int(people[-1])
    cost = build_slot_matrix(rows, np.ascontiguousarray(aligned[:-1]), last)
    slots = aligned.shape[1]
    surplus = rows.deletion[people].sum() - float((len(rows.scaled) + len(rows.codes)) * aligned.size)
    return float(surplus + cost[np.arange(slots), aligned[-1] - rows.starts[last]].sum())


def _mark_uses(place: NDArray[np.int64], count: int) -> csr_array:
    """Return one line per row of a member with a 1 for every filling that uses it."""
    return csr_array((np.ones(len(place)), (place, np.arange(len(place)))), shape=(count, len(place)))
