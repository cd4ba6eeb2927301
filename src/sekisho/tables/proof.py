"""Proof of a bound over some cuts: a tree of cases, each leaf a sum of cuts that says enough.

In a leaf with some cells fixed, non-negative parts ``u`` of the cuts prove for every safe pattern
``cost >= sum_k u_k + sum_i min over the allowed y_i of (w_i - sum_k u_k c_ki) y_i``. Any parts are valid; the relaxation's multipliers, rounded,
are the best ones. A branch names a cell and proves both of its cases.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, inf
from time import monotonic

import numpy as np
from scipy.sparse import csr_array, eye_array, hstack

from sekisho.tables.cuts import Cut
from sekisho.tables.solver import Program, Solution, Verdict
from sekisho.tables.table import Floats

SCALE = 10**7


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf:
    """A sum of cuts: each cut's part, in units of 1 / SCALE."""

    parts: Mapping[int, int]

    def used(self) -> set[int]:
        """Return the cuts in the sum."""
        return set(self.parts)

    def as_dict(self, place: Mapping[int, int]) -> dict[str, object]:
        """Return the leaf as plain data, its cuts renumbered."""
        return {"scale": SCALE, "sum": [[place[cut], part] for cut, part in self.parts.items()]}


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch:
    """A cell and the proofs of its two cases: published and suppressed."""

    cell: int
    zero: Leaf | Branch
    one: Leaf | Branch

    def used(self) -> set[int]:
        """Return the cuts below."""
        return self.zero.used() | self.one.used()

    def as_dict(self, place: Mapping[int, int]) -> dict[str, object]:
        """Return the branch as plain data, its cuts renumbered."""
        return {"cell": self.cell, "zero": self.zero.as_dict(place), "one": self.one.as_dict(place)}


class Prover:
    """Proves bounds over the cuts of one table.

    Every cut may also be broken at a high price, so that the relaxation always has an answer and so have its multipliers.
    """

    def __init__(self, cuts: Sequence[Cut], weight: Floats) -> None:
        self._weight = weight
        self._steady = bool(np.all(weight == np.rint(weight)))
        cells = np.concatenate([cut.cells for cut in cuts])
        data = np.concatenate([cut.coefficients for cut in cuts])
        starts = np.cumsum([0, *(len(cut.cells) for cut in cuts)])
        count = len(cuts)
        self._rows = csr_array((data, cells, starts), shape=(count, len(weight)))
        price = 2.0 * float(weight.sum()) + 1.0
        self._program = Program(
            cost=np.concatenate([weight, np.full(count, price)]),
            lower=np.zeros(len(weight) + count),
            upper=np.concatenate([np.ones(len(weight)), np.full(count, np.inf)]),
            rows=csr_array(hstack([self._rows, eye_array(count)])),
            row_lower=np.ones(count),
            row_upper=np.full(count, np.inf),
        )
        self._left, self._until = 0, inf

    def root(self, *, until: float = inf) -> tuple[Leaf, float]:
        """Return one sum of cuts and the bound that it proves; the empty sum, which proves 0, if the time is over first."""
        self._until = until
        solution = self._solve({})
        return self._leaf(solution, {}) if solution.verdict is Verdict.OPTIMAL else (Leaf(parts={}), 0.0)

    def tree(self, target: float, nodes: int, *, until: float = inf) -> Leaf | Branch | None:
        """Return a tree that proves the target, or None if it would have more nodes, or take longer, than allowed."""
        self._left, self._until = nodes, until
        return self._case(target, {})

    def _case(self, target: float, fixed: dict[int, float]) -> Leaf | Branch | None:
        self._left -= 1
        if self._left < 0 or monotonic() > self._until:
            return None
        solution = self._solve(fixed)
        if solution.verdict is not Verdict.OPTIMAL:
            return None
        leaf, proven = self._leaf(solution, fixed)
        if proven >= target - 1e-9:
            return leaf
        y = solution.x[: len(self._weight)]
        away = np.abs(y - np.rint(y))
        cell = int(np.argmax(away))
        if away[cell] < 1e-6:
            return None
        one = self._case(target, {**fixed, cell: 1.0})
        zero = None if one is None else self._case(target, {**fixed, cell: 0.0})
        return None if one is None or zero is None else Branch(cell=cell, zero=zero, one=one)

    def _solve(self, fixed: Mapping[int, float]) -> Solution:
        places, to = np.array(list(fixed), dtype=np.int64), np.array(list(fixed.values()))
        self._program.bound(places, to, to)
        if self._until < inf:
            self._program.limit(seconds=self._until - monotonic())
        solution = self._program.solve()
        self._program.bound(places, np.zeros(len(places)), np.ones(len(places)))
        return solution

    def _leaf(self, solution: Solution, fixed: Mapping[int, float]) -> tuple[Leaf, float]:
        parts = np.rint(np.maximum(solution.dual, 0.0) * SCALE)
        lower, upper = np.zeros(len(self._weight)), np.ones(len(self._weight))
        for cell, to in fixed.items():
            lower[cell] = upper[cell] = to
        rest = self._weight - (parts / SCALE) @ self._rows
        proven = float(parts.sum() / SCALE + np.where(rest > 0, rest * lower, rest * upper).sum())
        leaf = Leaf(parts={int(at): int(parts[at]) for at in np.flatnonzero(parts)})
        slack = 1e-6 * max(1.0, abs(proven))
        return leaf, max(0.0, float(ceil(proven - slack)) if self._steady else proven - slack)
