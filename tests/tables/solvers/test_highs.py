"""The solver's door must give what a stranger's solver gives, with multipliers that prove it, and never an answer
it does not have."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.sparse import csr_array

from sekisho.tables.solvers.highs import Program, SolveStatus

INF = float("inf")


def program(*, whole: bool = False) -> Program:
    """Minimise -x - 2y with x + y <= 3.5, 0 <= x, y <= 2."""
    return Program(
        cost=np.array([-1.0, -2.0]),
        lower=np.zeros(2),
        upper=np.full(2, 2.0),
        rows=csr_array(np.ones((1, 2))),
        row_lower=np.array([-INF]),
        row_upper=np.array([3.5]),
        whole=np.ones(2, dtype=np.bool_) if whole else None,
    )


@pytest.mark.parametrize("seed", range(30))
def test_linear_programs_as_a_stranger_solves_them(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows, columns = int(rng.integers(2, 6)), int(rng.integers(3, 9))
    matrix = rng.integers(-2, 3, (rows, columns)).astype(np.float64)
    right = matrix @ rng.uniform(0, 3, columns)
    cost = rng.normal(size=columns)
    found = Program(
        cost=cost,
        lower=np.zeros(columns),
        upper=np.full(columns, 3.0),
        rows=csr_array(matrix),
        row_lower=right,
        row_upper=right,
    ).solve()
    theirs = linprog(cost, A_eq=matrix, b_eq=right, bounds=[(0.0, 3.0)] * columns)
    assert found.status is SolveStatus.OPTIMAL
    assert found.objective == pytest.approx(theirs.fun, abs=1e-7)
    assert np.allclose(matrix @ found.x, right, atol=1e-6)
    # Strong duality: the multipliers and reduced costs alone give the objective.
    assert np.allclose(found.reduced, cost - found.dual @ matrix, atol=1e-7)
    assert found.dual @ right + 3.0 * np.minimum(found.reduced, 0).sum() == pytest.approx(found.objective, abs=1e-6)


def test_a_program_stays_loaded_while_it_changes() -> None:
    held = program()
    assert held.solve().objective == -5.5  # (1.5, 2)
    held.charge([0], [-3.0])
    assert held.solve().objective == -9  # (2, 1.5)
    held.bound([1], np.zeros(1), np.array([1.0]))
    assert held.solve().objective == -8  # (2, 1)
    held.add(csr_array(np.array([[1.0, 0.0]])), np.array([-INF]), np.array([0.5]))
    assert held.solve().objective == -3.5  # (0.5, 1)
    held.drop([1])
    assert held.solve().objective == -8


def test_whole_columns() -> None:
    found = program(whole=True).solve()
    assert (found.objective, found.bound, found.x.tolist()) == (-5, -5, [1, 2])


def test_no_answer_is_told_as_such() -> None:
    held = program()
    held.add(csr_array(np.ones((1, 2))), np.array([4.0]), np.array([INF]))
    nothing = held.solve()
    assert (nothing.status, nothing.objective, len(nothing.x)) == (SolveStatus.INFEASIBLE, INF, 0)
    endless = program().primal()
    endless.bound([0, 1], np.full(2, -INF), np.full(2, 2.0))
    endless.charge([0, 1], [1.0, 1.0])
    assert endless.solve().status is SolveStatus.UNBOUNDED
