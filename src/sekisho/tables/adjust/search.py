"""The least adjustment of a table: every unsafe cell away from its value by a level, up or down, all adding up.

``x = a + d`` is shown, ``A d = 0``, within the bounds of every cell. Each unsafe cell moves up by at least ``up_i`` or
down by at least ``down_i``; which, is a whole variable ``y``. ``sum_i w_i |d_i|`` is made least, ``w = 1 / a`` unless
said: the relative change, which is also by far the easier program. Of an unsafe cell ``d = up y - down (1 - y) + e+ -
e-`` with ``e+ <= M y`` and ``e- <= M (1 - y)``: what goes beyond the level is counted by itself. ``M`` is several times
the level; whether it stops a cell is looked at.

A first adjustment takes the senses that the linear program prefers. Then neighbourhoods are solved to the end one after
the other: all cells of a few layers of one dimension and their totals are free, all others stay. At last the whole
program is given to the solver with the best adjustment, for what time is left: its bound is the one that is told.

Source: Cox, Kelly and Patil, "Balancing quality and confidentiality for multivariate tabular data", PSD 2004; Castro,
"Minimum-distance controlled perturbation methods for large-scale tabular data protection", EJOR 171 (2006).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import inf
from time import monotonic

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, hstack, vstack

from sekisho.errors import InfeasibleError
from sekisho.tables.model.table import Floats, Mask, Table
from sekisho.tables.solvers.highs import Program, Solution, SolveStatus
from sekisho.words import Said

ENOUGH = 1e-6
"""The relative gap at which an adjustment counts as the least."""
TIMES, MORE = 4.0, 10.0
"""``M`` is so many times the level and so much more; then several times that."""
BINDS = 1 - 1e-6
HALF, STILL = 0.5, 1e-9
FIRST, LAYERS = 0.2, 2
"""The part of the time that neighbourhoods get, and how many layers are free at a time."""
FEW = 60
"""Up to so many unsafe cells the whole program needs no neighbourhoods before it."""
IDLE = 60
"""After so many neighbourhoods without a gain they end."""
SHORT = 5.0
"""Seconds that one neighbourhood gets at most."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AdjustProblem:
    """What is to be adjusted.

    Attributes:
        table: with its true values.
        unsafe: the cells that must move.
        down: by how much at least, if down.
        up: by how much at least, if up.
        weight: what a change by one costs, per cell.
        limit: ``M`` of each unsafe cell: how far beyond its level it may go.
    """

    table: Table
    unsafe: NDArray[np.intp]
    down: Floats
    up: Floats
    weight: Floats
    limit: Floats

    @property
    def lowest(self) -> Floats:
        """How far down each cell may move."""
        fixed = self.table.status == 3
        return np.where(fixed, 0.0, self.table.value - self.table.lower)

    @property
    def highest(self) -> Floats:
        """How far up."""
        fixed = self.table.status == 3
        return np.where(fixed, 0.0, self.table.upper - self.table.value)

    def cost(self, moves: Floats) -> float:
        """Return what changes cost."""
        return float(self.weight @ np.abs(moves))

    def binds(self, moves: Floats) -> bool:
        """Tell whether ``M`` stops an unsafe cell."""
        rising, far = moves[self.unsafe] > 0, np.abs(moves[self.unsafe])
        beyond = far - np.where(rising, self.up, self.down)
        bounds = np.where(rising, self.highest[self.unsafe], self.lowest[self.unsafe])
        return bool(np.any((beyond >= BINDS * self.limit) & (far < bounds * BINDS)))

    def program(self, free: Mask, moves: Floats, senses: Mask | None = None) -> tuple[Program, NDArray[np.intp]]:
        """Return the program of some cells, the others staying where they are, and the columns of the senses.

        Args:
            free: the cells that may move otherwise.
            moves: where all are.
            senses: of the unsafe cells, up or down, where they are given; all cells must then be free.
        """
        cells = np.flatnonzero(free)
        held = np.flatnonzero(free[self.unsafe])
        own, count, whole = np.searchsorted(cells, self.unsafe[held]), len(cells), len(held)
        up, down, limit = self.up[held], self.down[held], self.limit[held]
        matrix = csr_array(self.table.matrix.tocsc()[:, cells].tocsr())
        rows = np.flatnonzero(np.diff(matrix.indptr))
        matrix = csr_array(matrix[rows])
        levels = csr_array(matrix.tocsc()[:, own].tocsr())
        right = levels @ down - (self.table.matrix @ np.where(free, 0.0, moves))[rows]
        lines = np.arange(whole)
        pick = csr_array((np.ones(whole), (lines, own)), shape=(whole, count))
        nothing = csr_array((whole, count))
        blocks = [
            hstack([matrix, -matrix, levels @ _diagonal(up + down)]),
            hstack([pick, nothing, _diagonal(-limit)]),
            hstack([nothing, pick, _diagonal(limit)]),
        ]
        highest, lowest = self.highest[cells], self.lowest[cells]
        lower = np.zeros(2 * count + whole)
        lower[2 * count :] = lowest[own] < down  # it can only go up
        upper = np.concatenate([highest, lowest, (highest[own] >= up).astype(np.float64)])
        upper[own], upper[count + own] = np.maximum(0.0, highest[own] - up), np.maximum(0.0, lowest[own] - down)
        if senses is not None:
            lower[2 * count :] = upper[2 * count :] = senses[held].astype(np.float64)
        kinds = np.zeros(len(lower), dtype=np.bool_)
        kinds[2 * count :] = True
        weight = self.weight[cells]
        program = Program(
            cost=np.concatenate([weight, weight, weight[own] * (up - down)]),
            lower=lower,
            upper=upper,
            rows=csr_array(vstack(blocks)),
            row_lower=np.concatenate([right, np.full(2 * whole, -inf)]),
            row_upper=np.concatenate([right, np.zeros(whole), limit]),
            whole=kinds if senses is None else None,
        )
        return program, cells

    def price(self, cells: NDArray[np.intp]) -> float:
        """Return what the programs of some cells leave out of their cost: the levels down of unsafe ones."""
        held = np.isin(self.unsafe, cells)
        return float(self.weight[self.unsafe[held]] @ self.down[held])

    def start(self, moves: Floats) -> Floats:
        """Return moves of all cells as a point of their program."""
        senses = moves[self.unsafe] > 0
        beyond = moves.copy()
        beyond[self.unsafe] -= np.where(senses, self.up, -self.down)
        return np.concatenate([np.maximum(beyond, 0.0), np.maximum(-beyond, 0.0), senses.astype(np.float64)])

    def read(self, solution: Solution, cells: NDArray[np.intp], moves: Floats) -> Floats:
        """Return where all cells are after some moved."""
        count, held = len(cells), np.flatnonzero(np.isin(self.unsafe, cells))
        moved = moves.copy()
        moved[cells] = solution.x[:count] - solution.x[count : 2 * count]
        senses = solution.x[2 * count :] > HALF
        moved[self.unsafe[held]] += np.where(senses, self.up[held], -self.down[held])
        moved[np.abs(moved) < STILL] = 0.0
        return moved


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AdjustStep:
    """How far the search has come.

    Attributes:
        moves: of every cell, the best so far.
        cost: of them.
        bound: no adjustment costs less, as far as the solver says.
        dual: of the equations, of the linear program.
        stage: what was done.
    """

    moves: Floats
    cost: float
    bound: float
    dual: Floats
    stage: str

    @property
    def gap(self) -> float:
        """The relative gap."""
        return (self.cost - self.bound) / self.cost if self.cost > 0 else 0.0

    @property
    def optimal(self) -> bool:
        """Whether the adjustment is the least, but for the solver's tolerance."""
        return self.gap <= ENOUGH


