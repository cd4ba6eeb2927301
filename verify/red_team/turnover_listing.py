"""Small tables of one population at two times, and the intervals of their cells by listing every pair of tables.

The plain reference of the relations ``same``, ``grows`` and ``overlap``: a list of counts with its total, cells hidden
or shown at each time, and all pairs of tables that fit what is shown and how the times are related.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy.sparse import csr_array

from sekisho.tables.audit.intervals import audit
from sekisho.tables.model.linked.populations import Populations
from sekisho.tables.model.linked.turnover import Turnover
from sekisho.tables.model.table import TOTAL, Table

RELATIONS = ("same", "grows", "overlap")
Counts = list[int]
Shown = list[int | None]
Interval = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class TwoTimes:
    """Cells and their total at two times.

    Attributes:
        shown: at each time, None for a hidden cell; the total, which is shown, last.
        left: how many left.
        came: how many came.
    """

    shown: tuple[Shown, Shown]
    left: int
    came: int

    def list_pairs(self, relation: str) -> list[tuple[Counts, Counts]]:
        """Return every pair of tables that fits."""
        pairs = product(_fill(self.shown[0]), _fill(self.shown[1]))
        return [pair for pair in pairs if self._fits(relation, *pair)]

    def _fits(self, relation: str, first: Counts, second: Counts) -> bool:
        change = [after - before for before, after in zip(first[:-1], second[:-1], strict=True)]
        if relation == "same":
            return not any(change)
        if relation == "grows":
            return min(change) >= 0
        gone, new = sum(max(0, -each) for each in change), sum(max(0, each) for each in change)
        stay = sum(min(pair) for pair in zip(first[:-1], second[:-1], strict=True))
        more = self.left - gone  # who left and who came in one cell
        return more >= 0 and more == self.came - new and more <= stay

    def list_intervals(self, relation: str) -> tuple[list[Interval], list[Interval]] | None:
        """Return the interval of each inner cell at each time; None where no pair of tables fits."""
        pairs = self.list_pairs(relation)
        if not pairs:
            return None
        first, second = (
            [(min(cell), max(cell)) for cell in zip(*(pair[time][:-1] for pair in pairs), strict=True)]
            for time in (0, 1)
        )
        return first, second

    def audit(self, relation: str) -> tuple[list[Interval], list[Interval]]:
        """Return the same by the program, counted from any pair that fits."""
        values = self.list_pairs(relation)[0]
        first_table, second_table = (make_table(*each) for each in zip(values, self.shown, strict=True))
        tables = {"first": first_table, "second": second_table}
        populations = self.relate(relation, tables)
        system = populations.join([populations.subtract(each) for each in populations.differences])
        answer = audit(system, whole=True)
        assert answer.certain.all()
        ends = {
            system.keys[cell]: (int(low), int(high))
            for cell, low, high in zip(answer.cells.tolist(), answer.low, answer.high, strict=True)
        }
        first, second = (
            [
                ends.get((name, *key), (int(value), int(value)))
                for key, value in zip(table.keys, table.value.tolist(), strict=True)
            ]
            for name, table in tables.items()
        )
        return first[:-1], second[:-1]

    def relate(self, relation: str, tables: dict[str, Table]) -> Populations:
        """Return the two tables, related so."""
        if relation == "grows":
            return Populations(tables=dict(reversed(tables.items())), within={"first": "second"})
        if relation == "same":
            return Populations(tables=tables, within={}, same={"second": "first"})
        moved = Turnover(earlier="first", later="second", left=self.left, came=self.came)
        return Populations(tables=tables, within={}, turnovers=(moved,))


def draw_times(rng: np.random.Generator) -> TwoTimes:
    """Return a small case drawn by chance: people stay, leave and come."""
    cells = int(rng.integers(2, 5))
    stay, left, came = (rng.integers(0, most, cells) for most in (4, 3, 3))
    hidden = rng.random((2, cells)) < 0.6
    shown: list[Shown] = []
    for values, mask in zip((stay + left, stay + came), hidden, strict=True):
        inner: Shown = [None if hides else int(value) for value, hides in zip(values, mask, strict=True)]
        shown.append([*inner, int(values.sum())])
    return TwoTimes(shown=(shown[0], shown[1]), left=int(left.sum()), came=int(came.sum()))


def _fill(shown: Shown) -> Iterator[Counts]:
    """Yield every table that fits what is shown of one."""
    hidden = [place for place, value in enumerate(shown[:-1]) if value is None]
    total = shown[-1]
    assert total is not None
    left = total - sum(value for value in shown[:-1] if value is not None)
    for parts in _split(left, len(hidden)):
        table = [0 if value is None else value for value in shown]
        for place, value in zip(hidden, parts, strict=True):
            table[place] = value
        yield table


def _split(amount: int, parts: int) -> Iterator[tuple[int, ...]]:
    if parts == 0:
        if amount == 0:
            yield ()
        return
    for first in range(amount + 1) if parts > 1 else (amount,):
        for rest in _split(amount - first, parts - 1):
            yield first, *rest


def make_table(values: Sequence[int], shown: Shown) -> Table:
    """Return cells and their total as a table."""
    cells = len(values) - 1
    table = Table.of(
        dims=("cell",),
        keys=(*((f"x{place}",) for place in range(cells)), (TOTAL,)),
        value=np.array(values, dtype=np.float64),
        matrix=csr_array(np.array([[1.0] * cells + [-1.0]])),
        equations=("sum",),
    )
    return table.suppress_cells(np.array([value is None for value in shown]))
