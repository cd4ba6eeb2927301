"""A random forest that tells two samples apart, for few rows.

Trees are grown to the end on samples drawn with replacement, each split chosen by Gini impurity among a few columns
drawn anew (the root of their number). Every row is judged by a forest that did not see it (five folds, stratified). The
answer is the area under the curve: the chance that a row of the first sample is judged likelier to be of the first than
one of the second, ties half. The same rows give the same answer, whatever their order.

Draws, order of nodes and ties are those of scikit-learn 1.9 (``RandomForestClassifier(random_state=0)`` predicting in
``StratifiedKFold(shuffle=True, random_state=0)``, numbers of 32 bits, the first sample's rows before the second's), so
that its areas come out; scikit-learn itself is not needed.

Source: Breiman, "Random forests", Machine Learning 45 (2001); Marsaglia, "Xorshift RNGs", J. Statistical Software 8
(2003), by whose generator columns are drawn.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from sekisho.kernels import njit
from sekisho.seeds import start_twister
from sekisho.utility.tables.number_columns import Floats

FOLDS = 5
HIGHEST = 2**31 - 1
SAME = np.float32(1e-7)
"""Values that differ by no more are one."""
WORD = 0xFFFFFFFF

Ints = NDArray[np.int64]
Numbers = NDArray[np.float32]


def tell_apart(one: Floats, two: Floats, *, trees: int) -> float:
    """Return the area under the curve of a cross-validated forest."""
    rows = np.concatenate([one[np.lexsort(one.T[::-1])], two[np.lexsort(two.T[::-1])]]).astype(np.float32)
    first = np.arange(len(rows)) < len(one)
    fold = _draw_folds(len(one), len(two), min(FOLDS, len(one), len(two)))
    chances = np.zeros(len(rows))
    features = max(1, int(np.sqrt(rows.shape[1])))
    for each in np.unique(fold):
        known, asked = fold != each, fold == each
        chances[asked] = _ask_forest(rows[known], first[known], rows[asked], trees, features)
    ranks = rankdata(chances)
    return float((ranks[first].sum() - len(one) * (len(one) + 1) / 2) / (len(one) * len(two)))


def _draw_folds(first: int, second: int, folds: int) -> Ints:
    """Return the fold of each row: of each sample as many in each fold as can be, drawn."""
    source, order = start_twister(0), np.repeat([0, 1], [first, second])
    counts = np.array([np.bincount(order[each::folds], minlength=2) for each in range(folds)])
    drawn = [np.repeat(np.arange(folds), counts[:, sample]) for sample in (0, 1)]
    for each in drawn:
        source.shuffle(each)
    return np.concatenate(drawn)


def _ask_forest(rows: Numbers, first: NDArray[np.bool_], asked: Numbers, trees: int, features: int) -> Floats:
    source, total = start_twister(0), np.zeros(len(asked))
    for seed in [int(source.randint(HIGHEST)) for _ in range(trees)]:
        drawn = start_twister(seed).randint(0, len(rows), len(rows))
        counts = np.bincount(drawn, minlength=len(rows)).astype(np.float64)
        state = int(start_twister(seed).randint(0, HIGHEST))
        total += _grow_and_ask(rows, counts, counts * first, asked, features, state)
    return total / trees


@njit(cache=True)
def _grow_and_ask(rows: Numbers, counts: Floats, ones: Floats, asked: Numbers, features: int, state: int) -> Floats:
    """Return the share of the first sample in the leaf of one tree in which each asked row ends.

    Nodes are split depth first, left before right. Plain loops: what numpy has for them takes half a minute to compile.
    """
    order = np.flatnonzero(counts > 0)
    size, width = len(order), rows.shape[1]
    left, right, column = np.full(2 * size, -1), np.full(2 * size, -1), np.zeros(2 * size, np.int64)
    bound, share = np.zeros(2 * size), np.zeros(2 * size)
    columns, constant = np.arange(width), np.zeros(width, np.int64)
    waiting = [(0, size, 0, 0)]
    made = 1
    while waiting:
        start, end, still, node = waiting.pop()
        part = order[start:end].copy()
        weight, weight_first = counts[part].sum(), ones[part].sum()
        share[node] = weight_first / weight
        if end - start < 2 or weight_first in (0.0, weight):
            continue
        each, bound[node], still, state = _find_split(
            rows, (counts, ones), part, (columns, constant), still, features, state
        )
        if each < 0:
            continue
        below = rows[part, each] <= bound[node]
        cut = start + int(below.sum())
        order[start:cut], order[cut:end] = part[below], part[~below]
        column[node], left[node], right[node] = each, made, made + 1
        waiting.append((cut, end, still, made + 1))
        waiting.append((start, cut, still, made))
        made += 2
    answers = np.zeros(len(asked))
    for row in range(len(asked)):
        at = 0
        while left[at] >= 0:
            at = left[at] if asked[row, column[at]] <= bound[at] else right[at]
        answers[row] = share[at]
    return answers


@njit(cache=True)
def _find_split(
    rows: Numbers,
    masses: tuple[Floats, Floats],
    part: Ints,
    places: tuple[Ints, Ints],
    known: int,
    features: int,
    state: int,
) -> tuple[int, float, int, int]:
    """Return column and bound of the purest split, how many columns do not move, and the generator's state.

    Columns are drawn without repeating; those that do not move within the node are remembered for the nodes below and
    do not count among the drawn ones, so that at least one that moves is looked at, if there is any.
    """
    columns, constant = places
    counts, ones = masses
    total, total_first = counts[part].sum(), ones[part].sum()
    last, looked, found, drawn, still = len(columns), 0, 0, 0, known
    best, bound, purest = -1, 0.0, -np.inf
    while last > still and (looked < features or looked <= found + drawn):
        looked += 1
        state, place = _draw_below(state, last - found - drawn)
        place += drawn
        if place < known:
            columns[drawn], columns[place] = columns[place], columns[drawn]
            drawn += 1
            continue
        place += found
        each = columns[place]
        values = rows[part, each]
        ranked = np.argsort(values, kind="mergesort")
        if values[ranked[-1]] <= values[ranked[0]] + SAME:
            columns[place], columns[still] = columns[still], columns[place]
            found += 1
            still += 1
            continue
        last -= 1
        columns[last], columns[place] = columns[place], columns[last]
        near, near_first = 0.0, 0.0
        for cut in range(1, len(part)):
            row = part[ranked[cut - 1]]
            near += counts[row]
            near_first += ones[row]
            low, high = values[ranked[cut - 1]], values[ranked[cut]]
            if high <= low + SAME:
                continue
            far, far_first = total - near, total_first - near_first
            pure_near = near_first * near_first + (near - near_first) * (near - near_first)
            pure_far = far_first * far_first + (far - far_first) * (far - far_first)
            purity = -far * (1.0 - pure_far / (far * far)) - near * (1.0 - pure_near / (near * near))
            if purity > purest:
                best, purest = each, purity
                bound = float(low) / 2.0 + float(high) / 2.0
    columns[:known] = constant[:known]
    constant[known : known + found] = columns[known : known + found]
    return best, bound, still, state


@njit(cache=True)
def _draw_below(state: int, limit: int) -> tuple[int, int]:
    """Return the next state of the generator, and a number below a limit."""
    state = state or 1
    state ^= (state << 13) & WORD
    state ^= state >> 17
    state ^= (state << 5) & WORD
    return state, (state % (HIGHEST + 1)) % limit
