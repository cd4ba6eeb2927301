"""Boxes: a safe pattern without any linear program, for a start on tables that are large or have many dimensions.

A primary is protected by one box (:mod:`sekisho.tables.model.axes`) through it, all of whose corners are hidden and
have room: the box moves it up by the least room on the way up, down by the least on the way down. First each primary
takes the box that hides the least in addition; then, again and again, a hidden cell is given up, the primaries that
relied on it choose anew, and the outcome is kept if it is not dearer.

Source: the hypercube method of Repsilber (1994) and Giessing and Repsilber (2002); giving up and choosing anew is the
large neighbourhood search of Schrimpf et al. (2000).
"""

from __future__ import annotations

from dataclasses import replace
from math import ceil
from time import monotonic
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sekisho.kernels import njit
from sekisho.tables.audit.attacker import room
from sekisho.tables.audit.deviation import Point
from sekisho.tables.audit.survey import AuditSurvey, Needs
from sekisho.tables.model.axes import Axes, Ints, strides
from sekisho.tables.model.table import Floats, Mask, Status, Table

BOXES = 20_000
CORNERS = 512
ROUND = 200
CROWD = 24


class Moves(NamedTuple):
    """All moves, packed.

    Those of axis a's code c are ``options[b]`` to ``options[b + 1]`` with ``b = base[a] + c``, and so on.
    """

    base: Ints
    options: Ints
    slots: Ints
    offset: Ints
    sign: Ints


class Cells(NamedTuple):
    """What the search knows of cells.

    Where each place of the product is, how far each may move, and what hiding it costs.
    """

    cell: Ints
    up: Floats
    down: Floats
    price: Floats


class Goals(NamedTuple):
    """The primaries' codes and levels."""

    codes: Ints
    lower: Floats
    upper: Floats
    sliding: Floats


class Held(NamedTuple):
    """Each primary's box (cells and signs, -1 and 0 behind them) and how many boxes use each cell."""

    corners: Ints
    signs: Ints
    use: Ints


