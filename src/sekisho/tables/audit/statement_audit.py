"""What all statements and all equations of a table leave possible: the exact interval of every cell.

The adversary reads the release, knows the equations of the table and, of every cell, what it says by the rule of its
method (:mod:`sekisho.tables.audit.statements`). What he must think possible are the tables ``a`` with ``A a = 0`` and
``low <= a <= high``; for counts, the whole ones among them. From one possible table (the true one, the one shown, or
one that a program finds) every cell has room to move down and up, and the attacker's engine
(:mod:`sekisho.tables.audit.intervals`) finds how far it can go together with all others. Published and suppressed cells
are the special case of no room and all room.

No table possible at all is an answer: what is shown contradicts itself, so it was not made by the rule that is said.

Of a whole table rounded with one base and one number of steps no program need be asked: the interval of each cell is
that of its own statement (:func:`is_uniform`; proof in docs/proofs/statements.md).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from time import monotonic

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, diags_array

from sekisho.errors import ParameterError
from sekisho.parameters import checked_call
from sekisho.tables.audit.attacker import System, is_whole
from sekisho.tables.audit.intervals import CLOSE, settle_moves, tidy_values
from sekisho.tables.audit.statements import StatementKind, Statements
from sekisho.tables.audit.survey import Needs
from sekisho.tables.model.table import Floats, Mask
from sekisho.tables.solvers.highs import Program, SolveStatus
from sekisho.words import Said

DEEPEST = 200
"""A table with longer chains of totals of totals is not looked through for the theorem."""


class Possible(StrEnum):
    """Whether any table agrees with all that is shown."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementAudit:
    """What a reader of a release can conclude of every cell.

    Attributes:
        statements: what is said of each cell alone.
        low: the least value that he must think possible, per cell.
        high: the greatest, infinity if there is none.
        certain: whether both ends are proven. Where the time was too short, the interval is what has been seen
            possible: his own is as wide or wider.
        whole: whether only whole tables were considered.
        possible: whether any table agrees with all that is shown; with none there are no intervals, and ``low`` and
            ``high`` are those of the statements.
        outer: whether some statement has gaps, so that the interval may be wider than what he can conclude.
        theorem: whether the intervals are known without a program.
        point: one possible table; empty if none is known.
    """

    statements: Statements
    low: Floats
    high: Floats
    certain: Mask
    whole: bool
    possible: Possible
    outer: bool = False
    theorem: bool = False
    point: Floats

    @property
    def width(self) -> Floats:
        """How wide each cell's interval is."""
        return self.high - self.low

    @property
    def disclosed(self) -> NDArray[np.intp]:
        """The cells whose value he knows exactly although they are not shown as they are.

        A margin that is the sum of what is shown is known where all its parts are, and these are told.
        """
        open_alone = self.statements.high - self.statements.low >= CLOSE
        open_alone &= self.statements.kind != StatementKind.SUM
        return np.flatnonzero(self._settled & open_alone & (self.width < CLOSE))

    @property
    def unsettled(self) -> NDArray[np.intp]:
        """The cells whose interval is not certain: with any, a release must not be called safe."""
        return np.flatnonzero(~self.certain)

    def miss(self, needs: Needs, truth: Floats) -> NDArray[np.intp]:
        """Return the cells whose interval is narrower than they need for certain.

        Args:
            needs: how far below and above the truth it must reach, and how wide it must be.
            truth: the true values; where only a width is asked, any values inside the intervals.
        """
        low, high, value = self.low[needs.cells], self.high[needs.cells], truth[needs.cells]
        return needs.cells[self._settled[needs.cells] & ~needs.met(value - low, high - value)]

    @property
    def _settled(self) -> Mask:
        """Whether a cell's interval is no wider in truth than it is here."""
        outer = np.full(len(self.low), self.outer)
        return (self.certain | outer) & (self.possible is Possible.YES)


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementStep:
    """How far an audit of statements has come.

    Attributes:
        done: of how many cells both ends are certain.
        total: how many there are.
        audit: the intervals so far.
    """

    done: int
    total: int
    audit: StatementAudit


