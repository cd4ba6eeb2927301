"""What must be kept of data: columns, pairs of columns, sums; and how far each of them is from the original's.

A recipe says what its readers need, and among the releases that may leave the one that keeps it best is chosen:

- a column: the total variation of its distribution, sum |p - q| / 2, as the measure ``marginals`` has it;
- a pair of columns: the absolute change of their association, Pearson's correlation of two columns of numbers, else
  Cramér's V, as the measure ``associations`` has it;
- a sum of a column of numbers, of all rows or in the classes of another column:

      sum_g |S_g - T_g| / sum_g |S_g|

  with S_g the sum of the original and T_g what a reader adds up from the release: a range counts at its middle, a set
  evenly in each of its groups. A cell that tells nothing, of either column, adds nothing, nor does a missing number;
  the sums of a sample that was drawn are scaled up to all rows.

Each is 0 where nothing changed. Classes and the reading of cells are those of ``spread``; rows may be of records or of
a history, and their order makes no difference.

Source: that of the measures (``distributions``); the relative error of sums is ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import isfinite

import numpy as np

from sekisho.data.frame.cells import Cells, DistinctCells, RangeCells
from sekisho.data.frame.dataset import Dataset, Kind
from sekisho.data.frame.release import Release, SyntheticRelease, exact_cells
from sekisho.errors import ParameterError
from sekisho.parameters import checked
from sekisho.utility.records.distributions import Marginals, ReadColumn, associate, read_column
from sekisho.utility.records.spread import Floats, SpreadColumn, count_classes, find_classes, normalise
from sekisho.words import Said

WHOLE = 10_000
"""From here on figures are told without decimals."""
TIMES = " × "
"""Between the two columns of a pair."""


class KeptKind(StrEnum):
    """What of the data is kept."""

    COLUMN = "column"
    PAIR = "pair"
    SUM = "sum"


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class Kept:
    """One thing that must be kept.

    Attributes:
        kind: a column's distribution, the association of two, or a sum.
        columns: the column; the two of a pair; of a sum the column that is added up and, if any, the one by which.
        within: the largest loss that leaves without a look; None where it only ranks releases.
    """

    kind: KeptKind
    columns: tuple[str, ...]
    within: float | None = None

    def __post_init__(self) -> None:
        wanted = {KeptKind.COLUMN: (1,), KeptKind.PAIR: (2,), KeptKind.SUM: (1, 2)}[self.kind]
        if len(self.columns) not in wanted or not all(self.columns) or len(set(self.columns)) < len(self.columns):
            raise ParameterError(self.kind.value, Said("name different columns"), list(self.columns))
        if self.within is not None and not (isfinite(self.within) and self.within >= 0):
            raise ParameterError("within", Said("be at least 0"), self.within)

    @property
    def name(self) -> str:
        """It as plain text, ``age``, ``age × income`` or ``sum of income by region``."""
        if self.kind is KeptKind.SUM:
            return f"sum of {' by '.join(self.columns)}"
        return TIMES.join(self.columns)

    @property
    def words(self) -> Said:
        """It in words."""
        if self.kind is KeptKind.COLUMN:
            return Said("distribution of {column}", column=self.columns[0])
        if self.kind is KeptKind.PAIR:
            return Said("association of {one} and {two}", one=self.columns[0], two=self.columns[1])
        if len(self.columns) == 1:
            return Said("sum of {column}", column=self.columns[0])
        return Said("sum of {column} by {by}", column=self.columns[0], by=self.columns[1])


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptFigure:
    """What became of something that must be kept.

    Attributes:
        kept: what.
        loss: how far it is from the original's; 0 is nothing.
        before: of the original, one figure of it: of a column of numbers the mean, of categories the share of the most
            frequent value, of a pair the association, of a sum the total; None of dates.
        after: the same of the release; None where it tells nothing.
    """

    kept: Kept
    loss: float
    before: float | None = None
    after: float | None = None

    @property
    def holds(self) -> bool:
        """Whether it is kept as closely as was asked."""
        return self.kept.within is None or self.loss <= self.kept.within

    def as_dict(self) -> dict[str, object]:
        """Return it as plain data."""
        return {
            "what": self.kept.name,
            "kind": self.kept.kind.value,
            "columns": list(self.kept.columns),
            "loss": self.loss,
            "before": self.before,
            "after": self.after,
            "within": self.kept.within,
        }


def tell_kept(figure: KeptFigure) -> Said:
    """Return in a line what became of something that must be kept."""
    words, loss, before, after = figure.kept.words, figure.loss, figure.before, figure.after
    if before is None or after is None:
        return Said("kept: {kept}: loss {loss:.4f}", kept=words, loss=loss)
    return Said(
        "kept: {kept}: {before} before, {after} after, loss {loss:.4f}",
        kept=words,
        before=show_figure(before),
        after=show_figure(after),
        loss=loss,
    )


def show_figure(value: float | None) -> str:
    """Return a figure with as many digits as tell it."""
    return "–" if value is None else f"{value:,.4g}" if abs(value) < WHOLE else f"{value:,.0f}"


def average_loss(figures: Sequence[KeptFigure]) -> float:
    """Return the mean loss of what must be kept; 0 where nothing must."""
    return sum(one.loss for one in figures) / len(figures) if figures else 0.0


def measure_kept(keep: Sequence[Kept], original: Dataset, released: Release) -> tuple[KeptFigure, ...]:
    """Return what became of each thing that must be kept."""
    pair = _Pair(original=original, released=released) if keep else None
    return () if pair is None else tuple(pair.measure(one) for one in keep)


class _Pair:
    """An original and its release; every column is read once."""

    def __init__(self, *, original: Dataset, released: Release) -> None:
        self.original, self.released = original, released
        self._cells: dict[str, tuple[Cells, Cells]] = {}
        self._read: dict[str, tuple[ReadColumn, ReadColumn]] = {}

    def measure(self, kept: Kept) -> KeptFigure:
        """Return what became of one thing."""
        if kept.kind is KeptKind.COLUMN:
            return self._measure_column(kept)
        return self._measure_pair(kept) if kept.kind is KeptKind.PAIR else self._measure_sum(kept)

    def cells(self, name: str) -> tuple[Cells, Cells]:
        """Return the cells of a column before and after; those of deleted rows tell nothing."""
        if name not in self._cells:
            after, deleted = self.released.table.columns[name], self.released.deleted
            hidden = after.suppress(deleted) if deleted.any() else after
            self._cells[name] = exact_cells(self.original, name), hidden
        return self._cells[name]

    def read(self, name: str) -> tuple[ReadColumn, ReadColumn]:
        """Return a column as pairs of columns ask for it, before and after."""
        if name not in self._read:
            before, after = (read_column(self.original, name, DistinctCells.of(cells)) for cells in self.cells(name))
            self._read[name] = before, after
        return self._read[name]

    def _measure_column(self, kept: Kept) -> KeptFigure:
        (name,), (before, after) = kept.columns, self.cells(kept.columns[0])
        columns = DistinctCells.of(before), DistinctCells.of(after)
        loss = Marginals().measure_column(self.original, *columns, name)
        column = self.original.schema[name]
        if column.kind is Kind.DATE:
            return KeptFigure(kept=kept, loss=loss)
        if isinstance(before, RangeCells) and isinstance(after, RangeCells):
            unit = 10.0**column.decimals
            means = [None if mean is None else mean / unit for mean in (_find_mean(before), _find_mean(after))]
            return KeptFigure(kept=kept, loss=loss, before=means[0], after=means[1])
        classes = find_classes(self.original, name)
        one, two = (normalise(count_classes(classes, cells)) for cells in columns)
        return KeptFigure(
            kept=kept,
            loss=loss,
            before=None if one is None else float(one[0]),
            after=None if two is None else float(two[0]),
        )

    def _measure_pair(self, kept: Kept) -> KeptFigure:
        first, second = kept.columns
        before, after = (associate(*side) for side in zip(self.read(first), self.read(second), strict=True))
        return KeptFigure(kept=kept, loss=abs(before - after), before=before, after=after)

    def _measure_sum(self, kept: Kept) -> KeptFigure:
        name, *by = kept.columns
        weights = [_count_middles(cells) for cells in self.cells(name)]
        sums = [_add_up(one, self.read(by[0])[at].spread if by else None) for at, one in enumerate(weights)]
        sums[1] = sums[1] * self._scale
        whole, off = float(np.abs(sums[0]).sum()), float(np.abs(sums[0] - sums[1]).sum())
        loss = off / whole if whole else float(off > 0)
        unit = 10.0 ** self.original.schema[name].decimals
        return KeptFigure(kept=kept, loss=loss, before=float(sums[0].sum()) / unit, after=float(sums[1].sum()) / unit)

    @property
    def _scale(self) -> float:
        """For how many rows of the original each released one stands; a synthetic file has any number of rows."""
        rows, kept = len(self.original), int((~self.released.deleted).sum())
        drawn = self.released.order is not None or isinstance(self.released, SyntheticRelease)
        return rows / kept if drawn and kept else 1.0


def _count_middles(cells: Cells) -> Floats:
    """Return what each cell of a column of numbers adds to a sum."""
    if not isinstance(cells, RangeCells):
        raise ParameterError("sum", Said("be a column of numbers"), Kind.CATEGORY.value)
    told = ~cells.suppressed & ~cells.is_missing()
    return np.where(told, cells.lower / 2 + cells.upper / 2, 0.0)


def _add_up(weights: Floats, by: SpreadColumn | None) -> Floats:
    """Return sums by the classes of a column; one sum of all where there is none."""
    if by is None:
        return np.array([weights.sum()])
    return np.bincount(by.place, weights=weights, minlength=len(by.shares)).astype(np.float64) @ by.shares


def _find_mean(cells: RangeCells) -> float | None:
    """Return the mean of the middles of the cells that tell something; None where none does."""
    told = ~cells.suppressed & ~cells.is_missing()
    middles = cells.lower[told] / 2 + cells.upper[told] / 2
    return float(middles.mean()) if len(middles) else None
