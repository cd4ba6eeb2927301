"""Tables as the commands judge them: with their rules, the marks of their files, and whoever contributes to them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sekisho.gate.account.account import Account
from sekisho.gate.account.tables import JudgedTable, find_usual_insiders, knows_contributors
from sekisho.gate.outcome import Reason, Verdict, close_account, find_verdict
from sekisho.tables.files.input_marks import InputMarks
from sekisho.tables.files.source import TableRead
from sekisho.tables.model.table import Table
from sekisho.tables.rules.table_rules import TableRules


def judge_read(read: TableRead, pattern: Table, rules: TableRules, *, counts: bool) -> JudgedTable:
    """Return a pattern of a table that was read, with what says which of its cells are unsafe.

    Where no rule is stated, the pattern's own word is taken for it, as its file's is.
    """
    chosen = rules.choose(counts=counts) if rules.stated else []
    marks = InputMarks(read=read.marks.read, unused=read.marks.unused, rated=True)
    return JudgedTable(table=pattern, rules=chosen, counts=counts, marks=marks, unit=read.unit)


def judge_marked(
    reads: Sequence[TableRead], marked: Sequence[Table], rules: TableRules, *, counts: bool
) -> list[JudgedTable]:
    """Return tables that were read, with their unsafe cells flagged, and what says which these are."""
    return [
        JudgedTable(
            table=table,
            rules=rules.choose(counts=counts, flagged=bool(table.primary.any())),
            counts=counts,
            marks=read.marks,
            unit=read.unit,
        )
        for read, table in zip(reads, marked, strict=True)
    ]


def choose_insiders(asked: int | None, judged: Sequence[JudgedTable], table: Table) -> int:
    """Return how many contributors of one cell are considered together: as is said, else as is usual."""
    return find_usual_insiders(table, known=knows_contributors(judged)) if asked is None else asked


def judge_account(account: Account, reasons: Iterable[Reason]) -> Verdict:
    """Return what an account and what speaks against tables come to."""
    return find_verdict(close_account(account, reasons))