class Boxer:
    """Finds patterns of boxes for one table: the pattern is safe for every primary that has a box."""

    def __init__(self, table: Table, axes: Axes) -> None:
        self.table, self.needs = table, Needs.of(table)
        down, up = room(table)
        price = np.where(table.status == Status.PUBLISH, np.inf, table.weight)
        price[table.suppressed] = 0.0
        self._cells = Cells(axes.cell, up, down, price)
        self._moves = pack_boxes(axes, self.needs.cells)
        needs = self.needs
        self._goals = Goals(axes.codes[needs.cells], needs.lower, needs.upper, needs.sliding)
        shape = (len(needs.cells), CORNERS if len(axes.shape) > 2 else CORNERS // 4)
        self.held = Held(
            np.full(shape, -1, dtype=np.int64), np.zeros(shape, dtype=np.int64), np.zeros(len(table), dtype=np.int64)
        )
        self._seed = 1

    @property
    def secondary(self) -> Mask:
        """The cells that the boxes hide in addition."""
        return (self.held.use > 0) & ~self.table.suppressed

    def survey(self) -> AuditSurvey:
        """Return what the boxes show of the primaries."""
        out = AuditSurvey(self.needs)
        for place, corners in enumerate(self.held.corners):
            box = corners[corners >= 0]
            if box.size:
                along = self.held.signs[place, : len(box)] > 0
                out.up[place] = np.where(along, self._cells.up[box], self._cells.down[box]).min()
                out.down[place] = np.where(along, self._cells.down[box], self._cells.up[box]).min()
                out.up_point[place] = out.down_point[place] = len(out.used)
                out.used.append(np.sort(box))
        return out

    @property
    def complete(self) -> bool:
        """Whether every primary has a box."""
        return bool((self.held.corners[:, 0] >= 0).all())

    def begin(self, *, until: float) -> None:
        """Give each primary in turn the box that hides the least in addition, the highest levels first.

        Stop when late.
        """
        for place in np.argsort(-self.needs.most, kind="stable").tolist():
            if monotonic() > until:
                break
            _choose(place, self._moves, self._cells, self._goals, self.held)

    def improve(self, *, rounds: int, until: float) -> None:
        """Give up and choose anew, so many rounds or until the time is over."""
        for _ in range(rounds):
            if monotonic() > until:
                break
            self._seed = _improve(self._seed, ROUND, self._moves, self._cells, self._goals, self.held)


def list_box_points(table: Table) -> list[Point]:
    """Return whole tables that nobody can exclude, one or two for each primary that has a box in the table's pattern.

    They need no program. None where cells or their bounds are not whole, or the table is no product of codes.
    """
    axes, needs = Axes.of(table), Needs.of(table)
    down, up = room(table)
    both = np.concatenate([down[table.suppressed], up[table.suppressed]])
    finite = both[np.isfinite(both)]
    if axes is None or not needs.cells.size or np.any(finite != np.rint(finite)):
        return []
    shown = np.where(table.status == Status.SAFE, np.int8(Status.PUBLISH), table.status)
    boxer = Boxer(replace(table, status=shown), axes)
    boxer.begin(until=np.inf)
    points: list[Point] = []
    for number, corners in enumerate(boxer.held.corners):
        box = corners[corners >= 0]
        if box.size:
            along = boxer.held.signs[number, : len(box)]
            far_up = float(np.where(along > 0, up[box], down[box]).min())
            far_down = float(np.where(along > 0, down[box], up[box]).min())
            rises, falls, width = needs.upper[number], needs.lower[number], needs.sliding[number]
            if far_up >= width:
                rises = max(rises, width)
            else:
                falls = max(falls, width)
            for level, far, way in ((rises, far_up, 1), (falls, far_down, -1)):
                if 0 < ceil(level) <= far:
                    points.append(_make_point(box, way * ceil(level) * along))
    return points


def _make_point(cells: Ints, moves: Ints) -> Point:
    order = np.argsort(cells)
    return Point(cells=tuple(cells[order].tolist()), moves=tuple(moves[order].tolist()), denominator=1)


def pack_boxes(axes: Axes, cells: NDArray[np.intp]) -> Moves:
    """Return the moves of every code that some of the cells have."""
    most = max(2, int(BOXES ** (1 / len(axes.shape))))
    step = strides(axes.shape)
    base = np.cumsum([0, *axes.shape])[:-1]
    options, slots, offsets, signs = [0], [0], [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    for axis, size in enumerate(axes.shape):
        used = set(axes.codes[cells, axis].tolist())
        for code in range(size):
            moves = axes.moves(axis, code, most) if code in used else []
            for move in moves:
                touched = np.flatnonzero(move)
                offsets.append(touched * step[axis])
                signs.append(move[touched])
                slots.append(slots[-1] + len(touched))
            options.append(options[-1] + len(moves))
    return Moves(base, np.array(options), np.array(slots), np.concatenate(offsets), np.concatenate(signs))


@njit(cache=True, nogil=True)
def _drop(place: int, cells: Cells, held: Held) -> float:
    """Take a primary's box away; return the price of what need not be hidden any more."""
    freed = 0.0
    for at in range(held.corners.shape[1]):
        cell = held.corners[place, at]
        if cell < 0:
            break
        held.use[cell] -= 1
        held.corners[place, at] = -1
        if held.use[cell] == 0:
            freed += float(cells.price[cell])
    return freed


@njit(cache=True, nogil=True)
def _choose(place: int, moves: Moves, cells: Cells, goals: Goals, held: Held) -> float:
    """Give a primary the box that hides the least in addition; return what that costs, infinity if it has no box."""
    axes, widest = goals.codes.shape[1], held.corners.shape[1]
    at, first, last = np.zeros(axes, np.int64), np.zeros(axes, np.int64), np.zeros(axes, np.int64)
    for axis in range(axes):
        code = moves.base[axis] + goals.codes[place, axis]
        first[axis], last[axis] = moves.options[code], moves.options[code + 1]
        at[axis] = first[axis]
    offset, sign = np.zeros((axes + 1, widest), np.int64), np.ones((axes + 1, widest), np.int64)
    count = np.ones(axes + 1, np.int64)
    best, kept, changed = np.inf, 0, 0
    box, ways = np.zeros(widest, np.int64), np.zeros(widest, np.int64)
    while changed >= 0:
        for axis in range(changed, axes):
            _extend(axis, at[axis], moves, offset, sign, count)
        cost = _cost(place, offset[axes, : count[axes]], sign[axes], best, cells, goals, held)
        if cost < best:
            best, kept = cost, count[axes]
            box[:kept], ways[:kept] = offset[axes, :kept], sign[axes, :kept]
        changed = _advance(at, first, last)
    for corner in range(kept):
        cell = cells.cell[box[corner]]
        held.corners[place, corner], held.signs[place, corner] = cell, ways[corner]
        held.use[cell] += 1
    return best


@njit(cache=True, nogil=True)
def _cost(place: int, box: Ints, sign: Ints, best: float, cells: Cells, goals: Goals, held: Held) -> float:
    """Return what a box hides in addition.

    Infinity if it does not protect the primary or is no better than the best.
    """
    cost, far_up, far_down = 0.0, np.inf, np.inf
    for corner in range(len(box)):
        cell = cells.cell[box[corner]]
        if held.use[cell] == 0:
            cost += float(cells.price[cell])
        along = sign[corner] > 0
        far_up = min(far_up, cells.up[cell] if along else cells.down[cell])
        far_down = min(far_down, cells.down[cell] if along else cells.up[cell])
        # one way alone must give the width, so that whoever thins the pattern out can aim at one end
        if cost >= best or max(far_up, far_down) < goals.sliding[place]:
            return np.inf
    enough = len(box) > 0 and far_up >= goals.upper[place] and far_down >= goals.lower[place]
    return cost if enough else np.inf


@njit(cache=True, nogil=True)
def _extend(axis: int, option: int, moves: Moves, offset: Ints, sign: Ints, count: Ints) -> None:
    """Multiply the corners so far by a move along the next axis; none if they would be too many."""
    made = 0
    begin, end = moves.slots[option], moves.slots[option + 1]
    if count[axis] * (end - begin) <= offset.shape[1]:
        for old in range(count[axis]):
            for slot in range(begin, end):
                offset[axis + 1, made] = offset[axis, old] + moves.offset[slot]
                sign[axis + 1, made] = sign[axis, old] * moves.sign[slot]
                made += 1
    count[axis + 1] = made


@njit(cache=True, nogil=True)
def _advance(at: Ints, first: Ints, last: Ints) -> int:
    """Go to the next choice of moves; return the first axis that changed, -1 at the end."""
    axis = len(at) - 1
    while axis >= 0:
        at[axis] += 1
        if at[axis] < last[axis]:
            return axis
        at[axis] = first[axis]
        axis -= 1
    return -1


@njit(cache=True, nogil=True)
def _next(seed: int) -> int:
    """Return the next of a fixed row of numbers, so that the same table always has the same pattern."""
    return (seed * 1103515245 + 12345) % 2147483648


@njit(cache=True, nogil=True)
def _improve(seed: int, turns: int, moves: Moves, cells: Cells, goals: Goals, held: Held) -> int:
    """Give up a cell, let its primaries choose anew, and keep what is not dearer; return the seed for the next call."""
    primaries, widest = held.corners.shape
    users = np.zeros(CROWD, np.int64)
    old, signs = np.zeros((CROWD, widest), np.int64), np.zeros((CROWD, widest), np.int64)
    for _ in range(turns):
        seed = _next(seed)
        place = (seed >> 8) % primaries
        length = int((held.corners[place] >= 0).sum())
        seed = _next(seed)
        cell = held.corners[place, (seed >> 8) % max(length, 1)]
        if length == 0 or cells.price[cell] <= 0 or held.use[cell] > CROWD:
            continue
        found = _users(cell, held, users)
        before, after = 0.0, 0.0
        for at in range(found):
            old[at], signs[at] = held.corners[users[at]], held.signs[users[at]]
            before += _drop(users[at], cells, held)
        price = cells.price[cell]
        cells.price[cell] = np.inf
        for at in range(found):
            after += _choose(users[(at + seed) % found], moves, cells, goals, held)
            if after > before + 1e-9:
                break
        cells.price[cell] = price
        if after > before + 1e-9:
            for at in range(found):
                _drop(users[at], cells, held)
            for at in range(found):
                _restore(users[at], old[at], signs[at], held)
    return seed


@njit(cache=True, nogil=True)
def _restore(place: int, corners: Ints, signs: Ints, held: Held) -> None:
    """Give a primary its former box back."""
    held.corners[place], held.signs[place] = corners, signs
    for cell in corners:
        if cell < 0:
            break
        held.use[cell] += 1


@njit(cache=True, nogil=True)
def _users(cell: int, held: Held, users: Ints) -> int:
    """List the primaries whose box has this cell; return how many they are."""
    found = 0
    for place in range(held.corners.shape[0]):
        for at in range(held.corners.shape[1]):
            if held.corners[place, at] < 0:
                break
            if held.corners[place, at] == cell and found < len(users):
                users[found] = place
                found += 1
                break
    return found
