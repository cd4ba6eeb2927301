"""How far each column's distribution is from the original's: total variation, Hellinger, earth mover.

With p and q the shares of the classes of a column (``spread``) in the original and in the release:

    total variation  sum |p - q| / 2,   Hellinger  sqrt(sum (sqrt p - sqrt q)^2 / 2)

The earth mover's distance of a column of numbers is the sum over its grid of |F - G|, F and G the cumulated shares of
the
grid points themselves (not of classes), over (largest - least of the original); of categories, whose values are all
equally far from one another, it is the total variation. All are 0 for equal distributions; the first two are at most 1,
and so is the third unless values lie outside the original's range.

Missing cells: missing is a value, and compared with missing; the earth mover's distance is that of the numbers that are
there. A cell that tells nothing is left out, so that the shares are those of the cells that tell something; a
column none of whose cells does counts 1. Whether rows stand in the original's order makes no difference.

Source: Domingo-Ferrer, Torra, "Disclosure control methods and information loss for microdata", in Confidentiality,
Disclosure and Data Access, 2001 (tables compared cell by cell); Rubner, Tomasi, Guibas, IJCV 40 (2000), for the earth
mover's distance. Classes and the reading of cells are ours.

Do the columns still go together as they did?

For each pair of columns the absolute difference of their association before and after: of two columns of numbers
Pearson's correlation, a range counted at its middle; of all other pairs Cramér's V of the two-way table, numbers cut
into classes and cells read as in ``spread``:

    V = sqrt(chi^2 / (n (min(r, c) - 1))),  r and c the classes that occur

A column with one value has no association: 0.

Missing cells: two columns of numbers are correlated over the records that lack neither; else missing is a value.
Records one of whose two cells tells nothing are left out of a pair; a pair without any record left has
association 0. Whether rows stand in the original's order makes no difference.

Source: Cramér, "Mathematical Methods of Statistics", 1946, chapter 21; the differences as in Domingo-Ferrer, Torra,
"Disclosure control methods and information loss for microdata", 2001.

How far the two-way tables of columns are from the original's.

For each pair of columns the total variation, sum |p - q| / 2, between the shares of their two-way tables; classes and
the reading of cells as in ``spread``, both cells of a record spread as if independently. 0 for equal tables, at most 1.

Missing cells: records one of whose two cells tells nothing are left out of a pair's table; a pair without any record
left counts 1. Whether rows stand in the original's order makes no difference.

Source: Domingo-Ferrer, Torra, "Disclosure control methods and information loss for microdata", in Confidentiality,
Disclosure and Data Access, 2001 (contingency-table-based information loss), as shares instead of counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sekisho.data.frame.cells import DistinctCells, RangeCells
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release, exact_table
from sekisho.data.records.space import require_one_row
from sekisho.data.shape import Shape
from sekisho.parameters import checked
from sekisho.utility.records.spread import (
    Counts,
    Floats,
    SpreadColumn,
    count_classes,
    count_pairs,
    find_classes,
    normalise,
    spread_column,
)
from sekisho.utility.score import Score


class DistributionDistance(StrEnum):
    """How far two distributions are apart."""

    TOTAL_VARIATION = "total-variation"
    HELLINGER = "hellinger"
    EARTH_MOVER = "earth-mover"


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class Marginals:
    """The mean distance of the columns' distributions; all columns but the identifier if none is named."""

    shapes: ClassVar[frozenset[Shape]] = frozenset({Shape.RECORDS})

    columns: tuple[str, ...] = ()
    distance: DistributionDistance = DistributionDistance.TOTAL_VARIATION

    def compare(self, original: Dataset, released: Release) -> Score:
        """Return the mean; the detail holds the distance of each column."""
        require_one_row(original)
        names = self.columns or tuple(column.name for column in original.schema.attributes)
        before = exact_table(original)
        detail = {
            name: self.measure_column(
                original,
                before.find_distinct(original.schema[name].name),
                released.table.find_distinct(name),
                name,
            )
            for name in names
        }
        return Score(value=sum(detail.values()) / len(names), detail=detail)

    def measure_column(
        self,
        original: Dataset,
        before: DistinctCells,
        after: DistinctCells,
        name: str,
        counts: tuple[Counts, Counts] | None = None,
    ) -> float:
        """Return the distance of one column.

        Args:
            original: the records.
            before: their cells.
            after: those of the release.
            name: of the column.
            counts: how many records each row before and after stands for; one each if not given.
        """
        one, two = (None, None) if counts is None else counts
        if (
            self.distance is DistributionDistance.EARTH_MOVER
            and isinstance(before.cells, RangeCells)
            and isinstance(after.cells, RangeCells)
        ):
            return move_earth(before.cells, after.cells, _add_counts(before, one), _add_counts(after, two))
        classes = find_classes(original, name, one)
        p, q = (normalise(count_classes(classes, *cells)) for cells in ((before, one), (after, two)))
        if p is None or q is None:
            return float(p is not q)
        if self.distance is DistributionDistance.HELLINGER:
            return float(np.sqrt(((np.sqrt(p) - np.sqrt(q)) ** 2).sum() / 2))
        return measure_variation(p, q)


