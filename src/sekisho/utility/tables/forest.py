"""A random forest that tells two samples apart, for few rows.

Trees are grown to the end on samples drawn with replacement, each split chosen by Gini impurity among a few columns
drawn anew (the root of their number). Every row is judged by a forest that did not see it (five folds, stratified). The
answer is the area under the curve: the chance that a row of the first sample is judged likelier to be of the first than
one of the second, ties half. The same rows give the same answer, whatever their order.

Source: Breiman, "Random forests", Machine Learning 45 (2001).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from sekisho.kernels import njit
from sekisho.seeds import Seed
from sekisho.utility.tables.number_columns import Floats

FOLDS = 5


def tell_apart(one: Floats, two: Floats, *, trees: int) -> float:
    """Return the area under the curve of a cross-validated forest."""
    rows = np.concatenate([one[np.lexsort(one.T[::-1])], two[np.lexsort(two.T[::-1])]])
    first = np.arange(len(rows)) < len(one)
    rng = Seed(0).child("forest").rng()
    folds = min(FOLDS, len(one), len(two))
    fold = np.concatenate([rng.permutation(np.arange(size) % folds) for size in (len(one), len(two))])
    chances = np.zeros(len(rows))
    features = max(1, int(np.sqrt(rows.shape[1])))
    for each in range(folds):
        known = np.flatnonzero(fold != each)
        asked = fold == each
        total = np.zeros(int(asked.sum()))
        for _ in range(trees):
            drawn = known[rng.integers(len(known), size=len(known))]
            picks = rng.random((2 * len(drawn) + 1, rows.shape[1]))
            total += _grow_and_ask(rows[drawn], first[drawn], rows[asked], picks, features)
        chances[asked] = total / trees
    ranks = rankdata(chances)
    return float((ranks[first].sum() - len(one) * (len(one) + 1) / 2) / (len(one) * len(two)))


@njit(cache=True)
def _grow_and_ask(rows: Floats, first: NDArray[np.bool_], asked: Floats, picks: Floats, features: int) -> Floats:
    """Return the share of the first sample in the leaf of one tree in which each asked row ends.

    Plain loops: what numpy has for them takes half a minute to compile.
    """
    size = len(rows)
    left, column = np.full(2 * size + 1, -1), np.zeros(2 * size + 1, np.int64)
    bound, share = np.zeros(2 * size + 1), np.zeros(2 * size + 1)
    starts, ends = np.zeros(2 * size + 1, np.int64), np.zeros(2 * size + 1, np.int64)
    order = np.arange(size)
    ends[0], count, node = size, 1, 0
    while node < count:
        start, end = starts[node], ends[node]
        total = 0
        for place in range(start, end):
            total += int(first[order[place]])
        share[node] = total / (end - start)
        if 0 < total < end - start:
            each, cut, bound[node] = _find_split(rows, first, order, (start, end, total), picks[node], features)
            if each >= 0:
                _sort(rows[:, each], order, start, end)
                left[node], column[node] = count, each
                starts[count], ends[count], starts[count + 1], ends[count + 1] = start, cut, cut, end
                count += 2
        node += 1
    answers = np.zeros(len(asked))
    for row in range(len(asked)):
        at = 0
        while left[at] >= 0:
            at = left[at] + (asked[row, column[at]] > bound[at])
        answers[row] = share[at]
    return answers


@njit(cache=True)
def _find_split(
    rows: Floats,
    first: NDArray[np.bool_],
    order: NDArray[np.int64],
    part: tuple[int, int, int],
    picks: Floats,
    features: int,
) -> tuple[int, int, float]:
    """Return the column, the first place to the right and the bound of the purest split; column -1 if none moves.

    Columns that do not move within the node do not count among the drawn ones.
    """
    start, end, total = part
    columns = np.arange(rows.shape[1])
    _sort(picks, columns, 0, len(columns))
    best, cut, bound, worst, tried = -1, 0, 0.0, np.inf, 0
    for each in columns:
        _sort(rows[:, each], order, start, end)
        if tried == features or rows[order[start], each] == rows[order[end - 1], each]:
            continue
        tried += 1
        below = 0
        for place in range(start + 1, end):
            below += int(first[order[place - 1]])
            low, high = float(rows[order[place - 1], each]), float(rows[order[place], each])
            near, far, above = place - start, end - place, total - below
            impurity = below * (near - below) / near + above * (far - above) / far
            if low < high and impurity < worst:
                best, cut, bound, worst = each, place, (low + high) / 2, impurity
    return best, cut, bound


@njit(cache=True)
def _sort(values: Floats, order: NDArray[np.int64], start: int, end: int) -> None:
    """Sort a part of an order by values, equal ones as they stand."""
    for place in range(start + 1, end):
        each = order[place]
        below = place - 1
        while below >= start and values[order[below]] > values[each]:
            order[below + 1] = order[below]
            below -= 1
        order[below + 1] = each
