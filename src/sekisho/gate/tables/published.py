"""A published table beside what can be asked of it: an outsider's intervals, and how wide they are."""

from __future__ import annotations

from sekisho.errors import ParameterError
from sekisho.gate.tables.system import PatternCase, wrap_table
from sekisho.tables.model.table import Status, Table
from sekisho.tables.rules.levels import refuse_narrow
from sekisho.tables.rules.table_rules import TableRules
from sekisho.words import Said

LACK = Said("a published table does not tell the hidden values: give the true cells and --pattern")


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
