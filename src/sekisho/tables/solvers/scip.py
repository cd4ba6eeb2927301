"""The second door to a solver: one tree search of SCIP over 0/1 columns, whose rows are found while it searches.

Importing this file needs the extra ``sekisho[scip]``. Rows are given to begin with; every further one comes from an
:class:`Oracle`, which also has the last word on whole points: SCIP keeps none that the oracle refuses. Rows hold
everywhere in the tree. What SCIP cannot know of rows not yet found must not be used by it: no symmetries, no dual
reductions beyond what the locks allow (a column may only be needed, never forbidden, so lowering it is locked and
raising it is not).

SCIP calls back through C, where an exception is lost: each is kept and raised once the search has stopped. An
interruption likewise waits for the end of a slice. One thread and fixed seeds: without a time limit the same rows give
the same tree.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from math import inf
from threading import current_thread, main_thread
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from pyscipopt.scip import PY_SCIP_HEURTIMING as TIMING
from pyscipopt.scip import PY_SCIP_RESULT as RESULT
from pyscipopt.scip import Conshdlr, Heur, Model, Solution, Variable, quicksum
from scipy.sparse import csr_array

from sekisho.errors import BugError
from sekisho.tables.solvers.highs import Floats, Mask, SolveStatus

VERSION = f"SCIP {Model().version()}"
WHOLE = 1e-6
SETTINGS = {
    "misc/usesymmetry": 0,
    "misc/allowstrongdualreds": False,
    "misc/allowweakdualreds": False,
    "misc/catchctrlc": False,
    "separating/maxrounds": 1,
    "timing/clocktype": 2,
    "parallel/maxnthreads": 1,
    "lp/threads": 1,
    "randomization/randomseedshift": 0,
}
_STATUSES = {
    "optimal": SolveStatus.OPTIMAL,
    "infeasible": SolveStatus.INFEASIBLE,
    "inforunbd": SolveStatus.INFEASIBLE,
    "timelimit": SolveStatus.LIMIT,
    "totalnodelimit": SolveStatus.LIMIT,
    "userinterrupt": SolveStatus.LIMIT,
}

Row = tuple[NDArray[np.int64], Floats]
"""Columns and their coefficients: the sum over a point is to be at least 1."""
Answer = dict[str, int]


class Oracle(Protocol):
    """Who knows the rows that were not given."""

    def broken(self, point: Floats, *, depth: int, whole: bool) -> list[Row]:
        """Return rows that a point violates; of a fractional point, as many as are worth the while."""
        ...

    def keeps(self, point: Mask) -> bool:
        """Tell whether a whole point satisfies every row there is."""
        ...

    def better(self, point: Floats, below: float) -> Mask | None:
        """Return a whole point that satisfies every row and costs less, if one was found near this one."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """Where the search stands after a slice.

    Attributes:
        status: optimal, infeasible, or at a limit.
        bound: what no point can beat.
        best: the best point; None while there is none.
        nodes: of the tree, so far.
        interrupted: whether somebody asked to stop.
    """

    status: SolveStatus
    bound: float
    best: Mask | None
    nodes: int
    interrupted: bool


class BranchAndCut:
    """One search, in slices."""

    def __init__(self, *, cost: Floats, rows: csr_array, initial: Mask, oracle: Oracle, start: Mask | None) -> None:
        self._model = Model()
        self._model.hideOutput()
        self._model.setParams(SETTINGS)
        self._columns = [self._model.addVar(vtype="B", obj=each) for each in cost.tolist()]
        self._calls = _Calls(self._model, self._columns, oracle)
        self._nodes = 0
        self._model.includeConshdlr(
            _Handler(self._calls),
            "oracle",
            "rows not yet found",
            enfopriority=-1,
            chckpriority=-1,
            sepafreq=1,
            eagerfreq=-1,
            needscons=False,
        )
        self._model.includeHeur(
            _Repair(self._calls),
            "repairer",
            "repairs points that the oracle refused",
            "M",
            timingmask=TIMING.AFTERLPNODE | TIMING.AFTERPSEUDONODE,
        )
        for at, first in enumerate(initial.tolist()):
            part = slice(int(rows.indptr[at]), int(rows.indptr[at + 1]))
            self._calls.oblige((rows.indices[part].astype(np.int64), rows.data[part]), initial=first)
        if start is not None:
            self._model.addSol(self._calls.solution(start))

    def search(self, *, nodes: int, seconds: float = inf) -> Progress:
        """Go on for so many nodes or seconds.

        Raises:
            BugError: SCIP gave no clear answer.
        """
        model = self._model
        model.setParam("limits/totalnodes", self._nodes + nodes)
        if seconds < inf:
            model.setParam("limits/time", model.getSolvingTime() + max(0.0, seconds))
        with _patient(model) as asked:
            model.optimize()
        for error in self._calls.errors:
            raise error
        status = _STATUSES.get(model.getStatus())
        if status is None:
            raise BugError(f"SCIP ended without an answer: {model.getStatus()}")
        self._nodes = int(model.getNTotalNodes())
        return Progress(
            status=status,
            bound=inf if status is SolveStatus.INFEASIBLE else float(model.getDualbound()),
            best=self._calls.point(model.getBestSol()) > 0.5 if model.getNSols() else None,
            nodes=self._nodes,
            interrupted=bool(asked),
        )

    def close(self) -> None:
        """Free the problem while those whom SCIP calls back are still there."""
        self._model.freeProb()


class _Calls:
    """What SCIP's calls share: the columns as an array, rows in and out, and the errors that must wait."""

    def __init__(self, model: Model, columns: list[Variable], oracle: Oracle) -> None:
        self.model, self.columns, self.oracle = model, columns, oracle
        self.errors: list[BaseException] = []

    def __enter__(self) -> None:
        """Begin to answer a call."""

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> bool:
        """Keep an error, for C would lose it, and have the search stop."""
        if error is not None:
            self.errors.append(error)
            self.model.interruptSolve()
        return True

    def point(self, solution: Solution | None = None) -> Floats:
        """Return the columns of a solution, by default of the relaxation's."""
        return np.array([self.model.getSolVal(solution, each) for each in self.columns], dtype=np.float64)

    def solution(self, point: Mask) -> Solution:
        """Return a solution of SCIP's with these columns."""
        made = self.model.createSol()
        for at in np.flatnonzero(point).tolist():
            made[self.columns[at]] = 1.0
        return made

    def oblige(self, row: Row, *, initial: bool = True) -> None:
        """Add a row as a constraint of the problem."""
        terms = zip(row[1].tolist(), row[0].tolist(), strict=True)
        self.model.addCons(quicksum(by * self.columns[at] for by, at in terms) >= 1, initial=initial, removable=True)

    def cut(self, row: Row, *, forced: bool) -> bool:
        """Add a row to the relaxation; tell whether no point of the node satisfies it."""
        model = self.model
        made = model.createEmptyRowUnspec(lhs=1.0, rhs=None, local=False)
        model.cacheRowExtensions(made)
        for by, at in zip(row[1].tolist(), row[0].tolist(), strict=True):
            model.addVarToRow(made, self.columns[at], by)
        model.flushRowExtensions(made)
        hopeless = bool(model.addCut(made, forcecut=forced))
        model.addPoolCut(made)
        model.releaseRow(made)
        return hopeless


