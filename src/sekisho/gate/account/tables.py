"""The account of tables: one entry for each attacker whom the data make possible, and for what nobody judged.

Whoever reads a table knows the equations. Some know more: that counts are whole, what they gave themselves, the other
tables of the same data, that one measure follows from another, how the table was protected. Each of them is held off by
proof, under an assumption that is named, or was not considered; what the data make possible is not left out in silence.

Beside the attackers stands what green needs: rules that looked at every published cell and ask for something, marks of
the input that were all used, contributors that are settled, and no dimension whose codes name them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from sekisho.errors import ParameterError
from sekisho.gate.account.account import Account, AccountEntry, Unit, UnitOrigin
from sekisho.gate.account.attackers import INSIDER, METHOD, OTHER_TABLES, OUTSIDER, SHOWN_CELLS
from sekisho.safety.cover import Coverage
from sekisho.tables import CellRule
from sekisho.tables.audit.coalitions import is_counted, refuse_unknown
from sekisho.tables.audit.nested_cells import find_nested_leaks
from sekisho.tables.audit.statements import ReaderKnowledge
from sekisho.tables.files.input_marks import InputMarks
from sekisho.tables.files.row_unit import RowUnit, UnitGround
from sekisho.tables.model.contributors import counted_of
from sekisho.tables.model.table import Table
from sekisho.tables.rules.table_rules import write_rule
from sekisho.tables.rules.weak_demand import find_telling_zeros, find_weak_demand
from sekisho.words import Said, join_words, name_setting

MOST_NAMED = 5
ASK_INSIDERS = name_setting("insiders", "1")
ORIGINS = {
    UnitGround.COLUMN: UnitOrigin.KNOWN,
    UnitGround.HOLDER: UnitOrigin.SAID,
    UnitGround.NOTHING: UnitOrigin.SAID,
    UnitGround.DOUBT: UnitOrigin.OPEN,
}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JudgedTable:
    """One table that leaves, with its pattern, and what says which of its cells are unsafe.

    Attributes:
        table: its cells.
        rules: the primary rules that hold for it.
        counts: whether it counts.
        marks: what the columns of marks of its file say.
        unit: whose the rows are that it was made of; None of cells.
    """

    table: Table
    rules: Sequence[CellRule]
    counts: bool
    marks: InputMarks = field(default_factory=InputMarks)
    unit: RowUnit | None = None

    def list_entries(self) -> Iterator[AccountEntry]:
        """Give what is known of the choice of its unsafe cells, and what was left unused or names contributors."""
        yield self._judge_rules()
        zeros = np.flatnonzero(find_telling_zeros(self.table, self.rules)).tolist()
        if zeros:
            detail = Said(
                "{count} published {count:cell is|cells are} 0 though somebody contributes, which tells that each gave "
                "nothing, and no rule looks at it ({rule}): {cells}",
                count=len(zeros),
                rule=name_setting("rule", "zeros"),
                cells="; ".join(map(self.table.named, zeros[:MOST_NAMED])) + ("; …" if zeros[MOST_NAMED:] else ""),
            )
            yield AccountEntry(subject=Said("attacker|cells of 0"), cover=Coverage.OPEN, by=detail)
        if self.marks.unused:
            names = join_words(self.marks.unused, ", ")
            detail = Said("looks like a mark of the cells and was not used: name it as the page on table files says")
            yield AccountEntry(subject=names, cover=Coverage.OPEN, by=detail)
        for doubt in () if self.unit is None else self.unit.list_doubts():
            yield AccountEntry(subject=Said("attacker|contributors"), cover=Coverage.OPEN, by=doubt)

    def _judge_rules(self) -> AccountEntry:
        """Return who says which cells are unsafe: rules that ask for something, else the statuses of the file."""
        weak = find_weak_demand(self.rules, counts=self.counts)
        if weak is None:
            words = join_words(dict.fromkeys(map(write_rule, self.rules)), ", ")
            by = Said("every cell was looked at by {rules}", rules=words)
            return AccountEntry(subject=SHOWN_CELLS, cover=Coverage.PROVEN, by=by)
        if self.marks.rated and not self.rules:
            by = Said("if the statuses of the file name every unsafe cell")
            return AccountEntry(subject=SHOWN_CELLS, cover=Coverage.PROMISED, by=by)
        return AccountEntry(subject=SHOWN_CELLS, cover=Coverage.OPEN, by=weak)


def knows_contributors(tables: Sequence[JudgedTable]) -> bool:
    """Tell whether it is known who contributes to the cells: a single contributor then knows their own part."""
    return any(each.unit is not None or (not is_counted(each.table) and each.table.frequency.any()) for each in tables)


def find_usual_insiders(table: Table, *, known: bool) -> int:
    """Return how many contributors of one cell are considered together where nobody says it.

    One where it is known who contributes, and what the largest of them gave; else none.

    Args:
        table: the cells.
        known: whether it is known who contributes.
    """
    if not known:
        return 0
    try:
        counted_of(table, holdings=False)
        refuse_unknown(table, 1)
    except ParameterError:
        return 0
    return 1


def cover_insiders(
    tables: Sequence[JudgedTable],
    *,
    insiders: int,
    proven: bool = False,
    made: bool = False,
    pattern: Table | None = None,
) -> AccountEntry | None:
    """Return whether a single contributor of a cell was considered; None where nobody knows who contributes.

    Args:
        tables: that leave together.
        insiders: how many contributors of one cell were considered together; 0 for none.
        proven: whether a certificate says that they are held off.
        made: whether the tables are published by another method than hiding cells.
        pattern: which cells are hidden; what contributors know of several of them is asked of it.
    """
    leaking = np.zeros(0, dtype=np.intp) if pattern is None else find_nested_leaks(pattern, insiders)
    if insiders and pattern is not None and (leaking is None or leaking.size):
        return AccountEntry(
            subject=INSIDER, cover=Coverage.NOT_CONSIDERED, by=_tell_nested(pattern, leaking), figure=insiders
        )
    if insiders:
        by = Said("{size} of one cell together know what they gave", size=insiders)
        cover = Coverage.PROVEN if proven else Coverage.PROMISED
        return AccountEntry(subject=INSIDER, cover=cover, by=by, figure=insiders)
    if not knows_contributors(tables):
        return None
    by = Said("contributors are known, and know what they gave: {setting} considers each", setting=ASK_INSIDERS)
    if made:
        by = Said(
            "contributors are known, and it is not shown that none of them learns another's cell by what they gave"
        )
    elif not any(find_usual_insiders(each.table, known=True) for each in tables):
        by = Said(
            "it is known how many contribute, and not what the largest of them gave: name these with {contributors}",
            contributors=name_setting("contributors"),
        )
    return AccountEntry(subject=INSIDER, cover=Coverage.NOT_CONSIDERED, by=by)


def _tell_nested(pattern: Table, leaking: NDArray[np.intp] | None) -> Said:
    """Return what contributors learn who are alone in several hidden cells, or that there are too many to ask."""
    if leaking is None:
        return Said("what contributors know who are alone in several hidden cells was not asked: there are too many")
    named = "; ".join(map(pattern.named, leaking[:MOST_NAMED].tolist()))
    return Said(
        "who is alone in several hidden cells, one in the other, estimates {count} unsafe {count:cell|cells} too "
        "closely: {cells}",
        count=len(leaking),
        cells=named + ("; …" if leaking[MOST_NAMED:].size else ""),
    )


def cover_outsider(*, proven: bool, audited: bool) -> AccountEntry:
    """Return what holds off whoever knows the published cells and all equations.

    Args:
        proven: whether a valid certificate says so.
        audited: whether every interval was solved for, and is wide enough.
    """
    if proven:
        return AccountEntry(
            subject=OUTSIDER, cover=Coverage.PROVEN, by=Said("its certificate was checked in exact arithmetic")
        )
    if audited:
        return AccountEntry(subject=OUTSIDER, cover=Coverage.PROMISED, by=Said("if the audit's arithmetic is right"))
    by = Said("no valid certificate proves what is hidden, and no audit found it wide enough")
    return AccountEntry(subject=OUTSIDER, cover=Coverage.NOT_CONSIDERED, by=by)


def cover_other_tables(table: Table, *, tables: int) -> AccountEntry | None:
    """Return whether readers of the tables that leave together were considered; None where one leaves alone."""
    if tables < 2:
        return None
    if table.joint.overlooked:
        return AccountEntry(subject=OTHER_TABLES, cover=Coverage.NOT_CONSIDERED, by=join_words((table.joint.limit,)))
    by = Said("{tables} tables are judged as one system", tables=tables)
    return AccountEntry(subject=OTHER_TABLES, cover=Coverage.PROVEN, by=by)


def cover_method(against: Sequence[ReaderKnowledge]) -> AccountEntry:
    """Return what is known against whoever knows how the table was protected.

    ``against`` is what its readers may know of a method other than hiding cells; nothing of a pattern.
    """
    if not against:
        by = Said("which cells are hidden is known, and why each of them is not used")
        return AccountEntry(subject=METHOD, cover=Coverage.PROMISED, by=by)
    known = Said("how the numbers come about is known, and why these were chosen is not used")
    if ReaderKnowledge.LEAST in against:
        known = Said("it is also known that the change is least")
    return AccountEntry(subject=METHOD, cover=Coverage.PROMISED, by=known)


def account_patterns(
    tables: Sequence[JudgedTable],
    system: Table,
    *,
    insiders: int,
    proven: bool = False,
    audited: bool = False,
    further: Sequence[AccountEntry | None] = (),
) -> Account:
    """Return what is known against each attacker of patterns that leave together.

    Args:
        tables: each with its pattern.
        system: all of their cells as one.
        insiders: how many contributors of one cell were considered together.
        proven: whether a valid certificate speaks of these, and of the outsider.
        audited: whether every interval was solved for, and is wide enough.
        further: what else is known.
    """
    entries = [
        cover_outsider(proven=proven, audited=audited),
        cover_insiders(tables, insiders=insiders, proven=proven, pattern=system),
        cover_other_tables(system, tables=len(tables)),
        cover_method(()),
        *further,
    ]
    return make_account(tables, entries)


def find_unit(tables: Sequence[JudgedTable]) -> Unit:
    """Return whose the rows are that tables were made of, or that they came as cells."""
    units = [each.unit for each in tables if each.unit is not None]
    if not units:
        cells = sum(len(each.table) for each in tables)
        words = Said("{cells:,} {cells:cell|cells}, which came as cells", cells=cells)
        return Unit(origin=UnitOrigin.SAID, people=0, rows=cells, words=words)
    unit = next((unit for unit in units if unit.ground is UnitGround.DOUBT), units[0])
    return Unit(
        who=unit.column or unit.known_by,
        # what is doubted stands among the entries, with the option that settles it
        origin=UnitOrigin.SAID if unit.ground is UnitGround.DOUBT else ORIGINS[unit.ground],
        people=unit.owners or 0,
        rows=unit.rows or 0,
        words=unit.describe(),
    )


def make_account(tables: Sequence[JudgedTable], attackers: Sequence[AccountEntry | None]) -> Account:
    """Return the account of tables that leave together.

    Args:
        tables: each with its pattern and rules.
        attackers: what is known against each attacker; None for one whom the data do not make possible.
    """
    entries = [entry for each in tables for entry in each.list_entries()]
    entries += [entry for entry in attackers if entry is not None]
    return Account(unit=find_unit(tables), entries=tuple(_join_entries(entries)), attackers=True)


def _join_entries(entries: Sequence[AccountEntry]) -> Iterator[AccountEntry]:
    """Give entries of the same attacker with the same cover as one."""
    for subject, cover in dict.fromkeys((entry.subject, entry.cover) for entry in entries):
        alike = [entry for entry in entries if (entry.subject, entry.cover) == (subject, cover)]
        words = tuple(dict.fromkeys(entry.by for entry in alike))
        yield replace(alike[0], by=words[0] if len(words) == 1 else join_words(words, "; "))
