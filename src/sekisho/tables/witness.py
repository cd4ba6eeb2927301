"""Witnesses: for every primary, tables that an attacker cannot exclude and that lie as far from the truth as its levels ask.

A witness is a deviation that keeps every equation, moves hidden cells only and stays inside the attacker's bounds. The smallest ones
are sought, ``min sum |d|`` with the primary's move given: they move few cells, by whole numbers nearly always, and one often speaks
for other primaries too. Each is turned into whole numbers over a denominator, and kept only if it then keeps the equations exactly.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, lcm

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, hstack

from sekisho.tables.attacker import DOWN, UP, room
from sekisho.tables.solver import Program, Verdict
from sekisho.tables.survey import Needs
from sekisho.tables.table import Floats, Table

FINEST = (1, 60, 5040, 10**6, 10**9)
"""Up to which denominators the numbers of a witness are tried, the simplest first."""
NEAR = (250, 1000)
"""Among how many of the nearest hidden cells a witness is sought before all of them are."""
STILL = 1e-9
SLACK = 1e-6


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """A deviation: the cells that move, and by how many parts of the denominator."""

    cells: tuple[int, ...]
    moves: tuple[int, ...]
    denominator: int

    def as_dict(self) -> dict[str, object]:
        """Return the deviation as plain data for JSON."""
        return {"denominator": self.denominator, "cells": list(self.cells), "moves": list(self.moves)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Witness:
    """The points that speak for one primary, by their number; None where no move that way is needed."""

    cell: int
    down: int | None
    up: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """All points, and which of them speak for each primary; ``lacking`` are the primaries for which none was found."""

    points: tuple[Point, ...]
    witnesses: tuple[Witness, ...]
    lacking: tuple[int, ...]


def evidence(table: Table) -> Evidence:
    """Return witnesses for every primary of a table's pattern."""
    return _Gatherer(table).gathered()


class _Gatherer:
    """Asks primary by primary, and only where the points found so far do not say enough."""

    def __init__(self, table: Table) -> None:
        self._needs = Needs.of(table)
        self._near = _Neighbourhood(table)
        self._place = {int(cell): at for at, cell in enumerate(self._needs.cells)}
        count = len(self._needs.cells)
        self._far = {UP: np.zeros(count), DOWN: np.zeros(count)}
        self._by = {UP: np.full(count, -1), DOWN: np.full(count, -1)}
        self._points: list[Point] = []

    def gathered(self) -> Evidence:
        for at in range(len(self._needs.cells)):
            self._settle(at)
        cells = self._needs.cells.tolist()
        said = zip(cells, self._by[DOWN].tolist(), self._by[UP].tolist(), strict=True)
        return Evidence(
            points=tuple(self._points),
            witnesses=tuple(
                Witness(cell=cell, down=down if down >= 0 else None, up=up if up >= 0 else None)
                for cell, down, up in said
            ),
            lacking=tuple(cells[at] for at in np.flatnonzero(~self._met())),
        )

    def _met(self) -> NDArray[np.bool_]:
        return self._needs.met(self._far[DOWN], self._far[UP])

    def _settle(self, at: int) -> None:
        """Move one primary up as far as it needs, or as far as it can, and down by what is missing."""
        needs = self._needs
        lower, upper, sliding = (float(levels[at]) for levels in (needs.lower, needs.upper, needs.sliding))
        for way, others in ((UP, lower), (DOWN, upper)):
            if self._met()[at]:
                return
            least = upper if way == UP else lower
            beyond = sliding - max(others, float(self._far[-way][at]))
            self._see(self._near.move(int(needs.cells[at]), way, max(least, beyond)))

    def _see(self, point: Point | None) -> None:
        if point is None:
            return
        for cell, move in zip(point.cells, point.moves, strict=True):
            at, far, way = self._place.get(cell), abs(move) / point.denominator, UP if move > 0 else DOWN
            if at is not None and far > self._far[way][at]:
                self._far[way][at], self._by[way][at] = far, len(self._points)
        self._points.append(point)


