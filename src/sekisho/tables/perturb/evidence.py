"""What a whole release with keyed noise tells of each of its cells, equation by equation.

Each shown count ``x`` has the weights ``p(a -> x)`` of the true counts ``a``. Given one equation, a total and its parts,
with keys of different sets independent, the posterior of a part is its weights times those that the others leave: the
convolution of the other parts, met by the total. Where all parts but one are empty the total is the same set of records
as that part, hence shows the same number: that case is weighed by itself. Exact for one equation; a cell stands in
several, and an attacker who uses them jointly may know more, so over a table the finding is a bound on what is known,
from below, unless it has one equation only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import exp, log

import numpy as np
from numpy.typing import NDArray

from sekisho.tables.model.table import Table
from sekisho.tables.perturb.rows import UNIT, NoiseTable

Floats = NDArray[np.float64]
SURE = 0.9
MOST_CELLS, MOST_PARTS = 30_000, 400
"""Beyond so many cells only what each number says by itself is told; so it is with equations of so many parts."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Weights:
    """Weights of the counts from ``start`` on, to be multiplied by ``exp(log)``."""

    start: int
    values: Floats
    log: float = 0.0

    def at(self, counts: NDArray[np.int64]) -> Floats:
        """Return the weights of counts; 0 of those that it does not hold."""
        places = counts - self.start
        inside = (places >= 0) & (places < len(self.values))
        return np.where(inside, self.values[np.clip(places, 0, len(self.values) - 1)], 0.0)

    @property
    def counts(self) -> NDArray[np.int64]:
        """The counts."""
        return np.arange(self.start, self.start + len(self.values))

    def convolve(self, other: Weights) -> Weights:
        """Return the weights of sums."""
        values = np.convolve(self.values, other.values)
        most = float(values.max()) or 1.0
        return Weights(start=self.start + other.start, values=values / most, log=self.log + other.log + log(most))


NOTHING = Weights(start=0, values=np.ones(1))


def weigh_counts(table: NoiseTable, shown: int) -> Weights:
    """Return how likely each true count is shown as a number."""
    start = max(0, shown - table.largest)
    counts = range(start, max(shown, 0) + table.largest + 1)
    return Weights(start=start, values=np.array([table.units_of(count, shown) / UNIT for count in counts]))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class EquationEvidence:
    """One equation: a total and its parts, as they are shown.

    Attributes:
        parts: the weights of the parts by themselves.
        total: those of the total.
        shown: what is shown of the parts.
        sum_shown: what is shown of the total.
    """

    parts: Sequence[Weights]
    total: Weights
    shown: Sequence[int]
    sum_shown: int

    def find_posteriors(self) -> list[Floats]:
        """Return the posterior of each part, over its own counts, and at last that of the total."""
        before, behind = [NOTHING], [NOTHING]
        for each in self.parts:
            before.append(before[-1].convolve(each))
        for each in reversed(self.parts):
            behind.append(behind[-1].convolve(each))
        behind.reverse()
        found: list[Floats] = []
        for place, part in enumerate(self.parts):
            rest = before[place].convolve(behind[place + 1])
            met = self.total.at(part.counts[:, None] + rest.counts) @ rest.values
            met = met + exp(-rest.log) * self._same_as(place)
            found.append(_normalise(part.values * np.maximum(met, 0.0)))
        whole = before[-1]
        met = whole.at(self.total.counts) * self.total.values + exp(-whole.log) * self._same_total()
        found.append(_normalise(np.maximum(met, 0.0)))
        return found

    def _list_alone(self) -> list[int]:
        """Return the parts that may be the only ones with anybody in them: all others are shown as 0."""
        some = [place for place, number in enumerate(self.shown) if number != 0]
        return list(range(len(self.shown))) if not some else some if len(some) == 1 else []

    def _gain(self, place: int) -> Floats:
        """Return, by count of a part, by how much more likely the total is shown so if it is the same set as the part.

        Nothing is gained at 0, where it is shown as 0 anyway.
        """
        counts = self.parts[place].counts
        same = float(self.shown[place] == self.sum_shown)
        return np.where(counts == 0, 0.0, same - self.total.at(counts))

    def _same_as(self, place: int) -> Floats:
        """Return what is to be added for a part where the total is the same set as one of the parts."""
        counts, alone = self.parts[place].counts, self._list_alone()
        own = self._gain(place) if place in alone else np.zeros(len(counts))
        others = sum(float(self.parts[at].values @ self._gain(at)) for at in alone if at != place)
        return np.where(counts == 0, others, own)

    def _same_total(self) -> Floats:
        """Return what is to be added for the total where it is the same set as one of the parts."""
        counts = self.total.counts
        added = np.zeros(len(counts))
        for place in self._list_alone():
            part = self.parts[place]
            added += Weights(start=part.start, values=part.values * self._gain(place)).at(counts)
        return added


