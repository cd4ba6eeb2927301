"""What it costs to publish the rows of a whole group alike, compiled: align, then re-align each member in turn.

A group publishes as many slots as its shortest member has rows (docs/proofs/history-groups.md). A slot of g rows with
smallest value a, largest b costs per number the members' errors together,

    sum over x of ((a - x)^2 + (b - x)^2 + (b - a) w) / (2 (b - a + w) sd),   w = 1, or g if that is less (``*``),

less what a wider range gains (:mod:`~sekisho.protect.history.shared_cells`); per category with s distinct values g (1 -
1/s), or g where s is above the largest set allowed. One member at a time is placed by an assignment problem with its
true marginal cost against the slots of the others; the rest is coordinate descent: take a member out, place it again,
until a round gains nothing.

Numbers come divided by their column's standard deviation, so sd = 1 and w is one over it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sekisho.kernels import njit
from sekisho.protect.history.grouping.assignment import bid_for_columns, solve_assignment
from sekisho.protect.history.grouping.rows import HistoryRows
from sekisho.protect.history.shared_cells import gain

EPSILON = 1e-9
STRETCH = 1024
"""Slots that are aligned at once where a tolerance is allowed."""


@njit(cache=True, fastmath=True)
def _add_numbers(
    values: NDArray[np.float64], held: NDArray[np.float64], grain: float, top: float, out: NDArray[np.float64]
) -> None:
    """Add to each place what the slot that holds some values would cost in this column with one value more."""
    size = len(held) + 1.0
    low = high = held[0]
    total = squares = 0.0
    for value in held:
        low, high = min(low, value), max(high, value)
        total += value
        squares += value * value
    for place in range(len(values)):
        value = values[place]
        least, most = min(low, value), max(high, value)
        sums, wide = total + value, most - least
        moved = 2.0 * (squares + value * value - (least + most) * sums) + size * (least * least + most * most)
        error = (moved + size * wide * grain) / (2.0 * (wide + grain))
        if size > 2.0:
            error -= gain(least, most, size, sums, squares + value * value, grain, top)
        out[place] += min(size, error)


@njit(cache=True, nogil=True)
def _add_codes(
    values: NDArray[np.int32], held: NDArray[np.int32], max_set: int, fresh: NDArray[np.bool_], out: NDArray[np.float64]
) -> None:
    """Add to each place what the slot that holds some codes would cost in this column with one code more."""
    size = len(held) + 1.0
    kinds = 0
    for one in range(len(held)):
        new = True
        for two in range(one):
            new = new and held[two] != held[one]
        kinds += new
    same = size * (1.0 - 1.0 / kinds) if kinds <= max_set else size
    more = size * (1.0 - 1.0 / (kinds + 1)) if kinds < max_set else size
    fresh[: len(values)] = True
    for code in held:
        for place in range(len(values)):
            fresh[place] &= values[place] != code
    for place in range(len(values)):
        out[place] += more if fresh[place] else same


@njit(cache=True, nogil=True)
def build_slot_matrix(rows: HistoryRows, held: NDArray[np.int64], person: int) -> NDArray[np.float64]:
    """Return what each slot would cost with each row of a person added; ``held`` has one line of rows per member."""
    return _build_stretch_matrix(rows, held, int(rows.starts[person]), int(rows.starts[person + 1]))


@njit(cache=True, nogil=True)
def _build_stretch_matrix(rows: HistoryRows, held: NDArray[np.int64], low: int, high: int) -> NDArray[np.float64]:
    """Return what each slot would cost with each row from ``low`` to ``high`` added."""
    members, slots = held.shape
    scaled, codes = rows.scaled, rows.codes
    cost = np.zeros((slots, high - low))
    fresh = np.empty(high - low, dtype=np.bool_)
    numbers = np.empty(members)
    kinds = np.empty(members, dtype=np.int32)
    for slot in range(slots):
        for column in range(scaled.shape[0]):
            for member in range(members):
                numbers[member] = scaled[column, held[member, slot]]
            _add_numbers(scaled[column, low:high], numbers, rows.grains[column], rows.tops[column], cost[slot])
        for column in range(codes.shape[0]):
            for member in range(members):
                kinds[member] = codes[column, held[member, slot]]
            _add_codes(codes[column, low:high], kinds, rows.max_set, fresh, cost[slot])
    return cost


@njit(cache=True, nogil=True)
def align(
    rows: HistoryRows, people: NDArray[np.int64], rounds: int | np.int64
) -> tuple[float, NDArray[np.int64], float]:
    """Return a group's cost, its rows (one line per member in the order given), and the work done.

    Members join from the shortest to the longest; then at most ``rounds`` rounds of re-alignment. Work counts
    row-to-slot costs, weighed by how long the assignment takes over each.
    """
    width = rows.scaled.shape[0] + rows.codes.shape[0]
    lengths = rows.starts[people + 1] - rows.starts[people]
    order = np.argsort(lengths, kind="mergesort")
    slots = int(lengths.min())
    held = np.empty((len(people), slots), dtype=np.int64)
    held[0] = rows.starts[people[order[0]]] + np.arange(slots)
    total, cells = 0.0, 0
    for place in range(1, len(people)):
        one = int(people[order[place]])
        total = _place_member(rows, held, place, held[:place], one, np.inf)
        cells += slots * int(lengths[order[place]])
    for _ in range(rounds if len(people) > 2 else 0):
        before = total
        for place in range(len(people)):
            one = int(people[order[place]])
            others = np.concatenate((held[:place], held[place + 1 :]))
            total = _place_member(rows, held, place, others, one, total)
            cells += slots * int(lengths[order[place]])
        if total > before - EPSILON:
            break
    aligned = np.empty_like(held)
    aligned[order] = held
    surplus = float(width * (lengths.sum() - len(people) * slots))
    return surplus + total, aligned, cells * (1.0 + slots / 50.0)


@njit(cache=True, nogil=True)
def _place_member(
    rows: HistoryRows, held: NDArray[np.int64], place: int, others: NDArray[np.int64], person: int, least: float
) -> float:
    """Set a member's rows to the best against the others'; return what all slots cost then.

    With a tolerance, rows stay where they cost least so far.
    """
    if rows.tolerance > 0:
        chosen, total = _place_by_stretches(rows, others, person)
        if total >= least:
            return least
    else:
        chosen, _, _, total = solve_assignment(build_slot_matrix(rows, others, person), np.inf)
    held[place] = rows.starts[person] + chosen
    return total


@njit(cache=True, nogil=True)
def _place_by_stretches(rows: HistoryRows, others: NDArray[np.int64], person: int) -> tuple[NDArray[np.int64], float]:
    """Return good rows of a person for all slots, and what these cost then.

    Everybody's rows stand in the same order, equal categories together. Many slots are cut into stretches of that
    order, to each of which belongs as large a part of the person's rows: the work then grows with the rows, not with
    their square.
    """
    slots, low = others.shape[1], int(rows.starts[person])
    count = int(rows.starts[person + 1]) - low
    pieces = -(-slots // STRETCH)
    order = np.arange(slots)
    if pieces > 1:
        order = np.argsort(others[0], kind="mergesort")
    chosen, total = np.empty(slots, dtype=np.int64), 0.0
    for piece in range(pieces):
        first, last = piece * slots // pieces, (piece + 1) * slots // pieces
        start, end = first * count // slots, last * count // slots
        stretch = order[first:last]
        cost = _build_stretch_matrix(rows, others[:, stretch], low + start, low + end)
        columns, more = bid_for_columns(cost, rows.tolerance)
        chosen[stretch] = start + columns
        total += more
    return chosen, total