class _Neighbourhood:
    """Looks for a deviation among the hidden cells near a primary, then among more, then among all."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._cells = np.flatnonzero(table.suppressed)
        part = csr_array(table.matrix.tocsc()[:, self._cells].tocsr())
        self._rows = csr_array(part[np.flatnonzero(np.diff(part.indptr))])
        self._columns = self._rows.tocsc()
        self._unit = 10 ** _decimals(table)

    @cached_property
    def _all(self) -> _Mover:
        return _Mover(self._table, self._cells, self._rows, self._unit)

    def move(self, cell: int, way: int, far: float) -> Point | None:
        """Return a deviation that moves a cell so far, or as far as it can go if that is less."""
        # a level is rounded up to the unit of the values: a witness may say more than is asked
        wanted = ceil(far * self._unit - SLACK) / self._unit
        for size in NEAR:
            if size < len(self._cells):
                near = self._around(int(np.searchsorted(self._cells, cell)), size)
                part = csr_array(self._columns[:, near].tocsr())
                mover = _Mover(
                    self._table, self._cells[near], csr_array(part[np.flatnonzero(np.diff(part.indptr))]), self._unit
                )
                point = mover.moved(cell, way, wanted)
                if point is not None:
                    return point
        return self._all.moved(cell, way, wanted) or self._all.furthest(cell, way, wanted)

    def _around(self, start: int, size: int) -> NDArray[np.int64]:
        """Return hidden cells by their distance in equations from one of them, at least so many unless there are fewer."""
        rows, columns = self._rows, self._columns
        found, crossed, at = {start: None}, set[int](), 0
        order = [start]
        while at < len(order) and len(order) < size:
            for row in columns.indices[columns.indptr[order[at]] : columns.indptr[order[at] + 1]].tolist():
                if row not in crossed:
                    crossed.add(row)
                    fresh = [
                        each
                        for each in rows.indices[rows.indptr[row] : rows.indptr[row + 1]].tolist()
                        if each not in found
                    ]
                    found |= dict.fromkeys(fresh)
                    order += fresh
            at += 1
        return np.sort(np.array(order, dtype=np.int64))


class _Mover:
    """A loaded program for the smallest deviation of some hidden cells; a cell's moves up and down are two columns."""

    def __init__(self, table: Table, cells: NDArray[np.intp], rows: csr_array, unit: int) -> None:
        self._cells, self._rows, self._unit = cells, rows, unit
        down, up = room(table)
        self._room = np.concatenate([up[cells], down[cells]])
        still = np.zeros(rows.shape[0])
        self._program = Program(
            cost=np.ones(len(self._room)),
            lower=np.zeros(len(self._room)),
            upper=self._room,
            rows=csr_array(hstack([rows, -rows])),
            row_lower=still,
            row_upper=still,
        )

    def moved(self, cell: int, way: int, far: float) -> Point | None:
        """Return a deviation that moves a cell just so far."""
        return self._found(self._columns(cell, way), far, far)

    def furthest(self, cell: int, way: int, far: float) -> Point | None:
        """Return a deviation that moves a cell as far as it can go, but no further than this."""
        there, back = self._columns(cell, way)
        # far before small: a unit of the primary's move is worth more than all that others may have to move for it
        self._program.charge([there], [-4.0 * len(self._cells)])
        point = self._found((there, back), 0.0, min(far, float(self._room[there])))
        self._program.charge([there], [1.0])
        return point

    def _columns(self, cell: int, way: int) -> tuple[int, int]:
        up = int(np.searchsorted(self._cells, cell))
        return (up, up + len(self._cells)) if way == UP else (up + len(self._cells), up)

    def _found(self, columns: tuple[int, int], least: float, most: float) -> Point | None:
        both = np.array(columns)
        if most > self._room[both[0]]:
            return None
        self._program.bound(both, np.array([least, 0.0]), np.array([most, 0.0]))
        solution = self._program.solve()
        self._program.bound(both, np.zeros(2), self._room[both])
        if solution.verdict is not Verdict.OPTIMAL:
            return None
        count = len(self._cells)
        return self._exact(solution.x[:count] - solution.x[count:])

    def _exact(self, moves: Floats) -> Point | None:
        """Return a deviation in whole numbers over a denominator, if one keeps the equations exactly."""
        moved = np.flatnonzero(np.abs(moves) > STILL)
        for wholes, denominator in _rationals(moves[moved], self._unit):
            column = np.zeros(len(moves), dtype=object)
            column[moved] = wholes
            if not self._breaks(column):
                kept = [(int(cell), by) for cell, by in zip(self._cells[moved], wholes, strict=True) if by]
                return Point(
                    cells=tuple(cell for cell, _ in kept),
                    moves=tuple(by for _, by in kept),
                    denominator=denominator,
                )
        return None

    def _breaks(self, column: NDArray[np.object_]) -> bool:
        part = self._rows
        hit = np.flatnonzero(column[part.indices] != 0)
        rows = np.searchsorted(part.indptr, hit, side="right") - 1
        sums: dict[int, int] = {}
        for at, row in zip(hit.tolist(), rows.tolist(), strict=True):
            sums[row] = sums.get(row, 0) + int(part.data[at]) * int(column[part.indices[at]])
        return any(sums.values())


def _rationals(values: Floats, unit: int) -> Iterator[tuple[list[int], int]]:
    """Yield values as whole numbers over a common denominator, finer and finer: corners of a table's polytope are simple fractions."""
    for finest in FINEST:
        near = [Fraction(value * unit).limit_denominator(finest) for value in values.tolist()]
        denominator = lcm(*(each.denominator for each in near)) if near else 1
        yield [int(each * denominator) for each in near], denominator * unit


def _decimals(table: Table) -> int:
    """Return how many decimals the values have, at most six."""
    for places in range(6):
        scaled = table.value * 10**places
        if np.all(np.abs(scaled - np.rint(scaled)) <= 1e-9 * np.maximum(1.0, np.abs(scaled))):
            return places
    return 6
