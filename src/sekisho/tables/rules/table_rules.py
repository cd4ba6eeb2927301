"""All that is asked of a table's suppression, as one value: unsafe cells, their levels, the costs of the others."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sekisho.errors import ParameterError
from sekisho.tables import CellRule
from sekisho.tables.model.table import Table
from sekisho.tables.rules.costs import Price, charge_costs
from sekisho.tables.rules.levels import (
    MIN_COUNT,
    JudgedPattern,
    choose_rules,
    guard_primaries,
    judge_pattern,
    switched_off,
)
from sekisho.tables.rules.primary import primaries
from sekisho.words import Said


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRules:
    """Which cells are unsafe, how far an attacker must stay from each, and what hiding a cell costs.

    Attributes:
        rules: the primary rules asked for; in a table of counts a minimum frequency holds beside them.
        min_count: that minimum frequency; 5 if it is None, and 0 or 1 switch it off.
        width: how wide an attacker's interval of each unsafe cell must be; 10 for counts if it is None.
        cost: of the suppression of a cell.
    """

    rules: tuple[CellRule, ...] = ()
    min_count: int | None = None
    width: float | None = None
    cost: Price = Price.ONE

    @property
    def stated(self) -> bool:
        """Whether somebody says which cells are unsafe: else a pattern's own word is taken for it."""
        return self.min_count is not None or bool(self.rules)

    def choose(self, *, counts: bool, flagged: bool = False) -> list[CellRule]:
        """Return the primary rules that hold, each with a protection level.

        See :func:`sekisho.tables.rules.levels.choose_rules`.
        """
        return choose_rules(self.rules, counts=counts, min_count=self.min_count, width=self.width, flagged=flagged)

    def mark(self, table: Table, *, counts: bool | None = None) -> Table:
        """Return the table with its costs charged and every cell that a rule flags unsafe.

        Raises:
            ParameterError: no rule says which cells of a table of sums are unsafe, and none is flagged already.
        """
        table, counting = charge_costs(table, self.cost), table.counts if counts is None else counts
        return primaries(table, self.choose(counts=counting, flagged=bool(table.primary.any())))

    def flag(self, table: Table, *, counts: bool | None = None) -> Table:
        """Return the table marked, and no unsafe cell of it without a level that somebody chose.

        Raises:
            ParameterError: no rule says which cells of a table of sums are unsafe, and none is flagged already.
        """
        return guard_primaries(self.mark(table, counts=counts), width=self.width)

    def judge(self, table: Table, *, counts: bool | None = None) -> JudgedPattern:
        """Return a pattern, anybody's, with the levels that these rules ask, and the unsafe cells that it shows.

        The levels are those of its hidden cells.
        """
        counting = table.counts if counts is None else counts
        chosen = self.choose(counts=counting) if self.stated else []
        return judge_pattern(table, chosen, counts=counting, width=self.width)

    def of_differences(self, *, counts: bool = True) -> TableRules:
        """Return the rules for differences of populations; those of counts fall under the minimum frequency.

        Raises:
            ParameterError: it is switched off, or no rule is given for differences of sums.
        """
        if not counts:
            if not self.stated:
                raise ParameterError(
                    "rule", Said("be given for differences of sums"), "none", hint=Said("for example --rule p%:15")
                )
            return self
        if self.min_count is not None and switched_off(self.min_count):
            raise ParameterError("min_count", Said("be at least 2, for differences have no other rule"), self.min_count)
        return replace(self, min_count=MIN_COUNT if self.min_count is None else self.min_count)
