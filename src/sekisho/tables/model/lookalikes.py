"""Codes that add up like margins though nobody called them so.

The attacker needs no name to see that one code's cells are the sums of the others': he tries. So does this check,
before a table is made of cells. It errs on the safe side: a category that happens to be the sum of the others is
refused too (of two equal cells in a table of one line each is), because the user answers with one option, and a margin
that is missed gives hidden cells away. It finds

- a code whose cells are, in every line (every combination of codes of the other dimensions), the sum of the others'
  cells. Where it has no cell it must have been left out as a margin may be: the others are empty there, or the line is
  a margin's itself.
- codes of several dimensions that add up only together, as where a grand total stands beside inner cells: the greatest
  cell's.

Codes that are 0 throughout tell nothing. Sums (not counts) may miss by what rounding them to their last digit does, if
they are large beside it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from sekisho.errors import Fault
from sekisho.tables.model.geometry import Dimension
from sekisho.tables.model.limits import ABSOLUTE_SLACK, RELATIVE_SLACK
from sekisho.tables.model.margins import Margins, margin_fault
from sekisho.tables.model.table import Floats, Key, Mask

Ints = NDArray[np.int64]
LARGE = 100.0
"""So many times its rounding must a sum be for rounding to be allowed for."""
DIGITS = 6
"""So many decimals are looked at."""


def lookalikes(
    dimensions: Sequence[Dimension],
    keys: Sequence[Key],
    value: Floats,
    *,
    said: Margins,
    flat: Collection[str],
    exact: bool,
) -> list[Fault]:
    """Return a fault for each code that adds up like a margin, and of which nobody said what it is.

    Args:
        dimensions: with the codes and the sums that are known.
        keys: each cell's codes.
        value: of each cell.
        said: what is said of the margins' codes.
        flat: the dimensions that have no tree.
        exact: whether the values are counts, which nobody rounds.
    """
    leaf = [np.array([code not in one.sums for code in one.codes]) for one in dimensions]
    told = [frozenset(said.categories.get(one.name, ()) if one.name in flat else one.codes) for one in dimensions]
    grid = Grid(
        codes=np.array([[one.place[key[axis]] for key in keys] for axis, one in enumerate(dimensions)]).T,
        value=value,
        leaf=leaf,
        asked=[
            mask & np.array([code not in known for code in one.codes])
            for mask, known, one in zip(leaf, told, dimensions, strict=True)
        ],
        unit=0.0 if exact else rounding_unit(value),
    )
    return [_fault(dimensions[axis].name, dimensions[axis].codes[code]) for axis, code in grid.suspects()]


def _fault(dim: str, code: str) -> Fault:
    message = (
        f"the cells of {code!r} are the sums of the other codes' cells, as a margin's are; "
        f"say what {code!r} of {dim} is: --total {dim}={code} for the margin, "
        f"--category {dim}={code} for a category like the others"
    )
    return margin_fault(dim, "margin", code, message)


@dataclass(frozen=True, kw_only=True, eq=False)
class Grid:
    """Cells by the numbers of their codes.

    Attributes:
        codes: each cell's code number in every dimension.
        value: of each cell.
        leaf: for each dimension, which code numbers are no sums as far as is known.
        asked: for each dimension, which code numbers are to be looked at.
        unit: the last digit that sums were rounded to; 0 if they are exact.
    """

    codes: Ints
    value: Floats
    leaf: Sequence[Mask]
    asked: Sequence[Mask]
    unit: float = 0.0

    @cached_property
    def step(self) -> Ints:
        """How far apart neighbours of each dimension stand in the product of all."""
        sizes = [len(mask) for mask in self.leaf]
        return np.array([np.prod(sizes[axis + 1 :], dtype=np.int64) for axis in range(len(sizes))], dtype=np.int64)

    @cached_property
    def place(self) -> Ints:
        """Where each cell stands in that product."""
        return self.codes @ self.step

    @cached_property
    def _added(self) -> list[Mask]:
        """For each dimension, which codes are the sum of the others wherever they have a cell."""
        return [_Lines.along(self, axis).added() for axis in range(len(self.leaf))]

    def suspects(self) -> list[tuple[int, int]]:
        """Return the codes that add up like margins, each as its dimension and number."""
        axes = range(len(self.leaf))
        found = [(axis, int(code)) for axis in axes for code in np.flatnonzero(self._throughout(axis))]
        return found or next(self._together(), [])

    def _throughout(self, axis: int) -> Mask:
        """Return which codes add up where they have a cell and lack none but where a margin may be left out."""
        added = self._added[axis]
        if not added.any():
            return added
        lines = _Lines.along(self, axis)
        margin = np.zeros(len(self.codes), dtype=np.bool_)
        for other, column in enumerate(self.codes.T):
            if other != axis:
                margin |= (~self.leaf[other] | self._added[other])[column]
        return added & (lines.lacking(margin[lines.rows]) == 0)

    def _together(self) -> Iterator[list[tuple[int, int]]]:
        """Yield sets of dimensions in which the greatest cell's codes are margins all at once."""
        open_axes = [axis for axis, mask in enumerate(self.asked) if mask.any()]
        inner = np.all([mask[column] for mask, column in zip(self.leaf, self.codes.T, strict=True)], axis=0)
        if not inner.any():
            return
        top = int(np.flatnonzero(inner)[np.abs(self.value[inner]).argmax()])
        code = self.codes[top]
        for size in range(2, len(open_axes) + 1):
            for axes in map(list, combinations(open_axes, size)):
                if all(self.asked[axis][code[axis]] for axis in axes) and self._sums(axes, code, inner, top):
                    yield [(axis, int(code[axis])) for axis in axes]

    def _sums(self, axes: list[int], code: Ints, inner: Mask, top: int) -> bool:
        """Tell whether every cell that has one of these codes is the sum of the cells that have none."""
        has = self.codes[:, axes] == code[axes]
        plain = inner & ~has.any(axis=1)
        if not self._equal(axes, plain, np.array([top])):
            return False
        kind = has @ (1 << np.arange(len(axes)))
        return all(
            self._equal(
                [axis for bit, axis in enumerate(axes) if mask >> bit & 1],
                plain,
                np.flatnonzero(inner & (kind == mask)),
            )
            for mask in np.unique(kind[inner & has.any(axis=1)]).tolist()
        )

    def _equal(self, axes: list[int], plain: Mask, totals: NDArray[np.intp]) -> bool:
        """Tell whether some cells are the sums, along some dimensions, of the plain cells, and not all of them 0."""
        line = self.place - self.codes[:, axes] @ self.step[axes]
        ours, at = np.unique(line[totals], return_inverse=True)
        where = np.searchsorted(ours, line[plain])
        inside = (where < len(ours)) & (ours[np.minimum(where, len(ours) - 1)] == line[plain])
        parts = np.bincount(where[inside], weights=self.value[plain][inside], minlength=len(ours))
        wide = np.bincount(where[inside], weights=np.abs(self.value[plain][inside]), minlength=len(ours))
        off = np.abs(self.value[totals] - parts[at])
        return bool(np.all(off <= wide[at] * RELATIVE_SLACK + ABSOLUTE_SLACK) and np.any(self.value[totals] != 0))