def _add_counts(column: DistinctCells, counts: Counts | None) -> Counts:
    """Return for how many records each distinct cell stands."""
    return np.bincount(column.place, weights=counts, minlength=len(column.cells)).astype(np.int64)


def measure_variation(p: Floats, q: Floats) -> float:
    """Return the total variation of two distributions."""
    return float(np.abs(p - q).sum() / 2)


def move_earth(
    before: RangeCells, after: RangeCells, counts: Counts | None = None, counts_after: Counts | None = None
) -> float:
    """Return the earth mover's distance of two columns of numbers on one grid, over the width of the first.

    ``counts`` is how many records each cell stands for; one each if not given.
    """
    (one, many), (two, many_after) = _leave_out(before, counts), _leave_out(after, counts_after)
    if not len(one) or not len(two):
        return float(len(one) != len(two))
    width = int(one.upper.max() - one.lower.min())
    ends = np.unique(np.concatenate([one.lower, one.upper + 1, two.lower, two.upper + 1]))
    start = _cumulate(two, many_after, ends) - _cumulate(one, many, ends)
    terms = np.diff(ends)
    slope = np.diff(start) / terms
    total = float(_sum_absolute(start[:-1] + slope, slope, terms).sum())
    return total / width if width else float(total > 0)


def _leave_out(cells: RangeCells, counts: Counts | None) -> tuple[RangeCells, Counts]:
    """Return the cells that tell something and stand for somebody, and for how many."""
    records = np.ones(len(cells), dtype=np.int64) if counts is None else counts
    told = ~cells.suppressed & ~cells.is_missing() & (records > 0)
    return cells.take(told), records[told]


def _cumulate(cells: RangeCells, counts: Counts, ends: NDArray[np.int64]) -> Floats:
    """Return the share of the cells' mass on grid points below each end."""
    points = cells.upper - cells.lower + 1
    per_point = np.zeros(len(ends))
    np.add.at(per_point, np.searchsorted(ends, cells.lower), counts / points)
    np.add.at(per_point, np.searchsorted(ends, cells.upper + 1), -(counts / points))
    mass = np.cumsum(per_point)[:-1] * np.diff(ends)
    return np.concatenate([[0.0], np.cumsum(mass)]) / counts.sum()


