"""Primary rules: which cells must not be published, and how far from the truth an attacker must stay.

Here the rules that count or name; those that weigh contributions against each other are in :mod:`sekisho.tables.concentration`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from sekisho.errors import Fault, FaultsError, ParameterError
from sekisho.tables import CellRule, Levels
from sekisho.tables.contributors import Contributors, contributors_of, counted_of
from sekisho.tables.reach import at_least, positive, two_sided
from sekisho.tables.table import Floats, Key, Mask, Table


def primaries(table: Table, rules: Sequence[CellRule], *, waived: Mask | None = None) -> Table:
    """Return the table with every cell that some rule flags made primary; of several rules' levels the highest counts.

    A waived cell (all whom it could disclose have agreed) stays as it is.
    """
    free = np.zeros(len(table), dtype=np.bool_) if waived is None else waived
    for rule in rules:
        levels = rule.levels(table)
        table = table.flagged(rule.flag(table) & ~free, lower=levels.lower, upper=levels.upper, sliding=levels.sliding)
    return table


def masked(table: Table, keys: Sequence[Key]) -> Mask:
    """Return which cells these keys name.

    Raises:
        FaultsError: a key names no cell; all of them at once.
    """
    faults = [
        Fault(row=row, column="", rule="cell", value=",".join(key), message=f"there is no cell {', '.join(key)}")
        for row, key in enumerate(keys, start=1)
        if key not in table.position
    ]
    if faults:
        raise FaultsError("cells", faults)
    mask = np.zeros(len(table), dtype=np.bool_)
    mask[[table.position[key] for key in keys]] = True
    return mask


@dataclass(frozen=True, slots=True, kw_only=True)
class MinimumFrequency:
    """A cell with few contributors is unsafe: they could be recognised, and each can tell the others.

    Theory gives no protection level for this rule: ``width`` is the seed's t (how wide the attacker's interval must be), ``margin`` a
    percentage of the value on either side, as τ-ARGUS asks for.

    Attributes:
        count: the fewest contributors a published cell may have.
        width: of the interval an attacker must be left with.
        margin: how many per cent below and above the value the interval must reach.
        coalition: how many contributors may pool their knowledge; they do not hide one another.
        zeros: whether a cell without contributors is unsafe too.
        holdings: whether contributors count by holding.
    """

    count: int = 5
    width: float = 0.0
    margin: Fraction = Fraction(0)
    coalition: int = 0
    zeros: bool = False
    holdings: bool = False

    def __post_init__(self) -> None:
        at_least("count", self.count, 1)
        at_least("width", self.width, 0)
        at_least("margin", self.margin, 0)
        at_least("coalition", self.coalition, 0)

    def flag(self, table: Table) -> Mask:
        """Return the cells with too few contributors."""
        count = counted_of(table, holdings=self.holdings).count
        return (count < self.count + self.coalition) & ((count > 0) | self.zeros)

    def levels(self, table: Table) -> Levels:
        """Return the width, and the margin on either side."""
        return two_sided(table, np.abs(table.value) * float(self.margin / 100), width=self.width)


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestRule:
    """Passive confidentiality: a cell is protected if one who asked for it has more than a share of it, or stands among few.

    The second clause: where few contribute, a large one who did not ask could tell the small one who did.

    Attributes:
        share: the percentage of the cell above which he who asked is protected.
        count: a cell with fewer contributors, one of whom asked, is unsafe whatever his share.
        margin: the level is at least so many per cent of the asked-for contribution.
        holdings: whether contributors count by holding.

    Source: τ-ARGUS manual 4.1, section 4.4.4 (used in foreign trade statistics). The level is that of (1,k) dominance.
    """

    share: Fraction
    count: int = 0
    margin: Fraction = Fraction(10)
    holdings: bool = False

    def __post_init__(self) -> None:
        if not 0 < self.share < 100:
            raise ParameterError("share", "lie strictly between 0 and 100", self.share)
        at_least("count", self.count, 0)
        at_least("margin", self.margin, 0)

    def sensitivity(self, known: Contributors) -> Floats:
        """Return 100/share times the asked-for contribution, less X."""
        return known.asked * float(100 / self.share) - known.total

    def flag(self, table: Table) -> Mask:
        """Return the cells that somebody's request covers."""
        known = contributors_of(table, holdings=self.holdings)
        return positive(self.sensitivity(known), known) | ((known.asked > 0) & (known.count < self.count))

    def levels(self, table: Table) -> Levels:
        """Return S, but at least the margin, on either side."""
        known = contributors_of(table, holdings=self.holdings)
        return two_sided(table, np.maximum(self.sensitivity(known), known.asked * float(self.margin / 100)))


@dataclass(frozen=True, slots=True, kw_only=True)
class UnsafeZeros:
    """A total of zero discloses every contribution to it, where none can be negative.

    Attributes:
        width: how far above zero the attacker's interval must reach.
        empty: whether cells without any contributor count as well; in a table of counts they are the only zeros.
    """

    width: float = 1.0
    empty: bool = False

    def __post_init__(self) -> None:
        at_least("width", self.width, 0)

    def flag(self, table: Table) -> Mask:
        """Return the cells that are zero."""
        return (table.value == 0) & ((table.frequency > 0) | self.empty)

    def levels(self, table: Table) -> Levels:
        """Return the width above zero."""
        nothing = np.zeros(len(table))
        return Levels(lower=nothing, upper=np.full(len(table), float(self.width)), sliding=nothing)


@dataclass(frozen=True, slots=True, kw_only=True)
class Manual:
    """Cells that somebody says are unsafe, for reasons the table does not know.

    Attributes:
        cells: their keys.
        margin: how many per cent below and above the value the interval must reach.
        width: of the interval an attacker must be left with.
    """

    cells: tuple[Key, ...]
    margin: Fraction = Fraction(20)
    width: float = 0.0

    def flag(self, table: Table) -> Mask:
        """Return those cells."""
        return masked(table, self.cells)

    def levels(self, table: Table) -> Levels:
        """Return the width, and the margin on either side."""
        return two_sided(table, np.abs(table.value) * float(self.margin / 100), width=self.width)