class _Handler(Conshdlr):
    """Stands for all rows not yet found."""

    def __init__(self, calls: _Calls) -> None:
        self.calls = calls

    def conssepalp(self, *_given: object, **_named: object) -> Answer:
        """Cut the relaxation's point."""
        calls, answer = self.calls, RESULT.DIDNOTFIND
        with calls:
            depth = int(calls.model.getDepth())
            for row in calls.oracle.broken(calls.point(), depth=depth, whole=False):
                if calls.cut(row, forced=False):
                    return {"result": RESULT.CUTOFF}
                answer = RESULT.SEPARATED
        return {"result": answer}

    def consenfolp(self, *_given: object, **_named: object) -> Answer:
        """Accept the relaxation's whole point, or cut it."""
        return self._enforce(self._cut_point)

    def consenfops(self, *_given: object, **_named: object) -> Answer:
        """Do the same where no relaxation was solved: the rows become constraints."""
        return self._enforce(self._oblige_point)

    def _enforce(self, impose: Callable[[Row], int]) -> Answer:
        """Accept the nearest whole point, or impose the rows that it breaks until one leaves nothing."""
        calls, answer = self.calls, RESULT.INFEASIBLE
        with calls:
            point = calls.point()
            if calls.oracle.keeps(point > 0.5):
                return {"result": RESULT.FEASIBLE}
            for row in self._broken(point):
                answer = impose(row)
                if answer == RESULT.CUTOFF:
                    break
        return {"result": answer}

    def _cut_point(self, row: Row) -> int:
        return RESULT.CUTOFF if self.calls.cut(row, forced=True) else RESULT.SEPARATED

    def _oblige_point(self, row: Row) -> int:
        self.calls.oblige(row)
        return RESULT.CONSADDED

    def _broken(self, point: Floats) -> list[Row]:
        """Return rows that the nearest whole point breaks, and this one by more than SCIP would pass over."""
        found = self.calls.oracle.broken(np.rint(point), depth=int(self.calls.model.getDepth()), whole=True)
        return [row for row in found if float(row[1] @ point[row[0]]) < 1 - 2 * WHOLE]

    def conscheck(self, constraints: object, solution: Solution, *_given: object, **_named: object) -> Answer:
        """Accept a solution only if it is better than the best, whole, and the oracle keeps it."""
        del constraints
        calls, answer = self.calls, RESULT.INFEASIBLE
        with calls:
            if calls.model.getSolObjVal(solution) >= calls.model.getPrimalbound():
                return {"result": answer}
            point = calls.point(solution)
            whole = np.abs(point - np.rint(point)).max(initial=0.0) <= WHOLE
            if whole and calls.oracle.keeps(point > 0.5):
                answer = RESULT.FEASIBLE
        return {"result": answer}

    def conslock(self, constraint: object, locktype: int, nlockspos: int, nlocksneg: int) -> None:
        """Lock each column against being lowered: a row may need it, none forbids it."""
        del constraint
        with self.calls:
            for each in self.calls.columns:
                self.calls.model.addVarLocksType(each, locktype, nlockspos, nlocksneg)


class _Repair(Heur):
    """Hands SCIP the better points that the oracle finds near its own."""

    def __init__(self, calls: _Calls) -> None:
        self.calls = calls

    def heurexec(self, *_given: object, **_named: object) -> Answer:
        """Ask near the relaxation's point."""
        calls, answer = self.calls, RESULT.DIDNOTFIND
        with calls:
            better = calls.oracle.better(calls.point(), float(calls.model.getPrimalbound()))
            if better is not None and calls.model.trySol(calls.solution(better), printreason=False):
                answer = RESULT.FOUNDSOL
        return {"result": answer}


@contextmanager
def _patient(model: Model) -> Generator[list[int]]:
    """Let an interruption stop the search at its next call.

    It is told by the list, instead of being lost inside SCIP.
    """
    signals: list[int] = []
    before = signal.getsignal(signal.SIGINT)
    if current_thread() is not main_thread() or not callable(before):
        yield signals
        return

    def note(number: int, _frame: object) -> None:
        signals.append(number)
        model.interruptSolve()

    signal.signal(signal.SIGINT, note)
    try:
        yield signals
    finally:
        signal.signal(signal.SIGINT, before)
