"""Tables that an attacker reads together, as one system of cells and equations.

And each table's view of what was found of all of them.

A published table beside what can be asked of it: an outsider's intervals, and how wide they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from sekisho.errors import ParameterError
from sekisho.tables.audit.intervals import Audit
from sekisho.tables.model.linked.join import join_tables, know_empty, places, stack_measures, view_tables
from sekisho.tables.model.table import NOTHING_MORE, Cover, Mask, Status, Table
from sekisho.tables.rules.table_rules import JudgedPattern, TableRules, refuse_narrow
from sekisho.words import Said, name_setting

LACK = Said(
    "a published table does not tell the hidden values: give the true cells and {pattern}",
    pattern=name_setting("pattern"),
)


def judge_published(table: Table, rules: TableRules, *, counts: bool, insiders: int = 0) -> PatternCase:
    """Return a published table as a case of its own.

    Where it says which cells are unsafe, those need the width that is asked (10 for counts); else every hidden cell may
    be one, and needs the width if one is asked.

    Raises:
        ParameterError: a rule or insiders are asked for: both need the true values.
    """
    if rules.stated:
        raise ParameterError("rule", Said("not be given with a published table"), "rules", hint=LACK)
    if insiders:
        raise ParameterError("insiders", Said("not be given with a published table"), insiders, hint=LACK)
    if table.primary.any():
        return PatternCase(system=wrap_table(rules.judge(table, counts=counts).table), shown=())
    if rules.width is not None:
        refuse_narrow(rules.width)
        table = table.flag_cells(table.status == Status.SECONDARY, sliding=rules.width)
    return PatternCase(system=wrap_table(table), shown=())


class DifferenceBasis(StrEnum):
    """How it is known who contributes to the differences of populations."""

    COUNTS = "counts"
    RECORDS = "microdata"
    BOUNDS = "bounds"

    @property
    def condition(self) -> str:
        """What must be so for a promise about differences to hold; empty if nothing more is asked."""
        return CONDITION if self is DifferenceBasis.BOUNDS else ""


CONDITION = "nobody contributes to a part and beside it, and the largest contributions are those named"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TableSystem:
    """What is suppressed, or audited, as one.

    Attributes:
        table: all cells and equations.
        parts: the tables themselves.
        places: where each cell of each part stands in the system.
        derived: the cells that nobody publishes and that can be worked out: differences. Such a cell may be known
            unless it is unsafe.
        basis: how it is known who contributes to differences; None where none are formed.
    """

    table: Table
    parts: tuple[Table, ...]
    places: tuple[NDArray[np.intp], ...]
    derived: Mask
    basis: DifferenceBasis | None = None

    def mark_parts(self, pattern: Table) -> list[Table]:
        """Return each part with the statuses and levels that its cells have in a pattern of the system."""
        return [
            part.mark_cells(
                pattern.status[at],
                lower=pattern.lower_level[at],
                upper=pattern.upper_level[at],
                sliding=pattern.sliding_level[at],
            )
            for part, at in zip(self.parts, self.places, strict=True)
        ]

    def restrict_audit(self, audit: Audit) -> list[Audit]:
        """Return an audit of the system seen from each part: the same intervals at that table's cells.

        A limit of one is one of each.
        """
        joint = audit.table.joint if audit.table.joint.limit else NOTHING_MORE
        marked = self.mark_parts(audit.table)
        return [_restrict(audit, replace(part, joint=joint), at) for part, at in zip(marked, self.places, strict=True)]


def _restrict(audit: Audit, part: Table, at: NDArray[np.intp]) -> Audit:
    cells = np.flatnonzero(part.suppressed & np.isin(at, audit.cells))
    at_audit = np.searchsorted(audit.cells, at[cells])
    return replace(
        audit,
        table=part,
        cells=cells,
        low=audit.low[at_audit],
        high=audit.high[at_audit],
        certain=audit.certain[at_audit],
    )


def wrap_table(table: Table) -> TableSystem:
    """Return one table as a system of its own."""
    return TableSystem(
        table=table, parts=(table,), places=(np.arange(len(table)),), derived=np.zeros(len(table), dtype=np.bool_)
    )


def link_tables(tables: Sequence[Table], *, joint: bool | None = None) -> TableSystem:
    """Return tables of one population, their unsafe cells flagged, as the system that is to be suppressed.

    ``joint`` asks for the joint table behind them, or against it
    (:func:`sekisho.tables.model.linked.join.join_tables`).
    """
    return _place_parts(join_tables(tables, joint=joint), tables)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NamedTable:
    """One of several tables that leave together: what its file is called after, what its cells tell, if they count."""

    name: str
    measure: str
    table: Table
    counts: bool


def link_named(named: Sequence[NamedTable]) -> TableSystem:
    """Return named tables of one population, their unsafe cells flagged, as the system that is to be suppressed.

    Tables of different measures share no cell; their attacker knows which cells are empty.
    """
    by_measure: dict[str, list[NamedTable]] = {}
    for one in named:
        by_measure.setdefault(one.measure, []).append(one)
    ordered = [one for group in by_measure.values() for one in group]
    alone = len(by_measure) == 1
    parts = {one.name: one.table if alone else know_empty(one.table, counts=one.counts) for one in named}
    systems = {measure: join_tables([parts[one.name] for one in group]) for measure, group in by_measure.items()}
    uncovered = [system.joint for system in systems.values() if system.joint.cover is Cover.NOT_COVERED]
    if uncovered and len(systems) > 1:  # what is said of the joint table is said of all measures
        plain = {
            measure: join_tables([parts[one.name] for one in group], joint=False)
            for measure, group in by_measure.items()
        }
        systems = {measure: replace(system, joint=uncovered[0]) for measure, system in plain.items()}
    system = stack_measures(systems) if len(systems) > 1 else next(iter(systems.values()))
    linked = {one.name: replace(part, name=one.name) for one, part in zip(ordered, system.linked, strict=True)}
    return TableSystem(
        table=replace(system, linked=tuple(linked[name] for name in parts)),
        parts=tuple(parts.values()),
        places=tuple(np.array(linked[name].cells) for name in parts),
        derived=np.zeros(len(system), dtype=np.bool_),
    )


def _place_parts(table: Table, parts: Sequence[Table]) -> TableSystem:
    return TableSystem(
        table=table,
        parts=tuple(parts),
        places=tuple(places(part, table) for part in parts),
        derived=np.zeros(len(table), dtype=np.bool_),
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PatternCase:
    """Patterns to be audited as one, beside the rules.

    Attributes:
        system: what an attacker sees of them; its unsafe cells with the levels that the rules ask.
        shown: the names of the cells that must not be published and are.
    """

    system: TableSystem
    shown: tuple[str, ...]


def judge_table(
    pattern: Table, rules: TableRules, *, counts: bool | None = None, flagged: Mask | None = None
) -> PatternCase:
    """Return one pattern, ours or another program's, beside the rules.

    ``flagged`` are the cells that the file of the table itself calls unsafe.
    """
    judged = rules.judge(pattern, counts=counts)
    shown = (
        {*judged.shown, *np.flatnonzero(~pattern.suppressed & flagged).tolist()}
        if flagged is not None
        else judged.shown
    )
    return PatternCase(system=wrap_table(judged.table), shown=tuple(map(judged.table.named, sorted(shown))))


def judge_linked(
    patterns: Sequence[Table], rules: TableRules, *, counts: bool | None = None, joint: bool | None = None
) -> PatternCase:
    """Return the patterns of tables of one population beside the rules; a cell that one of them shows is shown."""
    judged = [rules.judge(pattern, counts=counts) for pattern in patterns]
    view = view_tables([each.table for each in judged], joint=joint)
    system = _place_parts(view.table, [each.table for each in judged])
    shown = set(map(view.table.named, np.flatnonzero(view.shown).tolist())) | set(name_shown(system, judged))
    return PatternCase(system=system, shown=tuple(sorted(shown)))


def name_shown(system: TableSystem, judged: Sequence[JudgedPattern]) -> list[str]:
    """Return the names of the cells that the rules forbid to publish and a part's pattern shows."""
    return [system.table.named(at[cell]) for at, each in zip(system.places, judged, strict=True) for cell in each.shown]
