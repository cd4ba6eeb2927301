"""Primary rules: which cells must not be published, and how far from the truth an attacker must stay.

Here the rules that count or name; those that weigh contributions against each other are in
:mod:`sekisho.tables.rules.concentration`.

What the primary rules share.

A sensitivity above zero, the reach it asks for on either side of the value, and the usual levels. No level is 0: an
unsafe cell that asks for nothing is hidden but not protected.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from typing import ClassVar

import numpy as np

from sekisho.data.shape import Shape
from sekisho.errors import ParameterError
from sekisho.parameters import checked
from sekisho.tables import CellRule, Levels
from sekisho.tables.model.contributors import Contributors, asked_of, contributors_of, counted_of
from sekisho.tables.model.limits import LEAST, RELATIVE_SLACK
from sekisho.tables.model.table import Floats, Mask, Table
from sekisho.tables.rules import RuleWord
from sekisho.words import Said

COUNT_WIDTH = 10.0
"""How wide the interval of an unsafe count must be, if nobody says: t of Minami, Optimisation of cell suppression."""
MARGIN = Fraction(20)
"""How many per cent of a sum its interval must reach on either side, if nobody says: the manual safety range of
τ-ARGUS."""


def positive(sensitivity: Floats, known: Contributors) -> Mask:
    """Tell where S > 0, apart from the last digits of float sums: at S = 0 a cell is safe by every rule."""
    return sensitivity > known.total * 100 * RELATIVE_SLACK


def two_sided(table: Table, level: Floats, *, width: float = 0.0) -> Levels:
    """Return a level on either side, and a width.

    A level is at least the least there is, but below the value no further than to 0 where nothing is below 0. Of bounds
    that everybody knows besides, nothing is taken off: where they leave less than the level, the cell cannot be
    protected, and the answer must be that.
    """
    reach = np.maximum(level, LEAST)
    natural = np.minimum(table.lower, 0.0)
    lower, upper = np.minimum(reach, np.maximum(table.value - natural, 0.0)), reach
    return Levels(lower=lower, upper=upper, sliding=np.full(len(table), float(width)))


def usual_levels(table: Table, *, width: float | None = None, margin: Fraction | None = None) -> Levels:
    """Return the levels where theory has none: a width, a margin on either side in per cent of the value, or both.

    If neither is said, counts need a width of 10 and sums a margin of 20 %. A value of 0 counts as the smallest other
    value of the table, for a part of 0 is none; and in a table of whole numbers a margin is at least 1, for less tells
    them apart from no other.
    """
    if width is None and margin is None:
        width, margin = (COUNT_WIDTH, None) if table.counts else (None, MARGIN)
    if not margin:
        nothing = np.zeros(len(table))
        return Levels(lower=nothing, upper=nothing, sliding=np.full(len(table), width or LEAST))
    size = np.abs(table.value)
    smallest = float(size.min(initial=inf, where=size > 0))
    size = np.where(size > 0, size, smallest if smallest < inf else 1.0)
    level = np.maximum(size * float(margin / 100), 1.0 if table.whole else LEAST)
    return two_sided(table, level, width=width or 0.0)


def refuse_no_level(width: float | None, margin: Fraction | None) -> None:
    """Refuse a width and a margin that are no numbers of at least 0, or that together ask for nothing.

    None is not said.
    """
    for name, value in (("width", width), ("margin", margin)):
        if value is not None:
            at_least(name, value, 0)
    if (width is not None or margin is not None) and not margin:
        refuse_narrow(0.0 if width is None else width)


def refuse_narrow(width: float) -> None:
    """Refuse a width that protects nothing."""
    if not LEAST <= width < inf:
        hint = Said("an unsafe cell without a level is hidden, but its value can be worked out")
        raise ParameterError("width", Said("be a number of at least {least:g}", least=LEAST), width, hint=hint)


def at_least(name: str, value: float | Fraction, least: int) -> None:
    """Refuse a parameter below its least value, and one that is no number."""
    if not least <= value < inf:
        raise ParameterError(name, Said("be a number of at least {least}", least=least), value)


def primaries(table: Table, rules: Sequence[CellRule], *, waived: Mask | None = None) -> Table:
    """Return the table with every cell that some rule flags made primary; of several rules' levels the highest counts.

    A waived cell (all whom it could disclose have agreed) stays as it is.

    Raises:
        ParameterError: a rule flags a cell and gives it no level.
        FaultsError: a rule flags a cell that must be published.
    """
    free = np.zeros(len(table), dtype=np.bool_) if waived is None else waived
    for rule in rules:
        levels = rule.levels(table)
        table = table.flag_cells(
            rule.flag(table) & ~free, lower=levels.lower, upper=levels.upper, sliding=levels.sliding
        )
    return table


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class MinimumFrequency:
    """A cell with few contributors is unsafe: they could be recognised, and each can tell the others.

    Theory gives no protection level for this rule: ``width`` is t of Minami, Optimisation of cell suppression (how wide
    the attacker's interval must be), ``margin`` a percentage of the value on either side, as τ-ARGUS asks for. If
    neither is said, counts need a width of 10, sums a margin of 20 %.

    Attributes:
        count: the fewest contributors a published cell may have.
        width: of the interval an attacker must be left with.
        margin: how many per cent below and above the value the interval must reach (see
            :func:`sekisho.tables.rules.primary.usual_levels`).
        coalition: how many contributors may pool their knowledge; they do not hide one another.
        zeros: whether a cell without contributors is unsafe too.
        holdings: whether contributors count by holding.
    """

    shapes: ClassVar[frozenset[Shape]] = frozenset({Shape.TABLE})
    numbers: ClassVar[tuple[int, int]] = (1, 2)

    count: int = 5
    width: float | None = None
    margin: Fraction | None = None
    coalition: int = 0
    zeros: bool = False
    holdings: bool = False

    def __post_init__(self) -> None:
        at_least("count", self.count, 1)
        refuse_no_level(self.width, self.margin)
        at_least("coalition", self.coalition, 0)

    @classmethod
    def from_word(cls, word: RuleWord) -> MinimumFrequency:
        """Return the rule that a word tells."""
        margin = word.numbers[1] if len(word.numbers) > 1 else None
        return cls(count=word.whole(0, 1), margin=margin, holdings=word.holdings)

    def flag(self, table: Table) -> Mask:
        """Return the cells with too few contributors."""
        count = counted_of(table, holdings=self.holdings).count
        return (count < self.count + self.coalition) & ((count > 0) | self.zeros)

    def levels(self, table: Table) -> Levels:
        """Return the width, and the margin on either side."""
        return usual_levels(table, width=self.width, margin=self.margin)


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class RequestRule:
    """Passive confidentiality: a cell is protected for one who asked for it.

    He has more than a share of it, or stands among few. The second clause: where few contribute, a large one who did
    not ask could tell the small one who did.

    Attributes:
        share: the percentage of the cell above which he who asked is protected.
        count: a cell with fewer contributors, one of whom asked, is unsafe whatever his share.
        margin: the level is at least so many per cent of the asked-for contribution.
        holdings: whether contributors count by holding.

    Source: τ-ARGUS manual 4.1, section 4.4.4 (used in foreign trade statistics). The level is that of (1,k) dominance.
    """

    shapes: ClassVar[frozenset[Shape]] = frozenset({Shape.TABLE})
    numbers: ClassVar[tuple[int, int]] = (1, 2)

    share: Fraction
    count: int = 0
    margin: Fraction = Fraction(10)
    holdings: bool = False

    def __post_init__(self) -> None:
        if not 0 < self.share < 100:
            raise ParameterError("share", Said("lie strictly between 0 and 100"), self.share)
        at_least("count", self.count, 0)
        at_least("margin", self.margin, 0)

    def sensitivity(self, known: Contributors) -> Floats:
        """Return 100/share times the asked-for contribution, less X."""
        return asked_of(known) * float(100 / self.share) - known.total

    @classmethod
    def from_word(cls, word: RuleWord) -> RequestRule:
        """Return the rule that a word tells."""
        return cls(share=word.numbers[0], count=word.whole(1, 0), holdings=word.holdings)

    def flag(self, table: Table) -> Mask:
        """Return the cells that somebody's request covers."""
        known = contributors_of(table, holdings=self.holdings)
        return positive(self.sensitivity(known), known) | ((asked_of(known) > 0) & (known.count < self.count))

    def levels(self, table: Table) -> Levels:
        """Return S, but at least the margin, on either side."""
        known = contributors_of(table, holdings=self.holdings)
        return two_sided(table, np.maximum(self.sensitivity(known), asked_of(known) * float(self.margin / 100)))


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class UnsafeZeros:
    """A total of zero discloses every contribution to it, where none can be negative.

    A count of zero, that nobody is there.

    Attributes:
        width: how far above zero the attacker's interval must reach; if not said, 10 in a table of counts and 1
            elsewhere.
        empty: whether cells without any contributor count as well; if not said, in a table of counts only, where there
            are no others.
    """

    shapes: ClassVar[frozenset[Shape]] = frozenset({Shape.TABLE})
    numbers: ClassVar[tuple[int, int]] = (0, 1)

    width: float | None = None
    empty: bool | None = None

    def __post_init__(self) -> None:
        if self.width is not None:
            refuse_narrow(self.width)

    @classmethod
    def from_word(cls, word: RuleWord) -> UnsafeZeros:
        """Return the rule that a word tells."""
        if word.holdings:
            raise ParameterError(Said("rule zeros"), Said("stand without @holdings"), "zeros@holdings")
        return cls(width=float(word.numbers[0]) if word.numbers else None)

    def flag(self, table: Table) -> Mask:
        """Return the cells that are zero."""
        empty = table.counts if self.empty is None else self.empty
        return (table.value == 0) & ((table.frequency > 0) | empty)

    def levels(self, table: Table) -> Levels:
        """Return the width above zero."""
        nothing = np.zeros(len(table))
        usual = COUNT_WIDTH if table.counts else 1.0
        return Levels(
            lower=nothing, upper=np.full(len(table), usual if self.width is None else self.width), sliding=nothing
        )