def _sum_absolute(first: Floats, slope: Floats, terms: NDArray[np.int64]) -> Floats:
    """Return the sum of the absolute values of arithmetic sequences, each of so many terms."""
    with np.errstate(divide="ignore", invalid="ignore"):
        turn = np.where(first * slope < 0, np.floor(-first / slope) + 1, terms)
    before = np.clip(np.nan_to_num(turn, posinf=0.0), 0, terms)
    part, whole = (count * first + slope * count * (count - 1) / 2 for count in (before, terms.astype(np.float64)))
    return np.abs(part) + np.abs(whole - part)


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class PairTables:
    """The mean distance of the two-way tables of columns; all columns but the identifier if none is named."""

    shapes: ClassVar[frozenset[Shape]] = frozenset({Shape.RECORDS})

    columns: tuple[str, ...] = ()

    def compare(self, original: Dataset, released: Release) -> Score:
        """Return the mean; the detail holds the distance of each pair; 0 of a single column, which has no pair."""
        require_one_row(original)
        names = self.columns or tuple(column.name for column in original.schema.attributes)
        sides = [
            {name: spread_column(find_classes(original, name), table.find_distinct(name)) for name in names}
            for table in (exact_table(original), released.table)
        ]
        detail: dict[str, float] = {}
        for one, two in combinations(names, 2):
            p, q = (normalise(count_pairs(columns[one], columns[two])) for columns in sides)
            detail[f"{one} x {two}"] = float(p is not q) if p is None or q is None else measure_variation(p, q)
        return Score(value=sum(detail.values()) / max(1, len(detail)), detail=detail)


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class Associations:
    """The mean change of the columns' associations; all columns but the identifier if none is named."""

    shapes: ClassVar[frozenset[Shape]] = frozenset({Shape.RECORDS})

    columns: tuple[str, ...] = ()

    def compare(self, original: Dataset, released: Release) -> Score:
        """Return the mean; the detail holds the change of each pair; 0 of a single column, which has no pair."""
        require_one_row(original)
        names = self.columns or tuple(column.name for column in original.schema.attributes)
        sides = [
            {name: read_column(original, name, table.find_distinct(name)) for name in names}
            for table in (exact_table(original), released.table)
        ]
        detail: dict[str, float] = {}
        for one, two in combinations(names, 2):
            was, now = (associate(columns[one], columns[two]) for columns in sides)
            detail[f"{one} x {two}"] = abs(was - now)
        return Score(value=sum(detail.values()) / max(1, len(detail)), detail=detail)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ReadColumn:
    """A column as its classes and, of numbers, as its middles.

    Attributes:
        spread: how its cells fall into its classes.
        middles: of each row the middle of its range, no number where the cell tells nothing; None of a category.
    """

    spread: SpreadColumn
    middles: Floats | None


def read_column(original: Dataset, name: str, column: DistinctCells) -> ReadColumn:
    """Return a column as pairs of columns ask for it."""
    cells, middles = column.cells, None
    if isinstance(cells, RangeCells):
        told = ~(cells.suppressed | cells.is_missing())
        middles = np.where(told, cells.lower / 2 + cells.upper / 2, np.nan)[column.place]
    return ReadColumn(spread=spread_column(find_classes(original, name), column), middles=middles)


def associate(one: ReadColumn, two: ReadColumn) -> float:
    """Return the association of two columns: a correlation of numbers, else Cramér's V."""
    if one.middles is not None and two.middles is not None:
        return correlate(one.middles, two.middles)
    return compute_v(count_pairs(one.spread, two.spread))


def correlate(one: Floats, two: Floats) -> float:
    """Return Pearson's correlation of numbers, where both are there."""
    told = ~(np.isnan(one) | np.isnan(two))
    x, y = one[told], two[told]
    if len(x) < 2 or x.min() == x.max() or y.min() == y.max():
        return 0.0
    x, y = x - x.mean(), y - y.mean()
    return float((x @ y) / np.sqrt((x @ x) * (y @ y)))


def compute_v(table: Floats) -> float:
    """Return Cramér's V of a two-way table."""
    table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
    if min(table.shape) < 2:
        return 0.0
    whole = table.sum()
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / whole
    chi = ((table - expected) ** 2 / expected).sum()
    return float(np.sqrt(chi / (whole * (min(table.shape) - 1))))
