"""All that is asked of a table's suppression, as one value: unsafe cells, their levels, the costs of the others.

What the suppression of a cell costs: 1, its value, or its number of contributors.

Which rules hold for a table, and that no unsafe cell goes without a protection level.

In a table of counts a minimum frequency always holds, 5 unless another is asked for; further rules add to it. An unsafe
cell of a count needs an interval 10 wide, that of a sum a margin of 20 % on either side, where its rule or the file
that flags it says nothing.

Primary rules as words of the command line.

For example ``p%:15``, ``nk:2,85``, ``pq:10,50``, ``min:5``, ``request:70,3``, ``zeros:1``. ==================
==================================================================== word                rule ==================
==================================================================== ``p%:P[,C]``        p% rule, coalition of C
insiders (1; 0 is an outsider) ``nk:N,K``          (n,k) dominance ``pq:P,Q[,C]``      prior-posterior rule
``min:N[,MARGIN]``  at least N contributors; margin in per cent of the value ``request:K[,N]``   request rule: share K,
or fewer than N contributors ``zeros[:WIDTH]``   zeros are unsafe ==================
====================================================================

``@holdings`` at the end applies a rule to holdings instead of single contributors: ``p%:15@holdings``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass, replace
from enum import StrEnum
from fractions import Fraction

import numpy as np

from sekisho.data.files.values import parse_exact
from sekisho.errors import ParameterError
from sekisho.tables import CellRule
from sekisho.tables.model.contributors import counted_of
from sekisho.tables.model.limits import LEAST
from sekisho.tables.model.table import Mask, Table
from sekisho.tables.rules import CELL_RULES, RuleWord
from sekisho.tables.rules.primary import (
    COUNT_WIDTH,
    MARGIN,
    MinimumFrequency,
    UnsafeZeros,
    at_least,
    primaries,
    refuse_narrow,
    usual_levels,
)
from sekisho.words import Said, name_setting


class Price(StrEnum):
    """What the suppression of a cell costs."""

    ONE = "1"
    VALUE = "value"
    FREQUENCY = "frequency"


def charge_costs(table: Table, price: Price) -> Table:
    """Return the table with the costs asked for; a cell of 0 costs as much as the least other one, but at most 1.

    What costs nothing would be suppressed for nothing.

    Raises:
        ParameterError: costs by frequency are asked of a table whose frequencies are not known.
    """
    if price is Price.ONE:
        return table
    if price is Price.FREQUENCY:
        weight = counted_of(table, holdings=False).count.astype(np.float64)
    else:
        weight = np.abs(table.value)
    return replace(table, weight=np.maximum(weight, min(1.0, float(weight[weight > 0].min(initial=1.0)))))


MIN_COUNT = 5
"""The fewest people a published count may have, if nobody says otherwise."""


def choose_rules(
    rules: Iterable[CellRule],
    *,
    counts: bool,
    min_count: int | None = None,
    width: float | None = None,
    flagged: bool = False,
) -> list[CellRule]:
    """Return the primary rules that hold, each with a protection level.

    Args:
        rules: those asked for.
        counts: whether the table counts: then a minimum frequency holds beside them.
        min_count: the minimum frequency; 0 and 1 switch it off.
        width: of the intervals of cells whose rule says no level; 10 for counts, and for sums a margin instead.
        flagged: whether the table comes with its unsafe cells flagged, and needs no rule.

    Raises:
        ParameterError: a table of sums without a rule, or a width that protects nothing.
    """
    if width is not None:
        refuse_narrow(width)
    fewest = MIN_COUNT if min_count is None and counts else min_count or 0
    at_least("min_count", fewest, 0)
    chosen = list(rules)
    if not switched_off(fewest):
        chosen.append(MinimumFrequency(count=fewest))
    if not (chosen or counts or flagged):
        raise ParameterError(
            "rule",
            Said("be given for a table of sums"),
            "none",
            hint=Said("for example {rule}", rule=name_setting("rule", "p%:15")),
        )
    return [_add_level(rule, width, counts=counts) for rule in chosen]


def switched_off(min_count: int) -> bool:
    """Tell whether a minimum frequency forbids nothing.

    There are no cells with fewer than one contributor but those without any.
    """
    return min_count <= 1


def _add_level(rule: CellRule, width: float | None, *, counts: bool) -> CellRule:
    usual = COUNT_WIDTH if width is None else width
    if isinstance(rule, MinimumFrequency) and rule.width is None and rule.margin is None:
        return replace(rule, margin=MARGIN) if width is None and not counts else replace(rule, width=usual)
    if isinstance(rule, UnsafeZeros) and counts:
        return replace(rule, empty=True, width=usual if rule.width is None else rule.width)
    return rule


def bare_primaries(table: Table) -> Mask:
    """Return the unsafe cells for which nobody says a level: their file gives none, and the least stands in for it."""
    return table.primary & (table.lower_level == 0) & (table.upper_level == 0) & (table.sliding_level <= LEAST)


def guard_primaries(table: Table, *, width: float | None = None) -> Table:
    """Return the table with every unsafe cell protected by the width.

    Without one, those that nobody gives a level by the margin.
    """
    if width is not None:
        refuse_narrow(width)
        return table.flag_cells(table.primary, sliding=width)
    usual, bare = usual_levels(table, margin=MARGIN), bare_primaries(table)
    return replace(
        table,
        lower_level=np.where(bare, usual.lower, table.lower_level),
        upper_level=np.where(bare, usual.upper, table.upper_level),
        sliding_level=np.where(bare, usual.sliding, table.sliding_level),
    )


def tell_switched_off(min_count: int | None, *, counts: bool) -> Iterator[Said]:
    """Give what must be said where the minimum frequency of counts is switched off."""
    if counts and min_count is not None and switched_off(min_count):
        yield Said(
            "the minimum frequency is switched off ({setting}): counts of 1 may be published",
            setting=name_setting("min_count", str(min_count)),
        )


def tell_bare(table: Table) -> Iterator[Said]:
    """Give what must be said of unsafe cells without a level that somebody chose."""
    bare = np.flatnonzero(bare_primaries(table))
    width = name_setting("width")
    if bare.size and np.any(table.value[bare] == 0):
        yield Said(
            "{cells} unsafe cells come without a protection level: {margin} % of their value is taken, of 0 that of "
            "the smallest other value (or say {width})",
            cells=bare.size,
            margin=MARGIN,
            width=width,
        )
    elif bare.size:
        yield Said(
            "{cells} unsafe cells come without a protection level: {margin} % of their value is taken (or say {width})",
            cells=bare.size,
            margin=MARGIN,
            width=width,
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JudgedPattern:
    """A pattern beside the rules.

    Attributes:
        table: its unsafe cells with their levels.
        shown: the cells that a rule forbids to publish and the pattern shows.
    """

    table: Table
    shown: tuple[int, ...]


def judge_pattern(
    table: Table, rules: Sequence[CellRule], *, counts: bool, width: float | None = None
) -> JudgedPattern:
    """Return a pattern with the levels that the rules ask of its hidden cells.

    Its primaries get the width that is asked of them, too. What the pattern calls primary and no rule judges needs an
    interval 10 wide if it is a count; else it must at least not be known.
    """
    unsafe = np.zeros(len(table), dtype=np.bool_)
    bare = bare_primaries(table)
    for rule in rules:
        mask, levels = rule.flag(table), rule.levels(table)
        unsafe |= mask
        table = table.flag_cells(
            mask & table.suppressed, lower=levels.lower, upper=levels.upper, sliding=levels.sliding
        )
    if width is not None:
        refuse_narrow(width)
        table = table.flag_cells(table.primary, sliding=width)
    elif counts:
        table = table.flag_cells(bare & ~unsafe, sliding=COUNT_WIDTH)
    return JudgedPattern(table=table, shown=tuple(np.flatnonzero(unsafe & ~table.suppressed).tolist()))


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

        See :func:`sekisho.tables.rules.table_rules.choose_rules`.
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
                    "rule",
                    Said("be given for differences of sums"),
                    "none",
                    hint=Said("for example {rule}", rule=name_setting("rule", "p%:15")),
                )
            return self
        if self.min_count is not None and switched_off(self.min_count):
            raise ParameterError("min_count", Said("be at least 2, for differences have no other rule"), self.min_count)
        return replace(self, min_count=MIN_COUNT if self.min_count is None else self.min_count)


HOLDINGS = "@holdings"
MOST = 10**12
NUMBERS: Mapping[str, tuple[str, ...]] = {
    "min": ("count", "margin"),
    "nk": ("n", "k"),
    "p%": ("p", "coalition"),
    "pq": ("p", "q", "coalition"),
    "request": ("share", "count"),
    "zeros": ("width",),
}
"""Which fields of a rule its word tells, in their order."""


def rule(word: str) -> CellRule:
    """Return the rule that a word names.

    Raises:
        UnknownNameError: there is no such rule.
        ParameterError: too few or too many numbers, or one against the rule's own conditions.
    """
    plain = word.removesuffix(HOLDINGS)
    name, _, rest = plain.partition(":")
    kind = CELL_RULES[name.lower()]
    fewest, most = kind.numbers
    parts = [part for part in rest.split(",") if part.strip()]
    if not fewest <= len(parts) <= most:
        raise ParameterError(
            Said("rule {name}", name=name), Said("have {fewest} to {most} numbers", fewest=fewest, most=most), word
        )
    return kind.from_word(RuleWord(tuple(_number(part, word) for part in parts), plain != word))


def write_rule(asked: CellRule) -> str:
    """Return a rule as its word, such as ``p%:15@holdings``, and in brackets what no word tells: ``min:5 (width=10)``.

    A stranger's rule is written as it calls itself.
    """
    name = next((name for name in NUMBERS if type(asked) is CELL_RULES[name]), None)
    if name is None:
        return repr(asked)
    parts = fields(asked) if is_dataclass(asked) else ()
    given = {part.name: getattr(asked, part.name) for part in parts if _is_said(asked, part)}
    shown = [field for field in NUMBERS[name] if field in given]
    last = NUMBERS[name].index(shown[-1]) + 1 if shown else 0
    numbers = ",".join(f"{_plain(getattr(asked, field))}" for field in NUMBERS[name][:last])
    more = ", ".join(f"{key}={_plain(value)}" for key, value in given.items() if key not in (*shown, "holdings"))
    word = f"{name}:{numbers}" if numbers else name
    return word + (HOLDINGS if given.get("holdings") else "") + (f" ({more})" if more else "")


def _is_said(asked: CellRule, part: Field[object]) -> bool:
    return part.default is MISSING or getattr(asked, part.name) != part.default or part.name == "count"


def _plain(value: object) -> object:
    return f"{value:g}" if isinstance(value, float) else value


def _number(text: str, word: str) -> Fraction:
    try:
        number = float(text) if "/" not in text else 0.0  # an exponent without end costs nothing as a float
        exact = parse_exact(text.strip()) if abs(number) <= MOST else Fraction(0)
    except ValueError as error:
        raise ParameterError("rule", Said("hold numbers"), word) from error
    if not abs(number) <= MOST or abs(exact) > MOST:
        raise ParameterError("rule", Said("hold numbers up to {most:,}", most=MOST), word)
    return exact
