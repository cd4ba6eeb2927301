"""How many records match each one, where a suppressed cell matches any value.

Records with the same pattern of suppressed cells are counted together: two patterns match on the keys that neither
withholds, so that counting needs one table for each pair of patterns that occur.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sekisho.kernels import njit

MIX = np.uint64(0x9E3779B97F4A7C15)


@njit(cache=True, nogil=True)
def _hash_row(codes: NDArray[np.int32], row: int, keys: NDArray[np.int64]) -> np.uint64:
    word = np.uint64(0)
    for key in keys:
        word = (word ^ np.uint64(codes[row, key])) * MIX
        word ^= word >> np.uint64(29)
    return word


@njit(cache=True, nogil=True)
def _are_equal(codes: NDArray[np.int32], one: int, other: int, keys: NDArray[np.int64]) -> bool:
    equal = True
    for key in keys:
        equal = equal and codes[one, key] == codes[other, key]
    return equal


@njit(cache=True, nogil=True)
def count_equal(
    codes: NDArray[np.int32], keys: NDArray[np.int64], among: NDArray[np.int64], asked: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return for each asked row how many rows among others are equal to it in some keys."""
    size = 16
    while size < 2 * len(among):
        size *= 2
    first, count = np.full(size, -1, np.int64), np.zeros(size, np.int64)
    for row in among:
        slot = np.int64(_hash_row(codes, row, keys) & np.uint64(size - 1))
        while first[slot] >= 0 and not _are_equal(codes, first[slot], row, keys):
            slot = (slot + 1) & (size - 1)
        if first[slot] < 0:
            first[slot] = row
        count[slot] += 1
    found = np.zeros(len(asked), np.int64)
    for place in range(len(asked)):
        row = asked[place]
        slot = np.int64(_hash_row(codes, row, keys) & np.uint64(size - 1))
        while first[slot] >= 0:
            if _are_equal(codes, first[slot], row, keys):
                found[place] = count[slot]
                break
            slot = (slot + 1) & (size - 1)
    return found


def group_patterns(hidden: NDArray[np.bool_]) -> list[tuple[NDArray[np.bool_], NDArray[np.int64]]]:
    """Return the patterns of suppressed cells that occur, each with its rows."""
    if not len(hidden):
        return []
    patterns, which = np.unique(hidden, axis=0, return_inverse=True)
    order = np.argsort(which.reshape(-1), kind="stable")
    ends = np.cumsum(np.bincount(which.reshape(-1), minlength=len(patterns)))[:-1]
    return list(zip(patterns, np.split(order.astype(np.int64), ends), strict=True))


def count_matches(codes: NDArray[np.int32], hidden: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return for each record how many match it, itself included: equal wherever neither cell is suppressed."""
    patterns = group_patterns(hidden)
    matches = np.zeros(len(codes), dtype=np.int64)
    for own, rows in patterns:
        for other, among in patterns:
            matches[rows] += count_equal(codes, np.flatnonzero(~(own | other)), among, rows)
    return matches


def count_candidates(codes: NDArray[np.int32], hidden: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return for each person how many published records admit his true keys, his own included."""
    everybody = np.arange(len(codes), dtype=np.int64)
    found = np.zeros(len(codes), dtype=np.int64)
    for pattern, rows in group_patterns(hidden):
        found += count_equal(codes, np.flatnonzero(~pattern), rows, everybody)
    return found


@njit(cache=True, nogil=True)
def _do_match(codes: NDArray[np.int32], hidden: NDArray[np.bool_], one: int, other: int) -> bool:
    for key in range(codes.shape[1]):
        if codes[one, key] != codes[other, key] and not hidden[one, key] and not hidden[other, key]:
            return False
    return True


@njit(cache=True, nogil=True)
def _list_losers(
    codes: NDArray[np.int32],
    hidden: NDArray[np.bool_],
    spare: NDArray[np.int64],
    cell: NDArray[np.int64],
    losers: NDArray[np.int64],
) -> int:
    """Write down who matches a record only by its suppressed cell.

    Return how many, or -1 if one cannot spare a match.
    """
    row, key, lost = cell[0], cell[1], 0
    for other in range(len(codes)):
        if hidden[other, key] or codes[other, key] == codes[row, key] or not _do_match(codes, hidden, row, other):
            continue
        if spare[other] < 1 or spare[row] - lost < 1:
            return -1
        losers[lost] = other
        lost += 1
    return lost


@njit(cache=True, nogil=True)
def uncover_cells(
    codes: NDArray[np.int32],
    hidden: NDArray[np.bool_],
    spare: NDArray[np.int64],
    cells: NDArray[np.int64],
    most_looks: int,
) -> int:
    """Publish again, one after the other, suppressed cells that nobody needs; return how many.

    Args:
        codes: of the records.
        hidden: which cells are suppressed; changed.
        spare: how many matches each record has beyond what it needs; changed.
        cells: rows and keys, in the order in which they are tried.
        most_looks: at so many rows.
    """
    losers, published = np.empty(len(codes), np.int64), 0
    for place in range(min(len(cells), most_looks // max(1, len(codes)))):
        lost = _list_losers(codes, hidden, spare, cells[place], losers)
        if lost < 0:
            continue
        hidden[cells[place, 0], cells[place, 1]] = False
        spare[cells[place, 0]] -= lost
        for each in range(lost):
            spare[losers[each]] -= 1
        published += 1
    return published
