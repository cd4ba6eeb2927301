"""The audit of a release that any program made, by what is said of it: what a reader concludes, and a verdict."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sekisho.errors import ParameterError
from sekisho.gate.outcome import Verdict
from sekisho.gate.tables.said import SaidRelease
from sekisho.tables.audit.statement_audit import (
    Possible,
    StatementAudit,
    StatementStep,
    audit_statement_steps,
    expand_sums,
)
from sekisho.tables.audit.statements import ReaderKnowledge, StatementKind, Statements
from sekisho.tables.audit.survey import Needs
from sekisho.tables.files.released import ReleasedCells
from sekisho.tables.model.table import Floats, Table
from sekisho.tables.reconstruct.knowledge import TOO_MANY, ListedTables, can_compare, keep_chosen, list_tables
from sekisho.tables.round.least_attack import find_least_intervals
from sekisho.tables.rules.table_rules import TableRules
from sekisho.words import Said, name_setting

Cells = NDArray[np.intp]


@dataclass(frozen=True, kw_only=True, eq=False)
class SaidCase:
    """A release and what is said of it.

    Attributes:
        released: what the file shows.
        rule: how its numbers came about.
        knows: what the reader knows.
        said: what each cell says by the rule.
        truth: the true values in the order of the released cells; None if nobody knows them here.
        needs: how far from the truth a reader must stay, of the cells that rules call unsafe; or how wide the interval
            of each cell must be that is not shown exactly.
        whole: whether the cells are counts.
        asked: whether anybody asks how close a reader may come.
    """

    released: ReleasedCells
    rule: SaidRelease
    knows: ReaderKnowledge
    said: Statements
    truth: Floats | None
    needs: Needs
    whole: bool
    asked: bool

    @property
    def outside(self) -> Cells:
        """The cells whose true value is not what the rule makes of it."""
        return np.zeros(0, dtype=np.intp) if self.truth is None else np.flatnonzero(~self.said.hold(self.truth))

    def steps(self, *, seconds: float | None) -> Iterator[StatementStep]:
        """Audit step by step."""
        start = None if self.outside.size else self.truth
        return audit_statement_steps(self.released.table, self.said, truth=start, whole=self.whole, seconds=seconds)

    def finish(self, audit: StatementAudit, *, seconds: float | None = None) -> SaidFinding:
        """Return what was found, with the tables left where these can be listed.

        Where they cannot, what follows from the change being least is asked by programs, as long as the time allows.

        Raises:
            ParameterError: what the reader knows beyond the rule cannot be computed for this method or table.
        """
        table = self.released.table
        countable = self.whole and audit.possible is Possible.YES and not audit.outer
        listed = list_tables(table, self.said) if countable else None
        count = len(listed.cells) if listed is not None and listed.complete else None
        if self.knows is not ReaderKnowledge.RULE and audit.possible is Possible.YES:
            if not self.rule.rounded:
                raise ParameterError("knows", Said("be rule for this method"), self.knows.value)
            if np.any(self.said.kind != StatementKind.ROUNDED):
                raise ParameterError("knows", Said("be rule where not every cell is rounded"), self.knows.value)
            audit, count = self._use_choice(audit, listed, seconds)
        narrow = audit.miss(self.needs, audit.low if self.truth is None else self.truth)
        return SaidFinding(case=self, audit=audit, tables=count, narrow=narrow)

    def _use_choice(
        self, audit: StatementAudit, listed: ListedTables | None, seconds: float | None
    ) -> tuple[StatementAudit, int | None]:
        """Return what is left if the choice of the rounding is known, and how many tables that are if it is known."""
        table, base = self.released.table, self.rule.base
        if listed is not None and can_compare(table, listed):
            kept = keep_chosen(table, self.said, listed, base=base, knowledge=self.knows)
            if not len(kept.cells):
                return replace(audit, possible=Possible.NO), 0
            return replace(audit, low=kept.low, high=kept.high, theorem=False), len(kept.cells)
        if self.knows is ReaderKnowledge.TIE:
            raise ParameterError("knows", TOO_MANY, self.knows.value)
        truth = None if self.outside.size else self.truth
        found = find_least_intervals(table, self.said.shown, base=base, truth=truth, seconds=seconds)
        return replace(audit, low=found.low, high=found.high, certain=found.certain, theorem=False), None


@dataclass(frozen=True, kw_only=True, eq=False)
class SaidFinding:
    """What a reader concludes of a release.

    Attributes:
        case: the release.
        audit: the interval of every cell, against what the reader knows.
        tables: how many tables are possible; None where they are not listed.
        narrow: the cells that he finds closer than the width.
    """

    case: SaidCase
    audit: StatementAudit
    tables: int | None
    narrow: Cells

    @property
    def verdict(self) -> Verdict:
        """Refused if a cell is known or too narrow, or it is not made as is said; looked at if not all is certain."""
        wrong = self.case.outside.size or self.audit.possible is Possible.NO
        if wrong or self.audit.disclosed.size or self.narrow.size:
            return Verdict.REFUSE
        return Verdict.REVIEW if self.audit.unsettled.size else Verdict.RELEASE


def build_case(
    released: ReleasedCells,
    rule: SaidRelease,
    *,
    truth: Table | None,
    rules: TableRules,
    knows: ReaderKnowledge,
    counts: bool,
) -> SaidCase:
    """Return a release and what is said of it; unsafe cells are those that rules name, where the truth is known.

    Raises:
        ParameterError: the release has other cells than the table.
    """
    if truth is None and rules.stated:
        told = Said(
            "be given where the true values are known: FILE is then the true table, {released} its release",
            released=name_setting("released", "OUT"),
        )
        stated = "min_count" if rules.min_count is not None else "rule"
        raise ParameterError(stated, told, rules.min_count if rules.min_count is not None else str(rules.rules[0]))
    said = rule.state(
        released.shown,
        low=released.low,
        high=released.high,
        sums=expand_sums(released.table),
        name=released.table.named,
    )
    return SaidCase(
        released=released,
        rule=rule,
        knows=knows,
        said=said,
        truth=None if truth is None else _place_truth(truth, released),
        needs=_find_needs(truth, released, said, rules, counts=counts),
        whole=counts,
        asked=rules.stated or rules.width is not None,
    )


def _place_truth(truth: Table, released: ReleasedCells) -> Floats:
    keys = {key: at for at, key in enumerate(truth.keys_under(released.table.margins))}
    if set(keys) != set(released.table.keys):
        raise ParameterError("released", Said("have the cells of the table"), len(released.table))
    return truth.value[[keys[key] for key in released.table.keys]]


def _find_needs(
    truth: Table | None, released: ReleasedCells, said: Statements, rules: TableRules, *, counts: bool
) -> Needs:
    if truth is None or not rules.stated:
        cells = np.flatnonzero((said.kind != StatementKind.EXACT) & (said.high > said.low))
        nothing = np.zeros(len(cells))
        return Needs(cells=cells, lower=nothing, upper=nothing, sliding=nothing + (rules.width or 0.0))
    flagged = rules.flag(truth, counts=counts)
    keys, needs = flagged.keys_under(released.table.margins), Needs.of(flagged)
    places = np.array([released.table.position[keys[at]] for at in needs.cells], dtype=np.intp)
    return replace(needs, cells=places)
