"""What is published about each cell, as a statement: the least and greatest true value that could be behind it.

However a table is published (shown, suppressed, rounded, with noise, as intervals), a reader learns of every cell a set
of possible true values. Whoever knows the method and its parameters (``rule`` knowledge) derives it from what is shown:

- an exact ``x``: ``x`` alone; suppressed: the bounds that everybody knows; an interval ``[l, u]``: itself;
- rounded to a multiple ``x`` of ``b``, in at most ``K`` steps beyond its two neighbours (``K = 0``: zero-restricted):
  ``max(0, x - (K + 1) b + 1) .. x + (K + 1) b - 1``;
- rounded to the nearest multiple on its own: ``x - floor(b / 2) .. x + ceil(b / 2) - 1``, not below 0 (half a base goes
  up);
- small counts rounded (inner counts below ``b`` become 0 or ``b``): 0 says ``0 .. b - 1``, ``b`` says ``1 .. b``, what
  is above is exact; margins are sums of the inner cells shown and say nothing of their own;
- noise by a table of perturbation chances: all counts that can become ``x``; a true 0 stays 0.

The audit (:mod:`sekisho.tables.audit.statement_audit`) asks what all statements and the table's equations leave
possible together. A method builds its own statements by :class:`Statements` or by one of its constructors; linked cells
with two statements have what both leave, :meth:`Statements.intersect`.

Source: the table of statements in the page "Statements" (docs/methods); for rounding, Salazar, "Controlled rounding and
cell perturbation: statistical disclosure limitation methods for tabular data", Mathematical Programming 105 (2006).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sekisho.errors import ParameterError
from sekisho.tables.model.table import Floats, Mask, Table
from sekisho.words import Said

Row = Mapping[int, Fraction] | Mapping[int, float] | Mapping[int, int]
"""What a true count becomes: the chance of each count shown, in any unit."""


class ReaderKnowledge(StrEnum):
    """What a reader of a published table knows of how it was made; an answer holds against that kind and no other."""

    RULE = "rule"
    LEAST = "least"
    TIE = "tie"


class StatementKind(IntEnum):
    """How a cell is published."""

    EXACT = 0
    SUPPRESSED = 1
    INTERVAL = 2
    ROUNDED = 3
    NEAREST = 4
    SMALL = 5
    NOISE = 6
    SUM = 7
    """A margin that is the sum of other cells shown: it says nothing of its own."""

    @property
    def word(self) -> str:
        """Return the name as files write it."""
        return self.name.lower()


@dataclass(frozen=True, kw_only=True, eq=False)
class Statements:
    """What is published, cell by cell of a table or of a system of linked ones.

    Attributes:
        low: the least true value that could be behind what is shown; minus infinity if there is none.
        high: the greatest.
        kind: a :class:`StatementKind` code each.
        shown: the number shown, NaN where none is.
        gaps: the cells whose possible values are not all of ``low .. high``: what an audit finds for them, and for all
            that equations join with them, is an outer bound.
    """

    low: Floats
    high: Floats
    kind: NDArray[np.int8]
    shown: Floats
    gaps: Mask

    def __post_init__(self) -> None:
        n = len(self.low)
        for name in ("low", "high", "kind", "shown", "gaps"):
            array: NDArray[np.generic] = getattr(self, name)
            if len(array) != n:
                raise ParameterError(name, Said("have one entry for each of the {cells} cells", cells=n), len(array))
            copy = array.copy()
            copy.flags.writeable = False
            object.__setattr__(self, name, copy)
        bad = np.flatnonzero(np.isnan(self.low) | np.isnan(self.high) | (self.low == np.inf) | (self.high == -np.inf))
        if bad.size:
            raise ParameterError("low", Said("be a number or without end"), int(bad[0]))

    def __len__(self) -> int:
        return len(self.low)

    @classmethod
    def build(cls, kind: StatementKind, low: ArrayLike, high: ArrayLike, shown: ArrayLike | None = None) -> Statements:
        """Return statements of one kind."""
        least, most = np.array(low, dtype=np.float64), np.array(high, dtype=np.float64)
        return cls(
            low=least,
            high=most,
            kind=np.full(len(least), kind, dtype=np.int8),
            shown=np.full(len(least), np.nan) if shown is None else np.array(shown, dtype=np.float64),
            gaps=np.zeros(len(least), dtype=np.bool_),
        )

    @classmethod
    def exact(cls, shown: ArrayLike) -> Statements:
        """Return what cells say that are shown as they are."""
        return cls.build(StatementKind.EXACT, shown, shown, shown)

    @classmethod
    def suppressed(cls, lower: ArrayLike, upper: ArrayLike) -> Statements:
        """Return what suppressed cells say: the bounds that everybody knows."""
        return cls.build(StatementKind.SUPPRESSED, lower, upper)

    @classmethod
    def interval(cls, low: ArrayLike, high: ArrayLike) -> Statements:
        """Return what cells say that are published as intervals, or by another program with its bounds."""
        return cls.build(StatementKind.INTERVAL, low, high)

    @classmethod
    def rounded(cls, shown: ArrayLike, *, base: int, steps: int = 0) -> Statements:
        """Return what cells say that were rounded by controlled rounding.

        Raises:
            ParameterError: a base below 2, steps below 0, or a number shown that is no multiple.
        """
        values = _demand_multiples(shown, base)
        if steps < 0:
            raise ParameterError("steps", Said("be at least {least}", least=0), steps)
        reach = (steps + 1) * base - 1
        return cls.build(StatementKind.ROUNDED, np.maximum(0.0, values - reach), values + reach, values)

    @classmethod
    def nearest(cls, shown: ArrayLike, *, base: int) -> Statements:
        """Return what cells say that were each rounded to the nearest multiple, half a base up.

        Raises:
            ParameterError: a base below 2, or a number shown that is no multiple.
        """
        values = _demand_multiples(shown, base)
        return cls.build(
            StatementKind.NEAREST, np.maximum(0.0, values - base // 2), values + (base + 1) // 2 - 1, values
        )

    @classmethod
    def small_rounded(cls, shown: ArrayLike, *, base: int, inner: Mask) -> Statements:
        """Return what a table says whose inner counts below the base became 0 or the base.

        Args:
            shown: the numbers shown.
            base: the rounding base.
            inner: the cells that were rounded; all others are sums of these.

        Raises:
            ParameterError: a base below 2, or an inner cell shown between 0 and the base.
        """
        _demand_base(base)
        values = np.array(shown, dtype=np.float64)
        odd = np.flatnonzero(inner & ((values < 0) | ((values > 0) & (values < base)) | (values % 1 != 0)))
        if odd.size:
            raise ParameterError(
                "shown",
                Said("be 0 or at least the base {base} in every inner cell", base=base),
                float(values[odd[0]]),
            )
        low = np.where(values == 0, 0.0, np.where(values == base, 1.0, values))
        high = np.where(values == 0, base - 1.0, values)
        kind = np.where(inner, np.int8(StatementKind.SMALL), np.int8(StatementKind.SUM))
        return cls(
            low=np.where(inner, low, 0.0),
            high=np.where(inner, high, np.inf),
            kind=kind,
            shown=values,
            gaps=np.zeros(len(values), dtype=np.bool_),
        )

    @classmethod
    def noisy(cls, shown: ArrayLike, *, rows: Sequence[Row]) -> Statements:
        """Return what counts say to which noise was added by a table of perturbation chances.

        Args:
            shown: the numbers shown.
            rows: what each true count 0, 1, 2, ... becomes, with its chance; the last row, moved along, serves all
                larger counts too.

        Raises:
            ParameterError: no row, or a number shown that no count becomes.
        """
        values = np.array(shown, dtype=np.float64)
        truths = _TruthsBehind(rows)
        each, place = np.unique(values, return_inverse=True)
        found = [truths.of(float(value)) for value in each]
        low, high = (np.array([pick(some) for some in found], dtype=np.float64)[place] for pick in (min, max))
        gaps = np.array([len(some) <= max(some) - min(some) for some in found], dtype=np.bool_)[place]
        kind = np.full(len(values), StatementKind.NOISE, dtype=np.int8)
        return cls(low=low, high=high, kind=kind, shown=values, gaps=gaps)

    @classmethod
    def of_pattern(cls, table: Table) -> Statements:
        """Return what a table says that shows some cells as they are and suppresses the others."""
        hidden = table.suppressed
        return cls(
            low=np.where(hidden, table.lower, table.value),
            high=np.where(hidden, table.upper, table.value),
            kind=np.where(hidden, np.int8(StatementKind.SUPPRESSED), np.int8(StatementKind.EXACT)),
            shown=np.where(hidden, np.nan, table.value),
            gaps=np.zeros(len(table), dtype=np.bool_),
        )

    def take_cells(self, at: NDArray[np.intp]) -> Statements:
        """Return what is said of some cells, in their order."""
        return Statements(
            low=self.low[at], high=self.high[at], kind=self.kind[at], shown=self.shown[at], gaps=self.gaps[at]
        )

    @classmethod
    def join(cls, parts: Sequence[Statements]) -> Statements:
        """Return what is said of the cells of several tables, one table after another."""
        names = ("low", "high", "kind", "shown", "gaps")
        return cls(**{name: np.concatenate([getattr(part, name) for part in parts]) for name in names})

    def intersect(self, other: Statements) -> Statements:
        """Return what two statements about the same cells say together; the kind is that of the narrower one."""
        narrower = other.high - other.low < self.high - self.low
        return Statements(
            low=np.maximum(self.low, other.low),
            high=np.minimum(self.high, other.high),
            kind=np.where(narrower, other.kind, self.kind),
            shown=np.where(narrower, other.shown, self.shown),
            gaps=self.gaps | other.gaps,
        )

    def replace_cells(self, mask: Mask, other: Statements) -> Statements:
        """Return the statements with those of some cells taken from another set."""
        return Statements(
            low=np.where(mask, other.low, self.low),
            high=np.where(mask, other.high, self.high),
            kind=np.where(mask, other.kind, self.kind),
            shown=np.where(mask, other.shown, self.shown),
            gaps=np.where(mask, other.gaps, self.gaps),
        )

    def hold(self, values: Floats) -> Mask:
        """Return which cells' values their statements leave possible."""
        return (values >= self.low) & (values <= self.high)


