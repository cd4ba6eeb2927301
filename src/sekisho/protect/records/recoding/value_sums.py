"""The best strict cut of a large class: equal values of a column go together, so what they have is summed up first.

One pass over the class gives for each value of a column the cells that its records need; the cuts then walk over values
instead of records.

What a class must keep, on the counts of its sensitive values: a predicate that compiled code asks of every class.

- k: at least k records;
- distinct l: at least l distinct sensitive values;
- entropy l: their entropy is at least log l;
- recursive (c, l): the largest count is below c times the sum of the l-th largest and those after it;
- t: the distribution lies within t of the whole file's; half the sum of absolute differences, or for ordered values the
  earth mover's distance with steps of 1 / (values - 1).

All but k are asked of the known values: a missing one is none, and in a class without a known value nothing is learnt.

Sources: Machanavajjhala, Gehrke, Kifer, Venkitasubramaniam, "l-diversity", ICDE 2006; Li, Li, Venkatasubramanian,
"t-closeness", ICDE 2007, section 4.

The room that the search for cuts works in, made once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sekisho.kernels import njit
from sekisho.protect.records.recoding.key_space import SET, KeySpace, Records, measure_span

HAIR = 1e-12
"""Rounding that a comparison of sums of logarithms or shares forgives."""


class ClassRule(NamedTuple):
    """What a class must keep; a part that is not asked for is 0 (t: 1).

    Attributes:
        k: the least number of records.
        distinct: the least number of distinct sensitive values.
        entropy: the l of entropy l-diversity.
        recursive_c: the c of recursive (c, l)-diversity.
        recursive_l: its l.
        t: the largest distance from the whole file's distribution.
        ordered: whether the sensitive values have an order, which t then heeds.
        shares: of the sensitive values in the whole file; of a missing one 0.
        unknown: the code of a missing value; -1 where none is missing.
    """

    k: int
    distinct: int
    entropy: float
    recursive_c: float
    recursive_l: int
    t: float
    ordered: bool
    shares: NDArray[np.float64]
    unknown: int


@njit(cache=True, nogil=True)
def keeps_rule(rule: ClassRule, counts: NDArray[np.int64], total: int) -> bool:
    """Tell whether a class with these counts of sensitive values keeps the rule."""
    if total < rule.k:
        return False
    if len(counts) == 1:
        return True
    if rule.unknown < 0 or counts[rule.unknown] == 0:
        return _keeps_known(rule, counts, total)
    if counts[rule.unknown] == total:
        return True
    known = counts.copy()
    known[rule.unknown] = 0
    return _keeps_known(rule, known, total - counts[rule.unknown])


@njit(cache=True, nogil=True)
def _keeps_known(rule: ClassRule, counts: NDArray[np.int64], total: int) -> bool:
    """Tell whether the known values of a class, some at least, keep what is asked of them."""
    if rule.distinct > 1 and _count_distinct(counts) < rule.distinct:
        return False
    if rule.entropy > 1.0 and _measure_entropy(counts, total) < np.log(rule.entropy) - HAIR:
        return False
    if rule.recursive_l > 0 and not _is_recursive(rule, counts):
        return False
    return rule.t >= 1.0 or _measure_distance(rule, counts, total) <= rule.t + HAIR


@njit(cache=True, nogil=True)
def is_hopeless(rule: ClassRule, counts: NDArray[np.int64]) -> bool:
    """Tell whether a class has known values, and too few distinct ones: so has every part of it that has any."""
    if rule.distinct <= 1:
        return False
    distinct = _count_distinct(counts)
    if rule.unknown >= 0 and counts[rule.unknown] > 0:
        distinct -= 1
        return 0 < distinct < rule.distinct
    return distinct < rule.distinct


@njit(cache=True, nogil=True)
def _count_distinct(counts: NDArray[np.int64]) -> int:
    distinct = 0
    for count in counts:
        if count > 0:
            distinct += 1
    return distinct


@njit(cache=True, nogil=True)
def _measure_entropy(counts: NDArray[np.int64], total: int) -> float:
    entropy = 0.0
    for count in counts:
        if count > 0:
            share = count / total
            entropy -= share * np.log(share)
    return entropy


@njit(cache=True, nogil=True)
def _is_recursive(rule: ClassRule, counts: NDArray[np.int64]) -> bool:
    ordered = counts.copy()
    sort_ascending(ordered)
    kept = len(ordered) - rule.recursive_l + 1
    tail = 0
    for place in range(kept):
        tail += ordered[place]
    return ordered[-1] < rule.recursive_c * tail


@njit(cache=True, nogil=True)
def sort_ascending(numbers: NDArray[np.int64]) -> None:
    """Sort whole numbers where they stand, by a heap: numba's own sorts take long to compile."""
    for root in range(len(numbers) // 2 - 1, -1, -1):
        _sift_down(numbers, root, len(numbers))
    for end in range(len(numbers) - 1, 0, -1):
        numbers[0], numbers[end] = numbers[end], numbers[0]
        _sift_down(numbers, 0, end)


@njit(cache=True, nogil=True)
def _sift_down(numbers: NDArray[np.int64], root: int, end: int) -> None:
    """Let a number sink below all larger ones of a heap that ends before a place."""
    sinking = numbers[root]
    child = 2 * root + 1
    while child < end:
        if child + 1 < end and numbers[child + 1] > numbers[child]:
            child += 1
        if numbers[child] <= sinking:
            break
        numbers[root] = numbers[child]
        root, child = child, 2 * child + 1
    numbers[root] = sinking


@njit(cache=True, nogil=True)
def _measure_distance(rule: ClassRule, counts: NDArray[np.int64], total: int) -> float:
    distance, carried = 0.0, 0.0
    for value in range(len(counts)):
        moved = counts[value] / total - rule.shares[value]
        carried += moved
        distance += abs(carried) if rule.ordered else abs(moved)
    return distance / (len(counts) - 1) if rule.ordered else distance / 2.0


LESS = 1e-12
"""By how much a cut must be better, so that rounding does not choose."""
NONE = np.int32(2**31 - 1)
"""Above every code."""


class ValueCut(NamedTuple):
    """Where to cut: after so many pieces of the order, the last of which leaves so many copies on the right."""

    loss: float
    after: int
    copies: int


class Sums(NamedTuple):
    """What the pieces with each value of one column have together; the last row is for what is walked over.

    Attributes:
        low: values by columns: the least code.
        high: the largest.
        has: values by values of sets: whether it occurs.
        counts: values by sensitive values: copies.
        pieces: how many pieces there are.
        order: the values that occur, in the order in which they are cut.
        left: the loss per record of the first values of the order together.
        right: of the last.
        walked: copies by sensitive value of what was walked over, from the left and from the right.
        good: whether what lies right of each cut keeps the rule.
    """

    low: NDArray[np.int32]
    high: NDArray[np.int32]
    has: NDArray[np.bool_]
    counts: NDArray[np.int64]
    pieces: NDArray[np.int64]
    order: NDArray[np.int64]
    left: NDArray[np.float64]
    right: NDArray[np.float64]
    walked: NDArray[np.int64]
    good: NDArray[np.bool_]


@njit(cache=True, nogil=True)
def make_sums(space: KeySpace, rule: ClassRule, values: int) -> Sums:
    """Return room for the values of any column."""
    columns, rows = len(space.kinds), values + 1
    return Sums(
        np.empty((rows, columns), np.int32),
        np.empty((rows, columns), np.int32),
        np.empty((rows, space.marked[0]), np.bool_),
        np.empty((rows, len(rule.shares)), np.int64),
        np.empty(rows, np.int64),
        np.empty(rows, np.int64),
        np.empty(rows),
        np.empty(rows),
        np.empty(len(rule.shares), np.int64),
        np.empty(rows, np.bool_),
    )


@njit(cache=True, nogil=True)
def sum_values(space: KeySpace, pieces: Records, columns: NDArray[np.int64], column: int, sums: Sums) -> None:
    """Sum up by the values of a column what the pieces of a class have in the columns in which they differ."""
    values = space.starts[column + 1] - space.starts[column]
    low, high, codes = sums.low, sums.high, pieces.codes
    low[:values], high[:values], sums.has[:values] = NONE, -1, False
    sums.counts[:values], sums.pieces[:values] = 0, 0
    for place in range(len(pieces.copies)):
        value = codes[place, column]
        sums.pieces[value] += 1
        sums.counts[value, pieces.sensitive[place]] += pieces.copies[place]
        for other in range(codes.shape[1]):  # all of them: side by side several are compared at once
            low[value, other] = min(low[value, other], codes[place, other])
            high[value, other] = max(high[value, other], codes[place, other])
    for other in columns:
        if space.kinds[other] == SET:
            for place in range(len(pieces.copies)):
                sums.has[codes[place, column], space.marks[other] + codes[place, other]] = True


@njit(cache=True, nogil=True)
def choose_value(
    space: KeySpace, rule: ClassRule, columns: NDArray[np.int64], column: int, by_count: int, sums: Sums, best: ValueCut
) -> ValueCut:
    """Return the best cut between values of a column if it is better than the best so far, which is returned else."""
    present = _order_values(space, column, by_count, sums)
    if present < 2:
        return best
    _walk_values(space, columns, sums, present, False, sums.left)
    _walk_values(space, columns, sums, present, True, sums.right)
    whole, left, after = _mark_right(rule, sums, present), 0, 0
    sums.walked[:] = 0
    for place in range(present - 1):
        value = sums.order[place]
        left += _add_counts(sums, value)
        after += int(sums.pieces[value])
        loss = left * sums.left[place] + (whole - left) * sums.right[place + 1]
        if loss < best.loss - LESS and sums.good[place + 1] and keeps_rule(rule, sums.walked, left):
            best = ValueCut(loss, after, 0)
    return best


@njit(cache=True, nogil=True)
def _order_values(space: KeySpace, column: int, by_count: int, sums: Sums) -> int:
    """Write the values that occur in the order of their codes, or the most frequent first.

    Return how many there are.
    """
    values = space.starts[column + 1] - space.starts[column]
    present = 0
    for value in range(values):
        if sums.pieces[value] > 0:
            sums.order[present] = value - values * sums.counts[value].sum() if by_count else value
            present += 1
    if by_count:
        sort_ascending(sums.order[:present])
        for place in range(present):
            sums.order[place] %= values  # of a negative number the rest is that of what was added
    return present


@njit(cache=True, nogil=True)
def _walk_values(
    space: KeySpace, columns: NDArray[np.int64], sums: Sums, present: int, backward: int, into: NDArray[np.float64]
) -> None:
    """Write the loss per record of the first values of the order together, or of the last, for every number of them."""
    own = len(sums.pieces) - 1
    sums.low[own], sums.high[own], sums.has[own] = NONE, -1, False
    for step in range(present):
        place = present - 1 - step if backward else step
        into[place] = _join_value(space, columns, sums, own, sums.order[place])


@njit(cache=True, nogil=True)
def _join_value(space: KeySpace, columns: NDArray[np.int64], sums: Sums, own: int, value: int) -> float:
    """Add what has a value to what was walked over; return the loss per record of both."""
    loss = 0.0
    for each in columns:
        column = int(each)
        if space.kinds[column] == SET:
            mark, size = space.marks[column], 0
            for code in range(space.starts[column + 1] - space.starts[column]):
                sums.has[own, mark + code] |= sums.has[value, mark + code]
                size += sums.has[own, mark + code]
            loss += (size - 1) * space.unit[column]
        else:
            sums.low[own, column] = min(sums.low[own, column], sums.low[value, column])
            sums.high[own, column] = max(sums.high[own, column], sums.high[value, column])
            loss += measure_span(space, column, sums.low[own, column], sums.high[own, column])
    return loss


@njit(cache=True, nogil=True)
def _mark_right(rule: ClassRule, sums: Sums, present: int) -> int:
    """Mark from which values of the order on the rest keeps the rule; return how many copies there are."""
    sums.walked[:] = 0
    total = 0
    for step in range(present):
        place = present - 1 - step
        total += _add_counts(sums, sums.order[place])
        sums.good[place] = keeps_rule(rule, sums.walked, total)
    return total


@njit(cache=True, nogil=True)
def _add_counts(sums: Sums, value: int) -> int:
    """Add the copies with a value to what was walked over; return how many these are."""
    added = 0
    for sensitive in range(len(sums.walked)):
        sums.walked[sensitive] += sums.counts[value, sensitive]
        added += sums.counts[value, sensitive]
    return added


FEW = 24
"""So few pieces are sorted by insertion."""


class Scratch(NamedTuple):
    """Room to work in, made once.

    Attributes:
        order: of the pieces of a class by a column.
        best_order: of the best cut so far.
        left: the loss per record of the first pieces of the order together.
        right: of the last.
        good_left: whether the first pieces keep the rule.
        good_right: whether the last do.
        bucket: where the pieces with each value of a column go.
        rank: of each value.
        often: how often each occurs.
        least: by column, the least code that a class has.
        most: the largest.
        low: by column, the least code of a walk; of a column that is a set, or in which pieces do not differ, one that
            no code lies outside of.
        high: the largest, likewise.
        loss: of each column.
        seen: of each value of sets, the last walk that met it.
        stamp: the number of the walk.
        histogram: copies by sensitive value.
        record: of pieces that change places.
        pieces: what they are.
        varying: the columns in which pieces differ.
        sums: by values.
    """

    order: NDArray[np.int64]
    best_order: NDArray[np.int64]
    left: NDArray[np.float64]
    right: NDArray[np.float64]
    good_left: NDArray[np.bool_]
    good_right: NDArray[np.bool_]
    bucket: NDArray[np.int64]
    rank: NDArray[np.int64]
    often: NDArray[np.int64]
    least: NDArray[np.int32]
    most: NDArray[np.int32]
    low: NDArray[np.int32]
    high: NDArray[np.int32]
    loss: NDArray[np.float64]
    seen: NDArray[np.int64]
    stamp: NDArray[np.int64]
    histogram: NDArray[np.int64]
    record: NDArray[np.int64]
    pieces: Records
    varying: NDArray[np.int64]
    sums: Sums


@njit(cache=True, nogil=True)
def make_pieces(columns: int, capacity: int) -> Records:
    """Return room for so many pieces: codes, copies and sensitive values."""
    return Records(np.empty((capacity, columns), np.int32), np.empty(capacity, np.int64), np.empty(capacity, np.int32))


@njit(cache=True, nogil=True)
def slice_pieces(pieces: Records, start: int, end: int) -> Records:
    """Return some pieces that stand side by side, where they stand."""
    return Records(pieces.codes[start:end], pieces.copies[start:end], pieces.sensitive[start:end])


@njit(cache=True, nogil=True)
def make_scratch(space: KeySpace, rule: ClassRule, capacity: int) -> Scratch:
    """Return room for so many pieces."""
    columns = len(space.kinds)
    widest = 0
    for column in range(columns):
        widest = max(widest, space.starts[column + 1] - space.starts[column])
    return Scratch(
        np.empty(capacity, np.int64),
        np.empty(capacity, np.int64),
        np.empty(capacity),
        np.empty(capacity),
        np.empty(capacity, np.bool_),
        np.empty(capacity, np.bool_),
        np.empty(max(widest + 2, FEW), np.int64),
        np.empty(widest + 1, np.int64),
        np.empty(widest + 1, np.int64),
        np.empty(columns, np.int32),
        np.empty(columns, np.int32),
        np.empty(columns, np.int32),
        np.empty(columns, np.int32),
        np.empty(columns),
        np.zeros(space.marked[0] + 1, np.int64),
        np.zeros(1, np.int64),
        np.empty(len(rule.shares), np.int64),
        np.empty(capacity, np.int64),
        make_pieces(columns, capacity),
        np.empty(columns, np.int64),
        make_sums(space, rule, widest),
    )
