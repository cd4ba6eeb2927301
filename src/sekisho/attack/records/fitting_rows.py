"""Which of many published rows fit a person: those that admit the value that fewest rows admit are tried, not all.

A row fits a person whose values all its cells admit. For each value of a column of categories the rows that admit it
are listed once; of the lists of a person's values the shortest is gone through. What comes out is what a comparison of
every person with every row finds.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class LinkageSides(NamedTuple):
    """Distinct people and distinct rows as bare arrays for compiled code.

    Attributes:
        numbers: the people's numbers, a column each.
        lower: of each row and column of numbers.
        upper: the same; where a cell is suppressed both ends are as far out as can be.
        scale: what a gap is divided by, for each column of numbers.
        codes: the people's categories, a column each; -1 of a value that no cell admits.
        sets: of each row and column of categories, the distinct set it holds.
        first: where the distinct sets of each column begin in ``admits``.
        width: how many values each column of categories has.
        admits: whether a set admits a value: ``first[c] + set * width[c] + value``.
    """

    numbers: NDArray[np.int64]
    lower: NDArray[np.int64]
    upper: NDArray[np.int64]
    scale: NDArray[np.float64]
    codes: NDArray[np.int64]
    sets: NDArray[np.int64]
    first: NDArray[np.int64]
    width: NDArray[np.int64]
    admits: NDArray[np.bool_]

    def take_people(self, people: NDArray[np.intp]) -> LinkageSides:
        """Return some people beside all rows."""
        return self._replace(numbers=self.numbers[people], codes=self.codes[people])


@dataclass(frozen=True, kw_only=True, eq=False)
class FittingRows:
    """The distinct rows, listed by the values that they admit.

    Attributes:
        sides: people and rows.
    """

    sides: LinkageSides
    _rows: dict[tuple[int, int], NDArray[np.intp]] = field(
        default_factory=dict[tuple[int, int], NDArray[np.intp]], init=False
    )

    def list_rows(self) -> list[NDArray[np.intp]]:
        """Return for each distinct person the rows that fit, ascending."""
        return [self._list_fitting(person) for person in range(len(self.sides.codes))]

    @cached_property
    def _ends(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The ends of ranges as they are subtracted, columns by rows: what is no gap in these fits."""
        lower, upper = (ends.T.astype(np.float64) for ends in (self.sides.lower, self.sides.upper))
        return lower, upper

    @cached_property
    def _sets(self) -> NDArray[np.int64]:
        """The sets of the rows, columns by rows."""
        return np.ascontiguousarray(self.sides.sets.T)

    def _list_fitting(self, person: int) -> NDArray[np.intp]:
        sides, columns = self.sides, self.sides.codes.shape[1]
        codes = sides.codes[person].tolist()
        lists = [self._list_admitting(column, code) for column, code in enumerate(codes)]
        rows = min(lists, key=len) if lists else np.arange(len(sides.lower))
        for column in range(columns):
            if len(lists[column]) < len(self._sets[column]) and lists[column] is not rows:
                rows = rows[self._admit(column, codes[column])[self._sets[column, rows]]]
        for column, value in enumerate(sides.numbers[person].astype(np.float64).tolist()):
            lower, upper = self._ends[0][column, rows], self._ends[1][column, rows]
            rows = rows[(lower <= value) & (value <= upper)]
        return rows

    def _list_admitting(self, column: int, code: int) -> NDArray[np.intp]:
        """Return the rows that admit a value, ascending."""
        if (column, code) not in self._rows:
            self._rows[column, code] = np.flatnonzero(self._admit(column, code)[self._sets[column]])
        return self._rows[column, code]

    def _admit(self, column: int, code: int) -> NDArray[np.bool_]:
        """Tell which distinct sets admit a value; one that no cell admits is admitted where all is suppressed."""
        start, width = int(self.sides.first[column]), int(self.sides.width[column])
        end = int(self.sides.first[column + 1]) if column + 1 < len(self.sides.first) else len(self.sides.admits)
        if code < 0:
            return np.arange((end - start) // width) == 0
        return self.sides.admits[start + code : end : width]
