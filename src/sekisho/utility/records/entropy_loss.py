"""Non-uniform entropy: how many bits must be guessed to get the values back from the cells?

Of a cell S that stands for the value x of a record, with n(x) the records of the original that have the value x in the
column and n(S) those whose value S admits:

    loss = -log2(n(x) / n(S))

0 of an exact cell; of a suppressed cell, of a deleted record and of a cell that does not admit x (a changed value tells
nothing that can be relied on) it is -log2(n(x) / N). The value of a column, and of the release, is the sum of the
losses over the sum that suppressing everything would cost: 0 to 1. A frequent value hidden among rare ones costs
little, which sets the measure apart from NCP.

With ``expected`` the truth is not looked at, so that the rows may stand in any order: a cell costs the mean of its loss
over the records it admits, the entropy of the original's values within S. In global recoding both sums are equal.

Missing cells: missing is a value as any other, which a release either still tells or not.

Source: Gionis, Tassa, "k-Anonymization with minimal loss of information", TKDE 21 (2009), definition 2.5; de Waal,
Willenborg, "Information loss through global recoding and local suppression", Netherlands Official Statistics 14 (1999),
for the expected form; the scale is ours.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sekisho.data.frame.cells import RangeCells, SetCells
from sekisho.data.frame.dataset import Dataset, Role
from sekisho.data.frame.release import Release
from sekisho.data.records.space import require_one_row
from sekisho.data.shape import Shape
from sekisho.errors import ParameterError
from sekisho.parameters import checked
from sekisho.utility.score import Score
from sekisho.words import Said

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class EntropyLoss:
    """The share of the bits of the keys that is lost, all quasi-identifiers if none is named."""

    shapes: ClassVar[frozenset[Shape]] = frozenset({Shape.RECORDS})

    keys: tuple[str, ...] = ()
    expected: bool = False

    def compare(self, original: Dataset, released: Release) -> Score:
        """Return the share lost; the detail holds that of each key."""
        require_one_row(original)
        keys = self.keys or original.schema.with_role(Role.QUASI)
        if not keys:
            raise ParameterError("keys", Said("be one column or more"), keys)
        losses = {original.schema[name].name: self._measure(original, released, name) for name in keys}
        lost, most = (sum(pair[place] for pair in losses.values()) for place in (0, 1))
        detail = {name: loss / whole if whole else 0.0 for name, (loss, whole) in losses.items()}
        return Score(value=lost / most if most else 0.0, detail=detail)

    def _measure(self, original: Dataset, released: Release, name: str) -> tuple[float, float]:
        """Return the bits lost in a column, and those that suppressing all of it would cost."""
        cells = released.table.columns[name]
        if isinstance(cells, RangeCells):
            values, place = np.unique(original.grid(name), return_inverse=True)
            found = _Column(counts=np.bincount(place), place=place.reshape(-1))
            first = np.searchsorted(values, cells.lower)
            sums, hidden = found.sum_ranges(first, np.searchsorted(values, cells.upper, side="right"))
        else:
            found = _Column(counts=np.bincount(original.codes(name)), place=original.codes(name).astype(np.int64))
            sums, hidden = found.sum_sets(cells, original.domain(name))
        bits = found.bits()
        if self.expected:
            whole = found.entropy()
            mean = np.divide(hidden, sums, out=np.zeros_like(hidden), where=sums > 0)
            loss = np.where(cells.suppressed, whole, _log2(sums) - mean)
            return float(np.maximum(loss, 0.0).sum()), whole * len(cells)
        own = _log2(found.counts.astype(np.float64))[found.place]
        admitted = _admits(original, cells, name) & ~cells.suppressed
        return float(np.where(admitted, _log2(sums) - own, bits).sum()), float(bits.sum())


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Column:
    """A column of the original: how often each distinct value stands there, and which each record has."""

    counts: NDArray[np.int64]
    place: NDArray[np.int64]

    def bits(self) -> Floats:
        """Return for each record the bits that its value tells."""
        return np.log2(len(self.place)) - _log2(self.counts.astype(np.float64))[self.place]

    def entropy(self) -> float:
        """Return the mean of the bits."""
        return float(self.bits().mean()) if len(self.place) else 0.0

    def weigh(self) -> tuple[Floats, Floats]:
        """Return of each value n, and n log2 n."""
        counts = self.counts.astype(np.float64)
        return counts, counts * _log2(counts)

    def sum_ranges(self, first: NDArray[np.int64], last: NDArray[np.int64]) -> tuple[Floats, Floats]:
        """Return the sums of both over the values of each range."""
        sums = [np.concatenate([[0.0], np.cumsum(part)]) for part in self.weigh()]
        one, two = (part[np.maximum(last, first)] - part[first] for part in sums)
        return one, two

    def sum_sets(self, cells: SetCells, domain: tuple[str, ...]) -> tuple[Floats, Floats]:
        """Return the sums of both over the values of each set."""
        at = {value: place for place, value in enumerate(domain)}
        places = np.array([at.get(value, len(domain)) for value in cells.domain], dtype=np.int64)[cells.codes]
        one, two = (
            np.bincount(cells.owners(), weights=np.append(part, 0.0)[places], minlength=len(cells)).astype(np.float64)
            for part in self.weigh()
        )
        return one, two


def _log2(values: Floats) -> Floats:
    return np.log2(np.maximum(values, 1.0))


def _admits(original: Dataset, cells: RangeCells | SetCells, name: str) -> NDArray[np.bool_]:
    if isinstance(cells, RangeCells):
        return cells.admits(original.grid(name))
    at = {value: code for code, value in enumerate(cells.domain)}
    codes = np.array([at.get(value, -1) for value in original.domain(name)], dtype=np.int32)
    return cells.admits(codes[original.codes(name)])