class AdjustSearch:
    """The search for the least adjustment of one table."""

    def __init__(self, problem: AdjustProblem, *, rng: np.random.Generator) -> None:
        self.problem, self._rng = problem, rng
        self._codes: list[tuple[NDArray[np.intp], int]] = []
        for axis, margin in enumerate(problem.table.margins):
            names, codes = np.unique([key[axis] for key in problem.table.keys], return_inverse=True)
            self._codes.append((codes, int(np.searchsorted(names, margin))))

    def steps(self, *, seconds: float | None = None) -> Iterator[AdjustStep]:
        """Give the best adjustment after each stage; the last is what there is.

        Raises:
            InfeasibleError: there is none.
        """
        start = monotonic()
        until = inf if seconds is None else start + seconds
        relaxed, dual, bound = self._relax()
        moves = self._fix_senses(relaxed)
        step = AdjustStep(moves=moves, cost=self.problem.cost(moves), bound=bound, dual=dual, stage="senses")
        yield step
        if step.optimal:
            return
        if len(self.problem.unsafe) > FEW:
            share = 10.0 if seconds is None else FIRST * seconds
            moves = self._improve(moves, min(until, start + share))
            step = replace(step, moves=moves, cost=self.problem.cost(moves), stage="neighbourhoods")
            yield step
        yield self._finish(step, until)

    def _relax(self) -> tuple[Floats, Floats, float]:
        """Return the senses that the linear program prefers, its multipliers and its value."""
        everything = np.ones(len(self.problem.table), dtype=np.bool_)
        still = np.zeros(len(self.problem.table))
        whole = np.zeros(len(self.problem.unsafe))
        program, cells = self.problem.program(everything, still, whole > 0)
        count = 2 * len(cells)
        places = np.arange(count, count + len(whole))
        highest, lowest = self.problem.highest[self.problem.unsafe], self.problem.lowest[self.problem.unsafe]
        program.bound(
            places, (lowest < self.problem.down).astype(np.float64), (highest >= self.problem.up).astype(np.float64)
        )
        solution = program.solve()
        if solution.status is not SolveStatus.OPTIMAL:
            raise InfeasibleError(Said("no adjustment moves every unsafe cell by its level and adds up"))
        dual = np.zeros(self.problem.table.matrix.shape[0])
        rows = np.flatnonzero(np.diff(self.problem.table.matrix.indptr))
        dual[rows] = solution.dual[: len(rows)]
        return solution.x[count:], dual, solution.objective + self.problem.price(cells)

    def _fix_senses(self, preferred: Floats) -> Floats:
        """Return the least adjustment with the senses that a linear program prefers; if there is none, any."""
        everything = np.ones(len(self.problem.table), dtype=np.bool_)
        still = np.zeros(len(self.problem.table))
        program, cells = self.problem.program(everything, still, preferred >= 0.5)
        solution = program.solve()
        if solution.status is SolveStatus.OPTIMAL:
            return self.problem.read(solution, cells, still)
        program, cells = self.problem.program(everything, still)
        program.limit(gap=0.5)
        solution = program.solve()
        if not solution.x.size:
            raise InfeasibleError(Said("no adjustment moves every unsafe cell by its level and adds up"))
        return self.problem.read(solution, cells, still)

    def _improve(self, moves: Floats, until: float) -> Floats:
        """Return a cheaper adjustment by neighbourhoods, each solved to the end."""
        idle = 0
        while idle < IDLE and monotonic() < until:
            free = self._choose_layers()
            if not np.any(free[self.problem.unsafe]):
                idle += 1
                continue
            program, cells = self.problem.program(free, moves)
            program.limit(seconds=min(SHORT, max(0.1, until - monotonic())))
            solution = program.solve()
            before = self.problem.cost(moves)
            if (
                solution.x.size
                and solution.objective < self.problem.weight[cells] @ np.abs(moves[cells]) - 1e-9 * before
            ):
                moves, idle = self.problem.read(solution, cells, moves), 0
            else:
                idle += 1
        return moves

    def _choose_layers(self) -> Mask:
        """Return the cells of some layers of one dimension, and those of its margin."""
        codes, margin = self._codes[int(self._rng.integers(len(self._codes)))]
        chosen = self._rng.choice(int(codes.max()) + 1, min(LAYERS, int(codes.max()) + 1), replace=False)
        return np.isin(codes, chosen) | (codes == margin)

    def _finish(self, step: AdjustStep, until: float) -> AdjustStep:
        """Return what the solver makes of the whole program, starting from the best adjustment."""
        everything = np.ones(len(self.problem.table), dtype=np.bool_)
        program, cells = self.problem.program(everything, step.moves)
        program.start(self.problem.start(step.moves))
        program.limit(gap=ENOUGH)
        if np.isfinite(until):
            program.limit(seconds=max(0.5, until - monotonic()))
        solution = program.solve()
        tried = self.problem.read(solution, cells, step.moves) if solution.x.size else step.moves
        moves = tried if self.problem.cost(tried) < step.cost else step.moves
        proven = solution.bound + self.problem.price(cells)
        cost = self.problem.cost(moves)
        bound = max(step.bound, proven) if np.isfinite(proven) else step.bound
        return replace(step, moves=moves, cost=cost, bound=min(bound, cost), stage="whole")


def _diagonal(values: Floats) -> csr_array:
    return csr_array((values, (np.arange(len(values)), np.arange(len(values)))), shape=(len(values), len(values)))