@checked_call
def audit_statements(
    system: System,
    statements: Statements,
    *,
    truth: Floats | None = None,
    whole: bool = True,
    seconds: float | None = None,
) -> StatementAudit:
    """Return the interval of every cell over all tables inside all statements; in limited time, of some.

    Args:
        system: the equations between the cells: a table, or what another program published of one.
        statements: what is said of each cell.
        truth: the true values, where they are known: a table to start from. The answer does not depend on it.
        whole: whether the cells are known to be whole numbers.
        seconds: how long it may take.

    Raises:
        ParameterError: the true values are outside the statements or not whole, or the numbers of cells differ.
    """
    *_, last = audit_statement_steps(system, statements, truth=truth, whole=whole, seconds=seconds)
    return last.audit


def audit_statement_steps(
    system: System,
    statements: Statements,
    *,
    truth: Floats | None = None,
    whole: bool = True,
    seconds: float | None = None,
) -> Iterator[StatementStep]:
    """Audit step by step; each step holds all that is certain so far, the last one is the answer."""
    if len(system) != len(statements):
        raise ParameterError(
            "statements", Said("have one entry for each of the {cells} cells", cells=len(system)), len(statements)
        )
    if seconds is not None and seconds <= 0:
        raise ParameterError("seconds", Said("be above 0"), seconds)
    if truth is not None:
        _check_truth(statements, truth, whole=whole)
    return _steps(system, statements, truth, whole=whole, until=np.inf if seconds is None else monotonic() + seconds)


def _check_truth(statements: Statements, truth: Floats, *, whole: bool) -> None:
    if whole and not is_whole(truth):
        raise ParameterError("whole", Said("be asked of tables of whole numbers only"), "values with a fraction")
    outside = np.flatnonzero(~statements.hold(truth))
    if outside.size:
        raise ParameterError(
            "truth", Said("lie inside what is said of every cell, which it does not in {cells}", cells=len(outside)), ""
        )


def _steps(
    system: System, statements: Statements, truth: Floats | None, *, whole: bool, until: float
) -> Iterator[StatementStep]:
    low, high = statements.low, statements.high
    if whole:
        low, high = np.ceil(low - CLOSE) + 0.0, np.floor(high + CLOSE)
    if is_uniform(system, statements):
        yield _step(statements, low, high, np.True_, whole=whole, point=statements.shown, theorem=True)
        return
    point, possible = (
        (truth, Possible.YES) if truth is not None else find_table(system, statements, whole=whole, until=until)
    )
    if point is None:
        settled = np.bool_(possible is Possible.NO)
        yield _step(statements, statements.low, statements.high, settled, whole=whole, possible=possible)
        return
    cells = np.flatnonzero(high > low)
    equations = csr_array(system.matrix.tocsc()[:, cells].tocsr())
    start = point[cells]
    down, up = np.maximum(start - low[cells], 0.0), np.maximum(high[cells] - start, 0.0)
    everything = np.ones(len(cells), dtype=np.bool_)
    for move in settle_moves(equations, down, up, asked=everything, whole=whole, until=until):
        least, most, certain = point.copy(), point.copy(), np.ones(len(point), dtype=np.bool_)
        least[cells], most[cells] = tidy_values(start - move.down), tidy_values(start + move.up)
        certain[cells] = move.certain
        yield _step(statements, least, most, certain, whole=whole, point=point)


def _step(
    statements: Statements,
    low: Floats,
    high: Floats,
    certain: Mask | np.bool_,
    *,
    whole: bool,
    point: Floats | None = None,
    possible: Possible = Possible.YES,
    theorem: bool = False,
) -> StatementStep:
    outer = bool(statements.gaps.any())
    proven = np.broadcast_to(certain, len(statements)).copy()
    if outer:
        proven &= high - low < CLOSE
    found = StatementAudit(
        statements=statements,
        low=low,
        high=high,
        certain=proven,
        whole=whole,
        possible=possible,
        outer=outer,
        theorem=theorem,
        point=np.zeros(0) if point is None else point,
    )
    return StatementStep(done=int(proven.sum()), total=len(proven), audit=found)


