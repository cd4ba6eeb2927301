"""What attackers can derive from a pattern, as attempts on it and as reasons why it may not leave.

The outsider sees what is published, knows all equations and solves for the interval of each hidden cell: his attack is
exact, so nobody who knows no more estimates a cell more closely. Insiders are contributors who know their own
part as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sekisho.gate.outcome import Attempt, Reason, Verdict
from sekisho.gate.tables.system import PatternCase, TableSystem
from sekisho.tables.audit.coalitions import Leak, describe_attackers, leaks
from sekisho.tables.audit.intervals import Audit, audit, audit_steps
from sekisho.tables.model.table import Table
from sekisho.words import Said, join_words

UNFINISHED = "unfinished audit"
"""The rule that every interval is certain."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TableAttempt(Attempt):
    """One attack on a pattern: ``claimed`` hidden unsafe cells, ``hits`` of them estimated too closely.

    Blind naming hits none.

    Attributes:
        exposed: the cells that he estimates too closely, or derives exactly (of secondaries only these); one refutes
            the pattern.
    """

    exposed: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TableFinding:
    """What an audit of patterns found.

    Attributes:
        case: the patterns beside the rules.
        audit: the outsider's interval of every hidden cell.
        coalition: how many contributors of one cell were asked; 0 for none.
        leaks: the cells whose contributors narrow others.
    """

    case: PatternCase
    audit: Audit
    coalition: int = 0
    leaks: tuple[Leak, ...] = ()

    @property
    def table(self) -> Table:
        """The system with its pattern."""
        return self.audit.table

    @property
    def system(self) -> TableSystem:
        """What was audited as one."""
        return self.case.system

    @property
    def hidden(self) -> NDArray[np.intp]:
        """The suppressed cells, differences apart."""
        return self.audit.cells[~self.system.derived[self.audit.cells]]

    @property
    def disclosed(self) -> NDArray[np.intp]:
        """The suppressed cells that can be derived exactly.

        A difference may be derived, unless it is unsafe, and then it is too narrow.
        """
        cells = self.audit.disclosed
        return cells[~self.system.derived[cells]]

    @property
    def attempts(self) -> tuple[TableAttempt, ...]:
        """The attacks on the pattern."""
        outside = _make_attempt("outsider", self.table, [*self.audit.narrow.tolist(), *self.disclosed.tolist()])
        if not self.coalition:
            return (outside,)
        inside = [cell for leak in self.leaks for cell in leak.exposed]
        return outside, _make_attempt(f"insiders, {self.coalition} of one cell", self.table, inside)

    @property
    def attackers(self) -> str:
        """Who was asked, in words: a pattern that is safe is safe from these."""
        return describe_attackers(self.coalition)

    @property
    def reasons(self) -> tuple[Reason, ...]:
        """Why the pattern may not simply leave."""
        return tuple(self._reasons())

    @property
    def safe(self) -> bool:
        """Whether nothing found forbids to publish the pattern."""
        return all(reason.verdict is not Verdict.REFUSE for reason in self.reasons)

    def _reasons(self) -> Iterator[Reason]:
        unsettled, joint = len(self.audit.unsettled), self.table.joint
        uncertain = Said("{count} intervals are not certain, so nothing is called safe", count=unsettled)
        for rule, count, detail in (*self._list_open_cells(), (UNFINISHED, unsettled, uncertain)):
            if count:
                yield Reason(rule=rule, verdict=Verdict.REFUSE, detail=detail)
        if joint.overlooked:
            yield Reason(rule="joint table", verdict=Verdict.REVIEW, detail=join_words((joint.limit,)))

    def _list_open_cells(self) -> Iterator[tuple[str, int, Said]]:
        """Give by rule how many cells are known too well, and which: estimated, derived, shown, open to insiders."""
        shown = self.case.shown
        cells = self.audit.narrow.tolist()
        first = _name_first(self.table, cells)
        detail = Said("{count} unsafe cells can be estimated too closely: {cells}", count=len(cells), cells=first)
        yield "narrow interval", len(cells), detail
        cells = self.disclosed.tolist()
        first = _name_first(self.table, cells)
        detail = Said("{count} suppressed cells can be derived exactly: {cells}", count=len(cells), cells=first)
        yield "disclosed cell", len(cells), detail
        detail = Said("{count} unsafe cells are published: {cells}", count=len(shown), cells="; ".join(shown[:5]))
        yield "unsafe cell shown", len(shown), detail
        cells = sorted({cell for leak in self.leaks for cell in leak.exposed})
        detail = Said(
            "{count} unsafe cells can be estimated too closely by contributors of another: {cells}",
            count=len(cells),
            cells=_name_first(self.table, cells),
        )
        yield "insiders", len(cells), detail


def _make_attempt(adversary: str, table: Table, cells: list[int]) -> TableAttempt:
    exposed = sorted(set(cells))
    return TableAttempt(
        adversary=adversary,
        claimed=int(table.primary.sum()),
        hits=int(table.primary[exposed].sum()),
        baseline=0.0,
        strength=float(len(exposed)),
        exposed=tuple(exposed),
    )


def _name_first(table: Table, cells: list[int]) -> str:
    return "; ".join(map(table.named, cells[:5])) + ("; …" if cells[5:] else "")


def finish_audit(case: PatternCase, finished: Audit, *, insiders: int = 0) -> TableFinding:
    """Return what an outsider's audit of a case found, and what so many contributors of one cell can derive besides."""
    leaking = leaks(case.system.table, coalition=insiders) if insiders else []
    return TableFinding(case=case, audit=finished, coalition=insiders, leaks=tuple(leaking))


def audit_case(
    case: PatternCase, *, whole: bool = False, seconds: float | None = None, insiders: int = 0
) -> TableFinding:
    """Audit patterns as one: exactly, over whole tables only if asked; with a time limit, as far as it allows."""
    return finish_audit(case, audit(case.system.table, whole=whole, seconds=seconds), insiders=insiders)


def look_at_case(case: PatternCase, *, whole: bool = False) -> tuple[Reason, ...]:
    """Return what speaks against patterns before anybody solves for an interval.

    An unsafe cell is shown, or the equations alone tell a hidden one or place it too closely; that the others are
    hidden well enough, a certificate must prove.
    """
    glance = next(iter(audit_steps(case.system.table, whole=whole))).audit
    finding = TableFinding(case=case, audit=glance)
    return tuple(reason for reason in finding.reasons if reason.rule != UNFINISHED)