class _TruthsBehind:
    """The true counts that a table of perturbation chances can turn into a number."""

    def __init__(self, rows: Sequence[Row]) -> None:
        if not rows:
            raise ParameterError("rows", Said("have at least one row"), 0)
        self._targets = [frozenset(target for target, chance in row.items() if chance > 0) for row in rows]
        last = len(rows) - 1
        self._moves = frozenset(target - last for target in self._targets[last])

    def of(self, shown: float) -> list[int]:
        """Return them; the last row's moves serve every larger count.

        Raises:
            ParameterError: there is none.
        """
        last = len(self._targets) - 1
        early = [count for count in range(last) if shown in self._targets[count]]
        late = sorted(int(shown) - move for move in self._moves if int(shown) - move >= last) if shown % 1 == 0 else []
        found = [*early, *late]
        if not found:
            raise ParameterError("shown", Said("be a number that some count becomes by this noise"), shown)
        return found


def _demand_base(base: int) -> None:
    if base < 2:
        raise ParameterError("base", Said("be at least {least}", least=2), base)


def _demand_multiples(shown: ArrayLike, base: int) -> Floats:
    """Return the numbers shown; refuse those that are no multiples, and those below 0."""
    _demand_base(base)
    values = np.array(shown, dtype=np.float64)
    odd = np.flatnonzero((values % base != 0) | (values < 0))
    if odd.size:
        raise ParameterError("shown", Said("be a multiple of the base {base}", base=base), float(values[odd[0]]))
    return values
