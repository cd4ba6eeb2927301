"""SCIP's door: the cheapest point that the oracle keeps, found with rows that come late.

No error and no interruption is lost.
"""

from __future__ import annotations

import signal
from dataclasses import dataclass, field
from itertools import product
from math import inf

import numpy as np
import pytest
from scipy.sparse import csr_array

from sekisho.tables.model.table import Floats, Mask
from sekisho.tables.solvers.highs import SolveStatus
from sekisho.tables.solvers.scip import BranchAndCut, Row

COLUMNS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """An oracle that knows its rows from the start and tells one at a time; ``word`` is said at each call."""

    rows: Floats
    calls: list[str] = field(default_factory=list)
    word: str = ""

    def broken(self, point: Floats, *, depth: int, whole: bool) -> list[Row]:
        assert depth >= 0
        self.calls.append("whole" if whole else "part")
        if self.word == "fail":
            raise ZeroDivisionError
        if self.word == "stop":
            signal.raise_signal(signal.SIGINT)
        if self.word == "whole" and not whole:
            return []
        late = np.flatnonzero(self.rows @ point < 1 - 1e-6)[:1]
        return [(np.flatnonzero(self.rows[at]).astype(np.int64), self.rows[at][self.rows[at] > 0]) for at in late]

    def keeps(self, point: Mask) -> bool:
        return bool(np.all(self.rows @ point >= 1 - 1e-9))

    def better(self, point: Floats, below: float) -> Mask | None:
        assert below > 0
        return np.ones(len(point), dtype=np.bool_) if self.word == "all" else None


def problem(seed: int) -> tuple[Floats, Floats]:
    """Return costs and rows, each of three or more columns with coefficients that need two or more of them."""
    rng = np.random.default_rng(seed)
    rows = np.where(rng.random((12, COLUMNS)) < 0.5, rng.integers(3, 8, (12, COLUMNS)) / 10, 0.0)
    rows[:, :3] += 0.4
    return rng.integers(1, 6, COLUMNS).astype(np.float64), rows


def least(cost: Floats, rows: Floats) -> float:
    points = np.array(list(product((0.0, 1.0), repeat=COLUMNS)))
    return float((points @ cost)[np.all(points @ rows.T >= 1 - 1e-9, axis=1)].min())


def grown(cost: Floats, oracle: Listed, *, start: Mask | None = None, given: int = 0) -> BranchAndCut:
    rows = csr_array(oracle.rows[:given]) if given else csr_array((0, len(cost)))
    return BranchAndCut(cost=cost, rows=rows, initial=np.arange(given) % 2 == 0, oracle=oracle, start=start)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("given", [0, 4])
@pytest.mark.parametrize("word", ["", "whole"])
def test_late_rows_are_obeyed(seed: int, given: int, word: str) -> None:
    cost, rows = problem(seed)
    tree = grown(
        cost, Listed(rows=rows, word=word), given=given, start=np.ones(COLUMNS, dtype=np.bool_) if given else None
    )
    found = tree.search(nodes=10_000)
    tree.close()
    assert found.status is SolveStatus.OPTIMAL
    assert found.best is not None
    assert cost @ found.best == pytest.approx(least(cost, rows))
    assert found.bound == pytest.approx(least(cost, rows))


def test_a_search_goes_on_where_it_stopped() -> None:
    cost, rows = problem(3)
    tree = grown(cost, Listed(rows=rows))
    bounds: list[float] = []
    for _ in range(1000):
        found = tree.search(nodes=1)
        bounds.append(found.bound)
        if found.status is SolveStatus.OPTIMAL:
            break
    tree.close()
    assert bounds == sorted(bounds)
    assert bounds[-1] == pytest.approx(least(cost, rows))


def test_an_empty_row_is_told_infeasible() -> None:
    tree = grown(np.ones(3), Listed(rows=np.full((1, 3), 0.2)), given=1)
    found = tree.search(nodes=10)
    tree.close()
    assert (found.status, found.best, found.bound) == (SolveStatus.INFEASIBLE, None, inf)


def test_the_oracle_s_own_point_is_taken() -> None:
    # at the first node nothing is known but the oracle's point, which costs all
    cost, rows = problem(1)
    tree = grown(cost, Listed(rows=rows, word="all"))
    found = tree.search(nodes=1)
    tree.close()
    assert found.best is not None
    assert cost @ found.best <= cost.sum()


def test_an_error_of_the_oracle_is_raised_and_not_lost_in_the_solver() -> None:
    cost, rows = problem(0)
    tree = grown(cost, Listed(rows=rows, word="fail"))
    with pytest.raises(ZeroDivisionError):
        tree.search(nodes=100)
    tree.close()


def test_an_interruption_is_told_at_the_end_of_the_slice() -> None:
    cost, rows = problem(0)
    oracle = Listed(rows=rows, word="stop")
    tree, before = grown(cost, oracle), signal.getsignal(signal.SIGINT)
    found = tree.search(nodes=100)
    tree.close()
    assert found.interrupted
    assert found.status is SolveStatus.LIMIT
    assert signal.getsignal(signal.SIGINT) is before
