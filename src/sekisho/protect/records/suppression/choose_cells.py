"""Which cells to suppress: for each record that is not safe the cheapest keys, cheapest sets of keys first.

Where a suppressed cell matches any value (``any``), withholding cells never takes a match from anybody, so each record
may be dealt with by itself: the cheapest set of keys without which k records are equal to it. Its withheld cells then
match others too, which may make them safe. In the end cells that nobody needs are published again, the most important
first.

Where records must be written alike (``alike``), records that are equal without a set of keys leave together as a class.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from sekisho.protect.records.suppression.matches import count_equal, count_matches, uncover_cells

MOST_LOOKS = 3 * 10**9
"""So many rows are looked at to publish cells again; the rest stays suppressed."""


def list_key_sets(weights: Sequence[float]) -> Iterator[NDArray[np.bool_]]:
    """Yield all sets of keys, the cheapest first, the empty one before all."""
    keys = len(weights)
    masks = (np.arange(2**keys)[:, None] >> np.arange(keys)) & 1
    costs = masks @ np.array(weights)
    for place in np.argsort(costs, kind="stable"):
        yield masks[place].astype(np.bool_)


def hide_until_matched(codes: NDArray[np.int32], weights: Sequence[float], k: int) -> NDArray[np.bool_]:
    """Return which cells are suppressed so that every record has k matches, a suppressed cell matching any."""
    everybody = np.arange(len(codes), dtype=np.int64)
    hidden = np.zeros(codes.shape, dtype=np.bool_)
    matches, open_rows = np.zeros(len(codes), dtype=np.int64), everybody
    for keys in list_key_sets(weights):
        equal = count_equal(codes, np.flatnonzero(~keys), everybody, open_rows)
        if not keys.any():
            matches[:] = equal
            open_rows = open_rows[equal < k]
            continue
        chosen = open_rows[equal >= k]
        if not len(chosen):
            continue
        hidden[np.ix_(chosen, np.flatnonzero(keys))] = True
        open_rows = open_rows[equal < k]
        # Who is still open is equal to none of the chosen in all keys: equal records are chosen together.
        matches[open_rows] += count_equal(codes, np.flatnonzero(~keys), chosen, open_rows)
        open_rows = open_rows[matches[open_rows] < k]
        if not len(open_rows):
            break
    cells = np.argwhere(hidden).astype(np.int64)
    if len(cells):
        order = np.argsort(-np.array(weights)[cells[:, 1]], kind="stable")
        uncover_cells(codes, hidden, count_matches(codes, hidden) - k, cells[order], MOST_LOOKS)
    return hidden


def hide_until_alike(codes: NDArray[np.int32], weights: Sequence[float], k: int) -> NDArray[np.bool_]:
    """Return which cells are suppressed so that every record is written like k - 1 others."""
    hidden = np.zeros(codes.shape, dtype=np.bool_)
    open_rows = np.arange(len(codes), dtype=np.int64)
    for keys in list_key_sets(weights):
        if not len(open_rows):
            return hidden
        equal = count_equal(codes, np.flatnonzero(~keys), open_rows, open_rows)
        hidden[np.ix_(open_rows[equal >= k], np.flatnonzero(keys))] = True
        open_rows = open_rows[equal < k]
    if len(open_rows):
        hidden[_complete_last_class(codes, hidden, weights, open_rows, k)] = True
    return hidden


def _complete_last_class(
    codes: NDArray[np.int32], hidden: NDArray[np.bool_], weights: Sequence[float], left: NDArray[np.int64], k: int
) -> NDArray[np.int64]:
    """Return the records that are withheld wholly: those that are left, and others so that they are k.

    Others come from classes that can spare them, from those that tell least; if that is not enough, whole classes go.
    """
    rest = np.setdiff1d(np.arange(len(codes)), left)
    written = np.where(hidden, -1, codes)[rest]
    _, owner, sizes = np.unique(written, axis=0, return_inverse=True, return_counts=True)
    owner = owner.reshape(-1)
    rank = np.empty(len(rest), dtype=np.int64)
    order = np.argsort(owner, kind="stable")
    rank[order] = np.arange(len(rest)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    gain = -1.0 * (hidden[rest].astype(np.float64) @ np.array(weights))
    spare = rest[rank >= k]
    spare = spare[np.argsort(gain[rank >= k], kind="stable")]
    needed = k - len(left)
    if len(spare) >= needed:
        return np.concatenate([left, spare[:needed]])
    smallest = np.argsort(sizes, kind="stable")
    enough = int(np.searchsorted(np.cumsum(sizes[smallest]), needed)) + 1
    return np.concatenate([left, rest[np.isin(owner, smallest[:enough])]])
