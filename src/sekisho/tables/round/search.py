"""The cheapest table of multiples: the linear program, the whole program, and neighbourhoods where that is too large.

Where the equations are a network (two flat dimensions, or a tree and a flat one) the linear program's corner is a
table: it is the cheapest, and its multipliers prove it (Cox 1987). Elsewhere they prove a bound. Up to so many columns
the whole program is solved to its end. Beyond that its first table is the start of a search: all cells of some layers
(codes of one dimension) and the totals above them are freed, the rest is held, and the small program that is left is
solved to its end; what is not dearer is kept. Layers are few at first, and more when nothing is gained any longer.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from math import inf
from time import monotonic

import numpy as np
from numpy.typing import NDArray

from sekisho.errors import InfeasibleError
from sekisho.seeds import Seed
from sekisho.tables.model.heights import list_sums
from sekisho.tables.model.table import Mask, Table
from sekisho.tables.round.choices import BoundMultipliers, RoundingChoices, Wholes, round_up
from sekisho.tables.round.programs import RoundingColumns
from sekisho.tables.solvers.highs import SolveStatus
from sekisho.words import Said

LARGE = 3000
"""A whole program of more columns than this is not solved to its end but improved by neighbourhoods."""
NONE = Said("no table of such multiples adds up")
PATIENCE = 0.5
"""A neighbourhood's program may take so many seconds."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RoundingStep:
    """How far a search is.

    Attributes:
        shown: the best table so far; None if there is none.
        cost: what it costs.
        bound: what no table costs less than: that of the multipliers rounded up, or the solver's own if that is better.
        proof: the multipliers.
        rounds: how many neighbourhoods were tried.
    """

    shown: Wholes | None = None
    cost: float = inf
    bound: int = 0
    proof: BoundMultipliers
    rounds: int = 0

    @property
    def optimal(self) -> bool:
        """Whether nothing can be cheaper."""
        return self.cost <= self.bound

    @property
    def gap(self) -> float:
        """The part of the cost that may be too much."""
        return 0.0 if self.cost <= self.bound else (self.cost - self.bound) / self.cost if self.cost < inf else 1.0


def search_steps(table: Table, choices: RoundingChoices, *, seconds: float | None = None) -> Iterator[RoundingStep]:
    """Yield ever better tables; the last is the best found in the time.

    Raises:
        InfeasibleError: no table of these multiples adds up.
    """
    until = inf if seconds is None else monotonic() + seconds
    columns = RoundingColumns.of(choices)
    if not len(columns.cell):
        yield _show_only(choices, columns)
        return
    relaxed = columns.make_program(whole=False).solve()
    if relaxed.status is SolveStatus.INFEASIBLE:
        raise InfeasibleError(NONE)
    proof = choices.prove_bound(columns.spread_dual(relaxed.dual))
    step = _take(RoundingStep(proof=proof, bound=round_up(proof.bound)), columns.show(relaxed.x), choices)
    yield step
    if step.optimal:
        return
    large = len(columns.cell) > LARGE
    program = columns.make_program(whole=True)
    program.limit(gap=0.0, seconds=None if until == inf else until - monotonic(), solutions=1 if large else None)
    solved = program.solve()
    if solved.status is SolveStatus.INFEASIBLE:
        raise InfeasibleError(NONE)
    proven = round_up(solved.bound + choices.cost(columns.start)) if solved.bound > -inf else step.bound
    step = replace(step, bound=max(step.bound, proven))
    if solved.x.size:
        step = _take(step, columns.show(solved.x), choices)
    yield step
    if large and step.shown is not None and not step.optimal:
        yield from _improve(table, choices, step, until)


def _show_only(choices: RoundingChoices, columns: RoundingColumns) -> RoundingStep:
    """Return the only table there is, where no cell may be shown as more than one value."""
    proof = choices.prove_bound(np.zeros(choices.matrix.shape[0]))
    shown = columns.show(np.zeros(0))
    if shown is None:
        raise InfeasibleError(NONE)
    return _take(RoundingStep(proof=proof, bound=round_up(proof.bound)), shown, choices)


def _take(step: RoundingStep, shown: Wholes | None, choices: RoundingChoices) -> RoundingStep:
    if shown is None or choices.cost(shown) > step.cost:
        return step
    return replace(step, shown=shown, cost=choices.cost(shown))


def _improve(table: Table, choices: RoundingChoices, step: RoundingStep, until: float) -> Iterator[RoundingStep]:
    for free in _list_neighbourhoods(table, choices):
        left = until - monotonic()
        if left <= 0 or step.optimal or step.shown is None:
            return
        columns = RoundingColumns.of(choices, free, step.shown)
        program = columns.make_program(whole=True)
        program.limit(gap=0.0, seconds=min(left, PATIENCE))
        solved = program.solve()
        before = step.cost
        if solved.x.size:
            step = _take(step, columns.show(solved.x), choices)
        step = replace(step, rounds=step.rounds + 1)
        if step.cost < before:
            yield step
    yield step


def _list_neighbourhoods(table: Table, choices: RoundingChoices) -> Iterator[Mask]:
    """Give the cells of every few layers of a dimension with all totals above them, in an order drawn anew each time.

    Layers are two at first; after all of them one more, up to all.
    """
    rng = Seed(0).rng()  # what order is best is not known; the same one gives the same table
    totals, parts = list_sums(table)
    layers = _list_layers(table)
    for size in range(2, max(map(len, layers), default=0) + 1):
        sets = [(axis, chosen) for axis, codes in enumerate(layers) for chosen in combinations(range(len(codes)), size)]
        for at in rng.permutation(len(sets)).tolist():
            axis, chosen = sets[at]
            mask = np.zeros(len(table), dtype=np.bool_)
            for one in chosen:
                mask[layers[axis][one]] = True
            yield _close_upwards(mask, totals, parts) & choices.free


def _list_layers(table: Table) -> list[list[NDArray[np.intp]]]:
    """Return for each dimension the cells of each of its codes but the margin."""
    layers: list[list[NDArray[np.intp]]] = []
    for column, margin in zip(zip(*table.keys, strict=True), table.margins, strict=True):
        codes = np.array(column)
        layers.append([np.flatnonzero(codes == code) for code in np.unique(codes) if code != margin])
    return layers


def _close_upwards(mask: Mask, totals: Wholes, parts: Wholes) -> Mask:
    """Return cells and all totals that they are part of."""
    closed = mask.copy()
    while True:
        above = totals[closed[parts]]
        if closed[above].all():
            return closed
        closed[above] = True