def _normalise(values: Floats) -> Floats:
    total = float(values.sum())
    return values / total if total > 0 else values


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CellEvidence:
    """What is known best of each cell.

    Attributes:
        exact: whether the posteriors use all that is shown; else they bound from below what is known.
        count: the likeliest count.
        chance: its chance.
        possible: how many counts are possible.
        equation: the equation that tells most; -1 where the number by itself does.
    """

    exact: bool
    count: NDArray[np.int64]
    chance: Floats
    possible: NDArray[np.int64]
    equation: NDArray[np.int64]

    @property
    def kind(self) -> str:
        """``exact``, or ``bound`` where an attacker who uses all equations jointly may know more."""
        return "exact" if self.exact else "bound"


def find_evidence(noise: NoiseTable, table: Table, shown: NDArray[np.int64]) -> CellEvidence:
    """Return what the shown counts of a table tell of each cell, by itself and by each of its equations."""
    kinds = {number: weigh_counts(noise, number) for number in np.unique(shown).tolist()}
    weights = [kinds[number] for number in shown.tolist()]
    best = _Best(weights)
    matrix = table.matrix
    asked = len(table) <= MOST_CELLS
    for row in range(matrix.shape[0] if asked else 0):
        cells = matrix.indices[matrix.indptr[row] : matrix.indptr[row + 1]]
        signs = matrix.data[matrix.indptr[row] : matrix.indptr[row + 1]]
        totals, parts = cells[signs < 0], cells[signs > 0]
        if len(totals) != 1 or len(parts) > MOST_PARTS or not np.all(np.abs(signs) == 1):
            asked = False
            continue
        evidence = EquationEvidence(
            parts=[weights[cell] for cell in parts],
            total=weights[totals[0]],
            shown=shown[parts].tolist(),
            sum_shown=int(shown[totals[0]]),
        )
        best.take([*parts.tolist(), int(totals[0])], evidence.find_posteriors(), row)
    return best.tell(exact=asked and matrix.shape[0] <= 1)


class _Best:
    """The surest posterior of each cell so far."""

    def __init__(self, weights: Sequence[Weights]) -> None:
        count = len(weights)
        self._weights = weights
        self._count, self._possible = np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.int64)
        self._chance, self._equation = np.zeros(count), np.full(count, -1, dtype=np.int64)
        self.take(range(count), [_normalise(each.values) for each in weights], -1)

    def take(self, cells: Sequence[int], posteriors: Sequence[Floats], equation: int) -> None:
        for cell, posterior in zip(cells, posteriors, strict=True):
            top = int(posterior.argmax())
            if posterior[top] > self._chance[cell]:
                self._count[cell], self._chance[cell] = self._weights[cell].start + top, posterior[top]
                self._possible[cell], self._equation[cell] = int((posterior > 0).sum()), equation

    def tell(self, *, exact: bool) -> CellEvidence:
        return CellEvidence(
            exact=exact,
            count=self._count,
            chance=self._chance,
            possible=self._possible,
            equation=self._equation,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class DifferenceFigures:
    """What two shown numbers tell whose sets of records differ by one person or by nobody.

    The same set shows the same number, so two different numbers prove that somebody is in the difference; that is the
    price of consistency. Equal numbers speak for nobody.

    Attributes:
        same: the chance that one person more is shown as the same number.
    """

    same: Fraction

    @classmethod
    def of(cls, noise: NoiseTable) -> DifferenceFigures:
        """Return the figures of large counts: ``sum_v p_v p_(v+1)`` of the last row."""
        row = noise.rows[-1]
        chances = dict(zip(row.targets, row.units, strict=True))
        same = sum(units * chances.get(target + 1, 0) for target, units in chances.items())
        return cls(same=Fraction(same, UNIT**2))

    def as_dict(self) -> dict[str, float | None]:
        """Return them as plain data."""
        return {
            "proves_presence": float(1 - self.same),
            "factor_for_nobody": float(1 / self.same) if self.same else None,
        }
