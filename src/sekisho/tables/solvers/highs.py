"""The only door to a solver: linear and mixed programs, and an answer only if the solver says that it solved.

HiGHS can fail without an exception and leave an objective of 0 behind; so every solve is followed by a look at the
model's status, and anything but a clear answer is an error of ours, never a result. One thread always: HiGHS keeps one
pool of threads for the whole process and refuses to run when asked for another number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import highspy
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from sekisho.errors import BugError

Mask = NDArray[np.bool_]
Floats = NDArray[np.float64]

VERSION = f"HiGHS {highspy.Highs().version()}"
DUAL_SIMPLEX, PRIMAL_SIMPLEX = 1, 4
Places = NDArray[np.int64] | NDArray[np.intp] | Sequence[int]


class SolveStatus(Enum):
    """How a solve ended."""

    OPTIMAL = "optimal"
    INFEASIBLE = "infeasible"
    UNBOUNDED = "unbounded"
    LIMIT = "limit"


@dataclass(frozen=True, slots=True, kw_only=True)
class Solution:
    """What a solve found. At a limit ``x`` is the best point known, empty if there is none.

    Attributes:
        status: how the solve ended.
        objective: the value of ``x``.
        bound: what no point can beat; the objective itself when optimal.
        x: the columns.
        dual: the rows' multipliers (a linear program's only).
        reduced: the columns' reduced costs (a linear program's only).
    """

    status: SolveStatus
    objective: float
    bound: float
    x: Floats
    dual: Floats
    reduced: Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class Basis:
    """The columns and rows whose values the corner's equations give; all others stand at a bound."""

    columns: Mask
    rows: Mask


_STATUSES = {
    highspy.HighsModelStatus.kOptimal: SolveStatus.OPTIMAL,
    highspy.HighsModelStatus.kInfeasible: SolveStatus.INFEASIBLE,
    highspy.HighsModelStatus.kUnbounded: SolveStatus.UNBOUNDED,
    highspy.HighsModelStatus.kUnboundedOrInfeasible: SolveStatus.INFEASIBLE,
    highspy.HighsModelStatus.kTimeLimit: SolveStatus.LIMIT,
    highspy.HighsModelStatus.kIterationLimit: SolveStatus.LIMIT,
    highspy.HighsModelStatus.kSolutionLimit: SolveStatus.LIMIT,
    highspy.HighsModelStatus.kObjectiveBound: SolveStatus.LIMIT,
    highspy.HighsModelStatus.kObjectiveTarget: SolveStatus.LIMIT,
}


