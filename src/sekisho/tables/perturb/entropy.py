"""The row of a perturbation table that says least: greatest entropy under a mean, a variance and an order.

Of all chances ``p_j`` of showing ``j`` for a true count ``i`` with ``sum p = 1``, ``sum (j - i) p = 0``,
``sum (j - i)^2 p <= V`` (or ``= V``), ``p_i >= stay`` and ``p`` not falling from the left end to ``j = i``, the one of
greatest entropy has the form ``p_j = exp(l0 + l1 v + l2 v^2)``, ``v = j - i``, where neighbours that the order ties
together share one value and enter with their mean ``v`` and ``v^2``.

Which neighbours can be tied: for given multipliers the chances left of ``i`` are the monotone regression of a function
quadratic in ``v``, which pools one run of neighbours only: at the left end where the function is convex, at the right
end (with ``i``, or without it where ``stay`` lifts ``p_i``) where it is concave. So some ``3 D`` runs, with and without
``stay`` and the variance binding, are all active sets there are; each leaves at most two equations in two unknowns.

Source: Giessing, "Computational issues in the design of transition probabilities and disclosure risk estimation for
additive noise", PSD 2016; the package ptable 1.0 solves the same problem numerically.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from sekisho.errors import BugError, InfeasibleError
from sekisho.tables.solvers.highs import Program, SolveStatus
from sekisho.words import Said

Floats = NDArray[np.float64]
ROUNDS = 400
FINE, ENOUGH = 1e-14, 1e-11
"""At which distance from its mean and variance a row is done, and at which it counts as one."""
ORDER = 1e-11
FARTHEST = 1e5
"""Multipliers beyond this are those of no distribution."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowQuestion:
    """What a row must fulfil.

    Attributes:
        count: the true count.
        targets: the counts that may be shown for it, rising.
        variance: of what is shown.
        equal: whether it is to be just that, not at most.
        stay: the least chance of showing the true count, where that may be shown.
    """

    count: int
    targets: NDArray[np.int64]
    variance: float
    equal: bool = False
    stay: float = 0.0

    @property
    def steps(self) -> Floats:
        """How far each target is from the count."""
        return (self.targets - self.count).astype(np.float64)

    @property
    def ordered(self) -> int:
        """How many targets, from the left, stand in order: those up to the count, if it may be shown itself."""
        return int(np.searchsorted(self.targets, self.count)) + 1 if self.count in self.targets else 0

    def solve(self) -> Floats:
        """Return the chances of greatest entropy.

        Raises:
            InfeasibleError: no chances fulfil it.
        """
        self._refuse_impossible()
        best, most = None, -np.inf
        for start, end in self._list_runs():
            for stay in (False, True) if self.stay and self.ordered else (False,):
                for bound in (True,) if self.equal else (False, True):
                    chances = self._fit(start, end, stay=stay, bound=bound)
                    if chances is not None and self.holds(chances) and measure_entropy(chances) > most:
                        best, most = chances, measure_entropy(chances)
                if best is not None and not (end or stay):
                    return best  # the best of fewer conditions, and it fulfils the others
        if best is None:
            raise BugError(f"no active set of row {self.count} solves it, though it can be solved")
        return best

    def _list_runs(self) -> Iterator[tuple[int, int]]:
        """Yield the runs of neighbours that may be tied, from the first to behind the last; none at first."""
        yield 0, 0
        last = self.ordered
        seen: set[tuple[int, int]] = set()
        runs = [(0, end) for end in range(2, last + 1)]
        runs += [(start, end) for end in (last, last - 1) for start in range(end - 1)]
        for run in runs:
            if run not in seen:
                seen.add(run)
                yield run

    def _fit(self, start: int, end: int, *, stay: bool, bound: bool) -> Floats | None:
        """Return the chances with one run tied; None if there are none."""
        steps, count = self.steps, len(self.targets)
        block = np.arange(count)
        if end > start:
            block[start:end] = start
            block[end:] -= end - start - 1
        sizes = np.bincount(block).astype(np.float64)
        means = np.bincount(block, steps) / sizes
        squares = np.bincount(block, steps**2) / sizes
        held = np.zeros(len(sizes))
        if stay:
            held[block[self.ordered - 1]] = self.stay * sizes[block[self.ordered - 1]]
        rest = 1.0 - held.sum()
        free = held == 0
        if rest < 0 or (rest == 0 and free.any()) or not free.any():
            return None
        far = float(np.abs(steps).max()) or 1.0
        points = np.column_stack([means / far, squares / far**2])[free]
        wanted = np.array([-(held @ means) / far, (self.variance - held @ squares) / far**2]) / rest
        columns = slice(0, 2 if bound else 1)
        share = fit_means(points[:, columns], sizes[free], wanted[columns])
        if share is None:
            return None
        held[free] = share * rest
        return (held / sizes)[block]

    def holds(self, chances: Floats) -> bool:
        """Tell whether chances keep the order, the chance to stay and the variance."""
        ordered = chances[: self.ordered]
        return bool(
            np.all(np.diff(ordered) >= -ORDER)
            and (not ordered.size or ordered[-1] >= self.stay - ORDER)
            and chances @ self.steps**2 <= self.variance + ENOUGH * max(1.0, self.variance)
        )

    def _refuse_impossible(self) -> None:
        least, most = self._reach_variance(1.0), self._reach_variance(-1.0)
        slack = 1e-9 * max(1.0, self.variance)
        if least is None or most is None:
            raise InfeasibleError(
                Said(
                    "row {count}: no noise keeps the mean and the order and shows the true count with chance {stay:g}",
                    count=self.count,
                    stay=self.stay,
                )
            )
        if least > self.variance + slack:
            raise InfeasibleError(
                Said("row {count}: no noise has a variance below {least:.6g}", count=self.count, least=least)
            )
        if self.equal and -most < self.variance - slack:
            raise InfeasibleError(
                Said("row {count}: no noise has a variance above {most:.6g}", count=self.count, most=-most)
            )

    def _reach_variance(self, sign: float) -> float | None:
        """Return the least variance of all chances in order, or with sign -1 the greatest, negated; None if none."""
        steps, count, last = self.steps, len(self.targets), self.ordered
        rows = np.zeros((2 + max(0, last - 1), count))
        rows[0], rows[1] = 1.0, steps
        for place in range(last - 1):
            rows[2 + place, place : place + 2] = -1.0, 1.0
        lower = np.zeros(count)
        if last:
            lower[last - 1] = self.stay
        program = Program(
            cost=sign * steps**2,
            lower=lower,
            upper=np.ones(count),
            rows=csr_array(rows),
            row_lower=np.concatenate([[1.0, 0.0], np.zeros(len(rows) - 2)]),
            row_upper=np.concatenate([[1.0, 0.0], np.full(len(rows) - 2, np.inf)]),
        )
        solution = program.solve()
        return solution.objective if solution.status is SolveStatus.OPTIMAL else None


