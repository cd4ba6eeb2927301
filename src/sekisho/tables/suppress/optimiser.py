"""Secondary suppression: the cheapest set of further cells whose suppression protects every primary cell.

The adversary sees the published cells, all equations and his bounds, and computes the interval in which each hidden
cell must lie; if so asked, he is also any coalition of contributors of one cell, who know what they gave. A pattern is
safe if every primary's interval reaches its levels below, above and in width. The optimiser proves how good its pattern
is; what it returns has always passed the audit, whatever ended the run.

Source: Fischetti and Salazar (2001); the loop of the master and the attackers is Benders' decomposition.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sekisho.errors import BugError, InfeasibleError, ParameterError
from sekisho.tables.model.table import Status, Table
from sekisho.tables.suppress.branching import refuse_absent
from sekisho.tables.suppress.safety import Safety
from sekisho.tables.suppress.search import Search, SearchStep


@dataclass(frozen=True, slots=True, kw_only=True)
class Suppression:
    """What the optimiser answers.

    Attributes:
        table: with the secondary cells marked.
        last: the last step: cost, bound, gap, cuts.
        optimal: whether the cost is proven to be the least.
        insiders: how many contributors of one cell the pattern is safe from together; 0 for outsiders only.
    """

    table: Table
    last: SearchStep
    optimal: bool
    insiders: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Optimiser:
    """How long to look, and how hard.

    Attributes:
        seconds: the time after which the best pattern so far is returned; None for no limit.
        batch: about how many cuts a round may add.
        root: the part of the time that the cuts at fractional points may take.
        solver: of the whole-number problem: ``highs``, or ``scip`` for branch and cut (the extra ``sekisho[scip]``).
        insiders: how many contributors of one cell may put together what they know; 0 protects against outsiders only.
    """

    seconds: float | None = None
    batch: int = 300
    root: float = 0.4
    solver: str = "highs"
    insiders: int = 0

    def __post_init__(self) -> None:
        if self.seconds is not None and self.seconds <= 0:
            raise ParameterError("seconds", "be above 0", self.seconds)
        if self.batch < 1:
            raise ParameterError("batch", "be at least 1", self.batch)
        if not 0 < self.root < 1:
            raise ParameterError("root", "lie strictly between 0 and 1", self.root)
        if self.insiders < 0:
            raise ParameterError("insiders", "be at least 0", self.insiders)
        refuse_absent(self.solver)

    def suppress(self, table: Table) -> Suppression:
        """Return the best safe pattern found, with its proven bound.

        Raises:
            InfeasibleError: some primaries cannot be protected, named with the reason.
        """
        *_, last = self.steps(table)
        return finish_search(table, last, insiders=self.insiders)

    def steps(self, table: Table) -> Iterator[SearchStep]:
        """Work step by step; every step holds the best so far, the last one is the answer."""
        return Search(
            table, seconds=self.seconds, batch=self.batch, root=self.root, solver=self.solver, insiders=self.insiders
        ).steps()


def finish_search(table: Table, last: SearchStep, *, insiders: int = 0) -> Suppression:
    """Return the answer that a step holds, audited once more on its own; ``insiders`` as the optimiser was told."""
    if last.secondary is None:
        raise InfeasibleError("no safe pattern was found in the time given; allow more time")
    done = table.suppress_cells(last.secondary | (table.status == Status.SECONDARY))
    if not Safety(done, insiders).holds(done.suppressed):
        raise BugError("the optimiser's pattern does not pass the audit")
    return Suppression(table=done, last=last, optimal=last.proven, insiders=insiders)
