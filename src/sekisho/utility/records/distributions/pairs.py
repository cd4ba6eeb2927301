"""How far the two-way tables of columns are from the original's.

For each pair of columns the total variation, sum |p - q| / 2, between the shares of their two-way tables; classes and
the reading of cells as in ``spread``, both cells of a record spread as if independently. 0 for equal tables, at most 1.

Missing cells: missing is a value, with a class of its own. Records one of whose two cells tells nothing are left out of
a pair's table; a pair without any record left counts 1. Whether rows stand in the original's order makes no difference.

Source: Domingo-Ferrer, Torra, "Disclosure control methods and information loss for microdata", in Confidentiality,
Disclosure and Data Access, 2001 (contingency-table-based information loss), as shares instead of counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release, exact_table
from sekisho.data.records.space import require_one_row
from sekisho.data.shape import Shape
from sekisho.parameters import checked
from sekisho.utility.records.distributions.marginals import measure_variation
from sekisho.utility.records.distributions.spread import count_pairs, find_classes, normalise, spread_column
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
