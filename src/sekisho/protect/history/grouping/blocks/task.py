"""What is asked of a block, made from its rows: the same, wherever they came from and in whatever order."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sekisho.protect.history.grouping.blocks.block import BlockTask, renumber
from sekisho.protect.history.grouping.blocks.plan import PassTerms
from sekisho.protect.history.grouping.rows import HistoryRows


def sort_rows(owner: NDArray[np.int64], scaled: NDArray[np.float64], codes: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return the order in which a block's rows stand: by person, then by categories, then by numbers."""
    return np.lexsort((*scaled[::-1], *codes[::-1], owner))


def begin_task(rows: HistoryRows, terms: PassTerms, block: int) -> BlockTask:
    """Return what is asked of a block whose people are in no groups yet."""
    nothing = np.zeros(0, dtype=np.int64)
    return BlockTask(
        rows=rows,
        k=terms.k,
        effort=float(terms.efforts[block]),
        seed=terms.find_seed(block),
        group=nothing,
        slot=nothing,
        cost=np.zeros(0),
    )


def continue_task(
    task: BlockTask, group: NDArray[np.int64], slot: NDArray[np.int64], cost: NDArray[np.float64]
) -> BlockTask:
    """Return what is asked of a block whose people are in groups already.

    Args:
        task: as if they were in none.
        group: each person's group.
        slot: each row's slot, -1 where it is deleted.
        cost: for each person, what his group costs.
    """
    _, first, numbers = np.unique(group, return_index=True, return_inverse=True)
    return task._replace(group=numbers.astype(np.int64), slot=renumber(slot), cost=cost[first])
