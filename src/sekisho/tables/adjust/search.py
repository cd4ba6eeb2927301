"""The least adjustment of a table: every unsafe cell away from its value by a level, up or down, all adding up.

``x = a + d`` is shown, ``A d = 0``, within the bounds of every cell. Each unsafe cell moves up by at least ``up_i`` or
down by at least ``down_i``; which, is a whole variable. ``sum_i w_i |d_i|`` is made least, ``w = 1 / a`` unless said: the
relative change, which is also by far the easier program. ``d = d+ - d-``, and for an unsafe cell with sense ``y``:
``up y <= d+ <= M y`` and ``down (1 - y) <= d- <= M (1 - y)``. ``M`` is several times the level; a solution in which it
binds is solved again with a larger one.

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
GROW = 8.0
BINDS = 1 - 1e-6
FIRST, LAYERS = 0.35, 2
"""The part of the time that neighbourhoods get, and how many layers are free at a time."""
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
        limit: ``M`` of each unsafe cell.
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
        far = np.abs(moves[self.unsafe])
        bounds = np.where(moves[self.unsafe] > 0, self.highest[self.unsafe], self.lowest[self.unsafe])
        return bool(np.any((far >= BINDS * self.limit) & (far < bounds * BINDS)))

    def program(self, free: Mask, moves: Floats, senses: Mask | None = None) -> tuple[Program, NDArray[np.intp]]:
        """Return the program of some cells, the others staying where they are, and the columns of the senses.

        Args:
            free: the cells that may move otherwise.
            moves: where all are.
            senses: of the unsafe cells, up or down, where they are given; all cells must then be free.
        """
        cells = np.flatnonzero(free)
        place = np.full(len(self.table), -1)
        place[cells] = np.arange(len(cells))
        held = np.flatnonzero(free[self.unsafe])
        own = place[self.unsafe[held]]
        count, whole = len(cells), len(held)
        matrix = csr_array(self.table.matrix.tocsc()[:, cells].tocsr())
        rows = np.flatnonzero(np.diff(matrix.indptr))
        matrix = csr_array(matrix[rows])
        still = np.where(free, 0.0, moves)
        right = -(self.table.matrix @ still)[rows]
        lines, identity = np.arange(whole), np.ones(whole)
        pick = csr_array((identity, (lines, own)), shape=(whole, count))
        nothing, empty = csr_array((whole, count)), csr_array((len(rows), whole))
        limit, up, down = self.limit[held], self.up[held], self.down[held]
        senses_of = [csr_array((-each, (lines, lines)), shape=(whole, whole)) for each in (up, limit, -down, -limit)]
        blocks = [
            hstack([matrix, -matrix, empty]),
            hstack([pick, nothing, senses_of[0]]),
            hstack([pick, nothing, senses_of[1]]),
            hstack([nothing, pick, senses_of[2]]),
            hstack([nothing, pick, senses_of[3]]),
        ]
        unlimited = np.full(whole, inf)
        lower = np.concatenate([np.zeros(2 * count), np.zeros(whole)])
        upper = np.concatenate([self.highest[cells], self.lowest[cells], np.ones(whole)])
        if senses is not None:
            lower[2 * count :] = upper[2 * count :] = senses[held].astype(np.float64)
        kinds = np.zeros(len(lower), dtype=np.bool_)
        kinds[2 * count :] = True
        program = Program(
            cost=np.concatenate([self.weight[cells], self.weight[cells], np.zeros(whole)]),
            lower=lower,
            upper=upper,
            rows=csr_array(vstack(blocks)),
            row_lower=np.concatenate([right, np.zeros(whole), -unlimited, down, -unlimited]),
            row_upper=np.concatenate([right, unlimited, np.zeros(whole), unlimited, limit]),
            whole=kinds if senses is None else None,
        )
        return program, cells

    def read(self, solution: Solution, cells: NDArray[np.intp], moves: Floats) -> Floats:
        """Return where all cells are after some moved."""
        moved = moves.copy()
        moved[cells] = solution.x[: len(cells)] - solution.x[len(cells) : 2 * len(cells)]
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
        program.bound(places, whole, np.ones(len(whole)))
        solution = program.solve()
        if solution.status is not SolveStatus.OPTIMAL:
            raise InfeasibleError(Said("no adjustment moves every unsafe cell by its level and adds up"))
        dual = np.zeros(self.problem.table.matrix.shape[0])
        rows = np.flatnonzero(np.diff(self.problem.table.matrix.indptr))
        dual[rows] = solution.dual[: len(rows)]
        return solution.x[count:], dual, solution.objective

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
        """Return the cells of some layers of one dimension, and of all codes above them."""
        keys = self.problem.table.keys
        axis = int(self._rng.integers(len(self.problem.table.dims)))
        by_code = self._codes(axis)
        codes = list(by_code)
        free = np.zeros(len(keys), dtype=np.bool_)
        chosen = self._rng.choice(len(codes), min(LAYERS, len(codes)), replace=False)
        for place in chosen.tolist():
            free[by_code[codes[place]]] = True
        return free | self._totals(axis)

    def _codes(self, axis: int) -> dict[str, NDArray[np.intp]]:
        codes = np.array([key[axis] for key in self.problem.table.keys])
        return {code: np.flatnonzero(codes == code) for code in np.unique(codes).tolist()}

    def _totals(self, axis: int) -> Mask:
        """Return the cells that are totals along a dimension."""
        table = self.problem.table
        codes = np.array([key[axis] for key in table.keys])
        return codes == table.margins[axis]

    def _finish(self, step: AdjustStep, until: float) -> AdjustStep:
        """Return what the solver makes of the whole program, starting from the best adjustment."""
        everything = np.ones(len(self.problem.table), dtype=np.bool_)
        program, cells = self.problem.program(everything, step.moves)
        up, down = np.maximum(step.moves, 0.0), np.maximum(-step.moves, 0.0)
        program.start(np.concatenate([up, down, (step.moves[self.problem.unsafe] > 0).astype(np.float64)]))
        program.limit(gap=ENOUGH)
        if np.isfinite(until):
            program.limit(seconds=max(0.5, until - monotonic()))
        solution = program.solve()
        better = solution.x.size and solution.objective < step.cost
        moves = self.problem.read(solution, cells, step.moves) if better else step.moves
        bound = max(step.bound, solution.bound) if np.isfinite(solution.bound) else step.bound
        cost = self.problem.cost(moves)
        return replace(step, moves=moves, cost=cost, bound=min(bound, cost), stage="whole")