@dataclass(frozen=True, kw_only=True, eq=False)
class _Lines:
    """The cells along one dimension, line by line: those that differ in its code alone."""

    code: Ints
    value: Floats
    rows: NDArray[np.intp]
    line: NDArray[np.intp]
    asked: Mask
    unit: float

    @classmethod
    def along(cls, grid: Grid, axis: int) -> _Lines:
        """Return the lines along a dimension, without the cells known to be sums in it."""
        code = grid.codes[:, axis]
        rows = np.flatnonzero(grid.leaf[axis][code])
        line = np.unique((grid.place - code * grid.step[axis])[rows], return_inverse=True)[1]
        return cls(
            code=code[rows], value=grid.value[rows], rows=rows, line=line, asked=grid.asked[axis], unit=grid.unit
        )

    def _by_code(self, weights: Floats | Mask) -> Floats:
        return np.bincount(self.code, weights=weights, minlength=len(self.asked)).astype(np.float64)

    def _by_line(self, weights: Floats | Mask) -> Floats:
        return np.bincount(self.line, weights=weights)[self.line].astype(np.float64)

    def added(self) -> Mask:
        """Return which of the codes asked about are the sum of the others in every line where they have a cell."""
        size = np.abs(self.value)
        off = np.abs(2 * self.value - self._by_line(self.value))
        wrong = off > self._by_line(size) * RELATIVE_SLACK + ABSOLUTE_SLACK
        cells = self._by_line(np.ones(len(size)))  # the total and its parts, each rounded by half a unit
        rounded = np.where(cells > 2, cells * self.unit / 2, 0.0)
        near = (self._by_code(off > rounded + ABSOLUTE_SLACK) == 0) & (
            self._by_code(size) >= LARGE * self._by_code(rounded)
        )
        return self.asked & ((self._by_code(wrong) == 0) | near) & (self._by_code(size) > 0)

    def lacking(self, margin: Mask) -> Floats:
        """Return for each code in how many lines it has no cell.

        Lines count where others there are not 0 and the line is no margin's.
        """
        counts = (self._by_line(np.abs(self.value)) > 0) & ~margin
        lines = len(np.unique(self.line[counts]))
        return lines - self._by_code(counts)


def rounding_unit(value: Floats) -> float:
    """Return the last digit that numbers are written to: 1 if all are whole, 0 if they have more than six decimals."""
    for digits in range(DIGITS + 1):
        if np.allclose(value, np.round(value, digits), rtol=RELATIVE_SLACK, atol=0.0):
            return float(10.0**-digits)
    return 0.0