class Program:
    """A minimisation that stays loaded in HiGHS: costs, bounds and rows change, the last basis is the next start."""

    def __init__(
        self,
        *,
        cost: Floats,
        lower: Floats,
        upper: Floats,
        rows: csr_array,
        row_lower: Floats,
        row_upper: Floats,
        whole: Mask | None = None,
    ) -> None:
        self._highs = highspy.Highs()
        self._set("output_flag", False)
        self._set("threads", 1)
        self._set("random_seed", 0)
        columns = len(cost)
        model = highspy.HighsLp()
        model.num_col_, model.num_row_ = columns, rows.shape[0]
        model.col_cost_, model.col_lower_, model.col_upper_ = cost, lower, upper
        model.row_lower_, model.row_upper_ = row_lower, row_upper
        model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        model.a_matrix_.start_ = rows.indptr.astype(np.int32)
        model.a_matrix_.index_ = rows.indices.astype(np.int32)
        model.a_matrix_.value_ = rows.data.astype(np.float64)
        if whole is not None:
            kinds = highspy.HighsVarType
            model.integrality_ = [kinds.kInteger if each else kinds.kContinuous for each in whole.tolist()]
        self._mixed, self._primal = whole is not None, False
        self._demand(self._highs.passModel(model))

    def primal(self) -> Program:
        """Use the primal simplex method, which restarts well when only costs change; return the program itself."""
        self._primal = True
        self._set("simplex_strategy", PRIMAL_SIMPLEX)
        self._set("presolve", "off")
        return self

    def charge(self, columns: Places, costs: Floats | Sequence[float]) -> None:
        """Change the costs of some columns."""
        places = np.asarray(columns, dtype=np.int32)
        self._demand(self._highs.changeColsCost(len(places), places, np.asarray(costs, dtype=np.float64)))

    def bound(self, columns: Places, lower: Floats, upper: Floats) -> None:
        """Change the bounds of some columns."""
        places = np.asarray(columns, dtype=np.int32)
        self._demand(self._highs.changeColsBounds(len(places), places, lower, upper))

    def add(self, rows: csr_array, lower: Floats, upper: Floats) -> None:
        """Add rows."""
        self._demand(
            self._highs.addRows(
                rows.shape[0],
                lower,
                upper,
                rows.nnz,
                rows.indptr[:-1].astype(np.int32),
                rows.indices.astype(np.int32),
                rows.data.astype(np.float64),
            )
        )

    def drop(self, rows: Places) -> None:
        """Remove rows; those behind move up."""
        places = np.asarray(rows, dtype=np.int32)
        self._demand(self._highs.deleteRows(len(places), places))

    def start(self, x: Floats) -> None:
        """Give a point to start from."""
        point = highspy.HighsSolution()
        point.col_value = x.tolist()
        self._demand(self._highs.setSolution(point))

    def limit(
        self,
        *,
        seconds: float | None = None,
        nodes: int | None = None,
        gap: float | None = None,
        solutions: int | None = None,
    ) -> None:
        """Limit the next solves.

        Seconds each (counted from now), nodes of the tree, the relative gap at which to stop, how often a whole point
        is improved.
        """
        if seconds is not None:
            self._set("time_limit", max(0.0, seconds) + float(self._highs.getRunTime()))
        if nodes is not None:
            self._set("mip_max_nodes", nodes)
        if gap is not None:
            self._set("mip_rel_gap", gap)
        if solutions is not None:
            self._set("mip_max_improving_sols", solutions)

    def solve(self) -> Solution:
        """Solve; return what is certain.

        Raises:
            BugError: the solver gave no clear answer.
        """
        ran = self._highs.run()
        ended = self._highs.getModelStatus()
        status = _STATUSES.get(ended)
        if ran == highspy.HighsStatus.kError or status is None:
            status = self._again(ended)
        info = self._highs.getInfo()
        solution = self._highs.getSolution()
        held = status is SolveStatus.OPTIMAL or (status is SolveStatus.LIMIT and info.primal_solution_status == 2)
        objective = float(info.objective_function_value) if held else float("inf")
        bound = float(info.mip_dual_bound) if self._mixed else objective
        return Solution(
            status=status,
            objective=objective,
            bound=bound,
            x=np.array(solution.col_value if held else [], dtype=np.float64),
            dual=np.array(solution.row_dual if held and not self._mixed else [], dtype=np.float64),
            reduced=np.array(solution.col_dual if held and not self._mixed else [], dtype=np.float64),
        )

    def basis(self) -> Basis | None:
        """Return the basis of the corner that the last solve ended in; None if it ended in none."""
        held = self._highs.getBasis()
        if not held.valid:
            return None
        columns, rows = (
            np.array([int(each) for each in some], dtype=np.int8) == int(highspy.HighsBasisStatus.kBasic)
            for some in (held.col_status, held.row_status)
        )
        return Basis(columns=columns, rows=rows)

    def _again(self, ended: object) -> SolveStatus:
        """Solve once more from scratch and by the dual simplex method.

        A basis gone bad is no answer, nor is a method that stalls.
        """
        self._demand(self._highs.clearSolver())
        self._set("simplex_strategy", DUAL_SIMPLEX)
        self._set("presolve", "on")
        ran = self._highs.run()
        if self._primal:
            self.primal()
        status = _STATUSES.get(self._highs.getModelStatus())
        if ran == highspy.HighsStatus.kError or status is None:
            raise BugError(f"HiGHS ended without an answer: {ended}")
        return status

    def _set(self, option: str, value: float | str) -> None:
        self._demand(self._highs.setOptionValue(option, value))

    @staticmethod
    def _demand(status: object) -> None:
        if status == highspy.HighsStatus.kError:
            raise BugError("HiGHS refused a change of its model")
