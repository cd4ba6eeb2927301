"""Codes that add up like margins though nobody called them so.

The attacker needs no name to see that one code's cells are the sums of the others': he tries. So does this check,
before a table is made of cells. It errs on the safe side: a category that happens to be the sum of the others is
refused too (of two equal cells in a table of one line each is), because the user answers with one option, and a margin
that is missed gives hidden cells away. It finds

- a code whose cells are, line by line (a line is a combination of codes of the other dimensions), the sum of the
  others' cells. It need not have a cell in every line: rows get lost. Nor need it agree with a line that lacks cells of
  others, as long as it is not less than those that are there.
- codes of several dimensions that add up only together, as where a grand total stands beside inner cells.

One line in which it agrees with the sum of two others is enough; where there is but one other, as many as it exceeds.
A list that leaves out most combinations, as one without zeros does, has such lines by chance: there a code must have a
cell wherever a margin has one, or agree with sums that are not met by chance. Codes that are 0 throughout tell nothing.
Sums (not counts) may miss by what rounding them to their last digit does, if they are large beside it.
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
from sekisho.words import Said, name_setting

Ints = NDArray[np.int64]
LARGE = 100.0
"""So many times its rounding must a sum be for rounding to be allowed for."""
DIGITS = 6
"""So many decimals are looked at."""
SURE = 20.0
"""So unlikely, in bits, must it be to agree by chance where most combinations are left out."""
MOST_AXES = 5
"""So many dimensions are looked at together."""


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
    message = Said(
        "the cells of {code!r} are the sums of the other codes' cells, as a margin's are; say "
        "what {code!r} of {dim} is: {total} for the margin, {category} for a category like the others",
        code=code,
        dim=dim,
        total=name_setting("total", code, dim),
        category=name_setting("category", code, dim),
    )
    return margin_fault(dim, "margin", code, message)


@dataclass(frozen=True, kw_only=True, eq=False)
class Tally:
    """What lines say of codes, or of combinations of codes, that may be margins; an entry for each.

    Attributes:
        agree: in how many lines it is the sum of the others, and not 0.
        strong: in how many of these there are two others or more that are not 0.
        exceed: in how many lines that lack cells it is more than that sum.
        deny: in how many lines it is anything else.
        bits: how unlikely it is to agree so often by chance, in bits.
    """

    agree: Floats
    strong: Floats
    exceed: Floats
    deny: Floats
    bits: Floats

    def plausible(self) -> Mask:
        """Tell which may be margins of a table that has lost some rows."""
        return (self.agree > 0) & (self.deny == 0) & ((self.strong > 0) | (self.agree >= self.exceed))


@dataclass(frozen=True, kw_only=True, eq=False)
class Lines:
    """Cells beside what they would be as margins, each in its line.

    Attributes:
        value: of each cell.
        rest: the sum of the others of its line.
        wide: the sum of their sizes.
        others: how many of them are not 0.
        cells: how many there are.
        lacks: whether the line lacks a cell.
        unit: the last digit that sums were rounded to; 0 if they are exact.
        signed: whether values may be below 0: then none need exceed another.
    """

    value: Floats
    rest: Floats
    wide: Floats
    others: Floats
    cells: Floats
    lacks: Mask
    unit: float
    signed: bool

    def count(self, group: NDArray[np.intp], groups: int) -> Tally:
        """Return what the lines say of each group of cells."""
        off = self.value - self.rest
        rounded = np.where(self.cells > 1, (self.cells + 1) * self.unit / 2, 0.0)  # the total and each of its parts
        close = np.abs(off) <= (self.wide + np.abs(self.value)) * RELATIVE_SLACK + ABSOLUTE_SLACK
        near = (np.abs(off) <= rounded + ABSOLUTE_SLACK) & (np.abs(self.value) >= LARGE * rounded)
        same = close | near
        agree = same & (self.value != 0)
        exceed = ~same & self.lacks & (self.signed | (off > 0))
        surprise = np.where(agree, np.log2(1 + np.abs(self.value) / (self.unit or 1.0)), 0.0)

        def total(weights: Floats | Mask) -> Floats:
            return np.bincount(group, weights=weights, minlength=groups).astype(np.float64)

        return Tally(
            agree=total(agree),
            strong=total(agree & (self.others > 1)),
            exceed=total(exceed),
            deny=total(~same & ~exceed),
            bits=total(surprise),
        )


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
    def inner(self) -> Mask:
        """The cells that are no sums as far as is known."""
        return np.all([mask[column] for mask, column in zip(self.leaf, self.codes.T, strict=True)], axis=0)

    @cached_property
    def signed(self) -> bool:
        """Whether values may be below 0."""
        return bool(np.any(self.value < 0))

    @cached_property
    def sparse(self) -> bool:
        """Whether the cells are a list that leaves out most combinations, zeros among them."""
        possible = float(np.prod([float(mask.sum()) for mask in self.leaf]))
        return bool(np.all(self.value != 0)) and 2 * float(self.inner.sum()) < possible

    def suspects(self) -> list[tuple[int, int]]:
        """Return the codes that add up like margins, each as its dimension and number."""
        axes = range(len(self.leaf))
        single = [(axis, int(code)) for axis in axes for code in np.flatnonzero(self._alone(axis))]
        return single or next(self._together(), [])

    def _alone(self, axis: int) -> Mask:
        """Return which codes of a dimension add up by themselves."""
        tally, asked = self._tallies[axis], self.asked[axis]
        plausible = tally.plausible() & asked
        if not plausible.any() or not self.sparse:
            return plausible
        return plausible & (((tally.exceed == 0) & (self._lacking(axis) == 0)) | (tally.bits >= SURE))

    @cached_property
    def _tallies(self) -> list[Tally]:
        """For each dimension, what the lines along it say of its codes."""
        return [self._tally(axis) for axis in range(len(self.leaf))]

    def _tally(self, axis: int) -> Tally:
        code = self.codes[:, axis]
        rows = np.flatnonzero(self.leaf[axis][code])
        line = np.unique((self.place - code * self.step[axis])[rows], return_inverse=True)[1]
        value = self.value[rows]

        def by_line(weights: Floats | Mask) -> Floats:
            return np.bincount(line, weights=weights)[line].astype(np.float64)

        cells = by_line(np.ones(len(rows)))
        lines = Lines(
            value=value,
            rest=by_line(value) - value,
            wide=by_line(np.abs(value)),
            others=by_line(value != 0) - (value != 0),
            cells=cells - 1,
            lacks=cells < self.leaf[axis].sum(),
            unit=self.unit,
            signed=self.signed,
        )
        return lines.count(code[rows], len(self.leaf[axis]))

    def _lacking(self, axis: int) -> Floats:
        """Return for each code in how many lines it has no cell.

        Lines count where others there are not 0 and the line is no margin's, known or likely.
        """
        code = self.codes[:, axis]
        rows = np.flatnonzero(self.leaf[axis][code])
        line = np.unique((self.place - code * self.step[axis])[rows], return_inverse=True)[1]
        margin = np.zeros(len(self.codes), dtype=np.bool_)
        for other, column in enumerate(self.codes.T):
            if other != axis:
                likely = self._tallies[other].plausible() & self.asked[other]
                margin |= (~self.leaf[other] | likely)[column]
        filled = np.bincount(line, weights=np.abs(self.value[rows]))[line] > 0
        counts = filled & ~margin[rows]
        own = np.bincount(code[rows], weights=counts, minlength=len(self.leaf[axis]))
        return len(np.unique(line[counts])) - own.astype(np.float64)

    def _together(self) -> Iterator[list[tuple[int, int]]]:
        """Yield sets of dimensions with a code of each that are margins all at once."""
        open_axes = [axis for axis, mask in enumerate(self.asked) if mask.any()]
        for size in range(2, min(len(open_axes), MOST_AXES) + 1):
            for axes in map(list, combinations(open_axes, size)):
                for codes in self._candidates(axes):
                    if self._adds_up(axes, codes):
                        yield list(zip(axes, codes, strict=True))

    def _candidates(self, axes: list[int]) -> Iterator[list[int]]:
        """Yield the combinations of codes whose own cells may be sums of the cells that have none of the codes."""
        rows = np.flatnonzero(self.inner)
        value, codes = self.value[rows], self.codes[rows]
        rest, others = (self._beside(axes, rows, weights) for weights in (value, (value != 0).astype(np.float64)))
        lines = Lines(
            value=value,
            rest=rest,
            wide=self._beside(axes, rows, np.abs(value)),
            others=others,
            cells=self._beside(axes, rows, np.ones(len(rows))),
            lacks=np.ones(len(rows), dtype=np.bool_),
            unit=self.unit,
            signed=self.signed,
        )
        asked = np.all([self.asked[axis][codes[:, axis]] for axis in axes], axis=0)
        first, group = np.unique(codes[:, axes] @ self.step[axes], return_index=True, return_inverse=True)[1:]
        tally = lines.count(group, len(first))
        likely = (tally.agree > 0) & (tally.deny == 0) & asked[first]
        for at in np.flatnonzero(likely).tolist():
            yield codes[first[at], axes].tolist()

    def _beside(self, axes: list[int], rows: NDArray[np.intp], weights: Floats) -> Floats:
        """Return for each cell the sum of those cells of its line that have none of its codes on some axes.

        By inclusion and exclusion: of all cells of the line, less those that share a code, and so on.
        """
        beside = np.zeros(len(rows))
        for size in range(len(axes) + 1):
            for shared in combinations(axes, size):
                free = [axis for axis in axes if axis not in shared]
                line = (self.place - self.codes[:, free] @ self.step[free])[rows]
                group = np.unique(line, return_inverse=True)[1]
                beside += (-1) ** size * np.bincount(group, weights=weights)[group]
        return beside

    def _adds_up(self, axes: list[int], code: list[int]) -> bool:
        """Tell whether the cells that have some of these codes may be sums of the cells that have none of them."""
        has = self.codes[:, axes] == np.array(code)
        plain = self.inner & ~has.any(axis=1)
        kind = has @ (1 << np.arange(len(axes)))
        tallies = [
            self._compare(
                [axis for bit, axis in enumerate(axes) if mask >> bit & 1],
                plain,
                np.flatnonzero(self.inner & (kind == mask)),
            )
            for mask in np.unique(kind[self.inner & has.any(axis=1)]).tolist()
        ]
        agree, strong, exceed, deny, bits = (
            sum(float(getattr(tally, name)[0]) for tally in tallies)
            for name in ("agree", "strong", "exceed", "deny", "bits")
        )
        tops = self.value[self.inner & has.all(axis=1)]
        below = self.value[self.inner & has.any(axis=1) & ~has.all(axis=1)]
        if deny or not agree or (not self.signed and np.abs(below).max(initial=0.0) > np.abs(tops).max(initial=0.0)):
            return False
        if self.sparse and not (strong and not exceed) and bits < SURE:
            return False
        return bool(strong or agree >= exceed)

    def _compare(self, axes: list[int], plain: Mask, totals: NDArray[np.intp]) -> Tally:
        """Return what is said of some cells as the sums, along some dimensions, of the plain cells."""
        line = self.place - self.codes[:, axes] @ self.step[axes]
        ours, at = np.unique(line[totals], return_inverse=True)
        where = np.searchsorted(ours, line[plain])
        inside = (where < len(ours)) & (ours[np.minimum(where, len(ours) - 1)] == line[plain])

        def add(weights: Floats | Mask) -> Floats:
            return np.bincount(where[inside], weights=weights[inside], minlength=len(ours)).astype(np.float64)[at]

        parts = self.value[plain]
        cells = add(np.ones(len(parts)))
        possible = np.prod([float(self.leaf[axis].sum()) - 1 for axis in axes])
        lines = Lines(
            value=self.value[totals],
            rest=add(parts),
            wide=add(np.abs(parts)),
            others=add(parts != 0),
            cells=cells,
            lacks=cells < possible,
            unit=self.unit,
            signed=self.signed,
        )
        return lines.count(np.zeros(len(totals), dtype=np.intp), 1)


def rounding_unit(value: Floats) -> float:
    """Return the last digit that numbers are written to: 1 if all are whole, 0 if they have more than six decimals."""
    for digits in range(DIGITS + 1):
        if np.allclose(value, np.round(value, digits), rtol=RELATIVE_SLACK, atol=0.0):
            return float(10.0**-digits)
    return 0.0
