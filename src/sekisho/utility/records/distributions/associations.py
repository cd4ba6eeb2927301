"""Do the columns still go together as they did?

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
from itertools import combinations
from typing import ClassVar

import numpy as np

from sekisho.data.frame.cells import Cells, RangeCells
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release, exact_table
from sekisho.data.records.space import require_one_row
from sekisho.data.shape import Shape
from sekisho.parameters import checked
from sekisho.utility.records.distributions.marginals import measure_variation
from sekisho.utility.records.distributions.spread import (
    Floats,
    SpreadColumn,
    count_pairs,
    find_classes,
    normalise,
    spread_column,
)
from sekisho.utility.score import Score


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
            {name: spread_column(find_classes(original, name), cells[name]) for name in names}
            for cells in (exact_table(original).columns, released.table.columns)
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
            {name: (spread_column(find_classes(original, name), cells[name]), cells[name]) for name in names}
            for cells in (exact_table(original).columns, released.table.columns)
        ]
        detail: dict[str, float] = {}
        for one, two in combinations(names, 2):
            was, now = (associate(columns[one], columns[two]) for columns in sides)
            detail[f"{one} x {two}"] = abs(was - now)
        return Score(value=sum(detail.values()) / max(1, len(detail)), detail=detail)


def associate(first: tuple[SpreadColumn, Cells], second: tuple[SpreadColumn, Cells]) -> float:
    """Return the association of two columns: a correlation of numbers, else Cramér's V."""
    (left, one), (right, two) = first, second
    if isinstance(one, RangeCells) and isinstance(two, RangeCells):
        return correlate(one, two)
    return compute_v(count_pairs(left, right))


def correlate(one: RangeCells, two: RangeCells) -> float:
    """Return Pearson's correlation of the middles of the cells that tell something in both columns."""
    told = ~(one.suppressed | two.suppressed | one.is_missing() | two.is_missing())
    x, y = ((cells.lower[told] / 2 + cells.upper[told] / 2) for cells in (one, two))
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