def find_table(
    system: System, statements: Statements, *, whole: bool = True, until: float = np.inf
) -> tuple[Floats | None, Possible]:
    """Return a table inside all statements, or none and whether that is certain."""
    low, high = statements.low, statements.high
    if whole:
        low, high = np.ceil(low - CLOSE) + 0.0, np.floor(high + CLOSE)
    if np.any(low > high):
        return None, Possible.NO
    near = np.clip(np.nan_to_num(statements.shown), low, high)
    missed = system.matrix @ near
    if not np.any(missed):
        return near, Possible.YES
    for mixed in (False, True) if whole else (False,):
        program = Program(
            cost=np.zeros(len(near)),
            lower=low - near,
            upper=high - near,
            rows=system.matrix,
            row_lower=-missed,
            row_upper=-missed,
            whole=np.ones(len(near), dtype=np.bool_) if mixed else None,
        )
        if np.isfinite(until):
            program.limit(seconds=until - monotonic())
        solution = program.solve()
        if solution.status is not SolveStatus.OPTIMAL:
            return None, Possible.NO if solution.status is SolveStatus.INFEASIBLE else Possible.UNKNOWN
        point = near + (np.rint(solution.x) if whole else solution.x)
        if not whole or (not np.any(system.matrix @ point) and bool(statements.hold(point).all())):
            return point, Possible.YES
    return None, Possible.UNKNOWN


def is_uniform(system: System, statements: Statements) -> bool:
    """Tell whether each cell's interval is that of its own statement, whatever the equations say.

    So it is if there is one distance ``E`` with ``low = max(0, x - E)`` and ``high = x + E`` for every number ``x``
    shown, these numbers add up, and every cell is a sum of inner cells, each at most once: a whole table rounded with
    one base and one number of steps. Then ``a = x`` is possible; an inner cell raised by at most ``E`` raises each
    margin above it by as much; and inner cells below a margin, lowered by ``min(x, E)`` in all, lower no cell by more
    than ``E`` nor below 0.
    """
    shown = statements.shown
    if not len(shown) or np.any(np.isnan(shown)) or np.any(shown < 0) or np.any(system.matrix @ shown):
        return False
    reach = float(statements.high[0] - shown[0])
    if reach < 0 or np.any(statements.high != shown + reach):
        return False
    return not np.any(statements.low != np.maximum(0.0, shown - reach)) and is_sum_of_inner(system)


def find_inner(system: System) -> Mask:
    """Return the cells that are the total of no equation."""
    inner = np.ones(len(system), dtype=np.bool_)
    inner[system.matrix.indices[system.matrix.data < 0]] = False
    return inner


def is_sum_of_inner(system: System) -> bool:
    """Tell whether every cell is a sum of inner cells, each at most once, and all equations follow from that."""
    return expand_sums(system) is not None


def expand_sums(system: System) -> csr_array | None:
    """Return which inner cells each cell is the sum of; None unless each counts once and all equations follow."""
    matrix, inner = system.matrix, find_inner(system)
    totals = matrix.indices[matrix.data < 0]
    if np.any(np.abs(matrix.data) != 1) or len(totals) != matrix.shape[0]:
        return None
    first = np.unique(totals, return_index=True)
    of_row = np.searchsorted(matrix.indptr, np.flatnonzero(matrix.data < 0)[first[1]], side="right") - 1
    parts = csr_array(matrix[of_row])
    parts.data = np.where(parts.data < 0, 0.0, parts.data)
    place = csr_array((np.ones(len(of_row)), (first[0], np.arange(len(of_row)))), shape=(len(system), len(of_row)))
    above = csr_array(place @ parts)
    above.eliminate_zeros()
    own = csr_array(diags_array(inner.astype(np.float64)).tocsr())
    sums = own
    for _ in range(DEEPEST):
        longer = csr_array(own + above @ sums)
        if not (longer - sums).count_nonzero():
            break
        sums = longer
    else:
        return None
    follows = bool(np.all(sums.data <= 1)) and not csr_array(matrix @ sums).count_nonzero()
    return sums if follows else None