def fit_means(points: Floats, sizes: Floats, wanted: Floats) -> Floats | None:
    """Return the distribution closest to the sizes (by relative entropy) whose points have the wanted mean.

    Newton's method on the convex function ``log sum sizes exp(points @ l) - l @ wanted``; None if no distribution has
    the mean. A mean on the border of what is possible is approached as closely as matters.
    """
    multipliers, least = np.zeros(points.shape[1]), float(np.log(sizes.min())) - ENOUGH  # a mean within: never below
    value, chances = _weigh(points, sizes, wanted, multipliers)
    for _ in range(ROUNDS):
        gap = wanted - chances @ points
        if np.abs(gap).max() < FINE:
            return chances
        centred = points - chances @ points
        curvature = (centred * chances[:, None]).T @ centred
        step = np.linalg.lstsq(curvature, gap, rcond=1e-14)[0]
        scale = 1.0
        while scale > 1e-9:
            tried, new = _weigh(points, sizes, wanted, multipliers + scale * step)
            if tried <= value - 1e-4 * scale * float(gap @ step) + FINE * max(1.0, abs(value)):
                break
            scale /= 2
        else:
            break
        multipliers = multipliers + scale * step
        value, chances = tried, new
        if value < least or np.abs(multipliers).max() > FARTHEST:
            break
    return chances if np.abs(wanted - chances @ points).max() < ENOUGH else None


def _weigh(points: Floats, sizes: Floats, wanted: Floats, multipliers: Floats) -> tuple[float, Floats]:
    exponents = points @ multipliers
    top = float(exponents.max())
    weights = sizes * np.exp(exponents - top)
    total = float(weights.sum())
    return top + float(np.log(total)) - float(multipliers @ wanted), weights / total


def measure_entropy(chances: Floats) -> float:
    """Return the entropy in bits."""
    some = chances[chances > 0]
    return float(-(some * np.log2(some)).sum())
