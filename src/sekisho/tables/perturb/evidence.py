"""What a whole release with keyed noise tells of each of its cells, equation by equation.

Each shown count ``x`` has the weights ``p(a -> x)`` of true counts ``a``. Given one equation, a total and its parts,
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

import numpy as np
from numpy.typing import NDArray

from sekisho.tables.model.table import Mask, Table
from sekisho.tables.perturb.rows import UNIT, NoiseTable
from sekisho.words import Said

Floats = NDArray[np.float64]
SURE = 0.9
MOST_CELLS, MOST_PARTS = 30_000, 400
"""Beyond so many cells only what each number says by itself is told; so it is with equations of so many parts."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Weights:
    """Weights of the counts from ``start`` on, up to a factor."""

    start: int
    values: Floats

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
        return Weights(start=self.start + other.start, values=values / (float(values.max()) or 1.0))


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
        alone = self._list_alone()
        return self._weigh_alone(alone) if alone else self._weigh_plain()

    def _list_alone(self) -> list[int]:
        """Return the parts that may be the only ones with anybody in them: all others are shown as 0."""
        some = [place for place, number in enumerate(self.shown) if number != 0]
        return list(range(len(self.shown))) if not some else some if len(some) == 1 else []

    def _weigh_plain(self) -> list[Floats]:
        """Weigh an equation with several parts that have somebody in them for certain: no two sets are the same."""
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
            found.append(_normalise(part.values * met))
        return [*found, _normalise(before[-1].at(self.total.counts) * self.total.values)]

    def _weigh_alone(self, alone: Sequence[int]) -> list[Floats]:
        """Weigh an equation of which one part may hold everybody: the total is then the same set, shown alike."""
        same = [float(place in alone and number == self.sum_shown) for place, number in enumerate(self.shown)]
        each = [_Occupied.of(part, alike) for part, alike in zip(self.parts, same, strict=True)]
        before, behind = [EMPTY], [EMPTY]
        for one in each:
            before.append(before[-1].join(one))
        for one in reversed(each):
            behind.append(one.join(behind[-1]))
        behind.reverse()
        found: list[Floats] = []
        for place, part in enumerate(self.parts):
            rest = before[place].join(behind[place + 1])
            some = rest.one_or_more
            met = self.total.at(part.counts[:, None] + np.arange(len(some))) @ some + rest.none * same[place]
            nobody = rest.none * self.total.at(np.zeros(1, dtype=np.int64))[0] + rest.alike.sum()
            nobody += self.total.at(np.arange(len(rest.more))) @ rest.more
            found.append(_normalise(part.values * np.where(part.counts == 0, nobody, met)))
        whole, counts = before[-1], self.total.counts
        met = Weights(start=0, values=whole.more).at(counts) * self.total.values
        met += Weights(start=0, values=whole.alike).at(counts)
        met += np.where(counts == 0, whole.none * self.total.values, 0.0)
        return [*found, _normalise(met)]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Occupied:
    """Weights of the sum of some parts, by how many of them have somebody in them; arrays begin at 0.

    Attributes:
        none: nobody is in any.
        one: somebody is in just one.
        alike: somebody is in just one, and the total is shown as that one is.
        more: somebody is in several.
    """

    none: float
    one: Floats
    alike: Floats
    more: Floats

    @classmethod
    def of(cls, part: Weights, alike: float) -> _Occupied:
        own = np.concatenate([np.zeros(part.start), part.values])
        none, own[0] = float(own[0]), 0.0
        return cls(none=none, one=own, alike=own * alike, more=np.zeros(1))

    @property
    def one_or_more(self) -> Floats:
        return _add(self.one, self.more)

    def join(self, other: _Occupied) -> _Occupied:
        several = np.convolve(self.one_or_more, other.one_or_more)
        return _Occupied(
            none=self.none * other.none,
            one=_add(self.one * other.none, other.one * self.none),
            alike=_add(self.alike * other.none, other.alike * self.none),
            more=_add(several, _add(self.more * other.none, other.more * self.none)),
        )


EMPTY = _Occupied(none=1.0, one=np.zeros(1), alike=np.zeros(1), more=np.zeros(1))


def _add(one: Floats, two: Floats) -> Floats:
    """Return the sum of arrays that both begin at 0."""
    long, short = (one, two) if len(one) >= len(two) else (two, one)
    added = long.copy()
    added[: len(short)] += short
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
        shown: the cells of which a number is shown; of the others nothing is known here.
    """

    exact: bool
    count: NDArray[np.int64]
    chance: Floats
    possible: NDArray[np.int64]
    equation: NDArray[np.int64]
    shown: Mask

    @property
    def kind(self) -> str:
        """``exact``, or ``bound`` where an attacker who uses all equations jointly may know more."""
        return "exact" if self.exact else "bound"

    @property
    def certain(self) -> Mask:
        """The cells of which one count only is possible."""
        return self.shown & (self.possible == 1)

    @property
    def sure(self) -> Mask:
        """The cells whose likeliest count has a chance above 0.9."""
        return self.shown & (self.chance > SURE)

    @property
    def mean(self) -> float:
        """The mean chance of the likeliest count."""
        return float(self.chance[self.shown].mean()) if self.shown.any() else 0.0

    @property
    def order(self) -> NDArray[np.intp]:
        """The cells, those that are known best first."""
        order = np.argsort(-self.chance, kind="stable")
        return order[self.shown[order]]

    def tell(self) -> Said:
        """Say how well the cells are known."""
        sure, known = int(self.sure.sum()), int(self.certain.sum())
        if self.exact:
            return Said(
                "The likeliest count of a cell has chance {mean:.3f} on the average; {sure:,} above 0.9, {known:,} "
                "certain (exact).",
                mean=self.mean,
                sure=sure,
                known=known,
            )
        return Said(
            "The likeliest count of a cell has chance {mean:.3f} on the average, one equation at a time; {sure:,} "
            "above 0.9, {known:,} certain (a bound: who uses all equations jointly may know more).",
            mean=self.mean,
            sure=sure,
            known=known,
        )


def find_evidence(noise: NoiseTable, table: Table, shown: NDArray[np.int64], *, sums: bool = True) -> CellEvidence:
    """Return what the shown counts of a table tell of each cell, by itself and by each of its equations.

    Without noise of their own ``sums`` say nothing, and each cell stands by itself.
    """
    kinds = {number: weigh_counts(noise, number) for number in np.unique(shown).tolist()}
    weights = [kinds[number] for number in shown.tolist()]
    best = _Best(weights)
    matrix = table.matrix
    asked = len(table) <= MOST_CELLS
    for row in range(matrix.shape[0] if asked and sums else 0):
        cells = matrix.indices[matrix.indptr[row] : matrix.indptr[row + 1]]
        signs = matrix.data[matrix.indptr[row] : matrix.indptr[row + 1]]
        totals, parts = cells[signs < 0], cells[signs > 0]
        plain = len(totals) == 1 and len(parts) <= MOST_PARTS and bool(np.all(np.abs(signs) == 1))
        if not plain or table.unpublished[cells].any():
            asked = False
            continue
        evidence = EquationEvidence(
            parts=[weights[cell] for cell in parts],
            total=weights[totals[0]],
            shown=shown[parts].tolist(),
            sum_shown=int(shown[totals[0]]),
        )
        best.take([*parts.tolist(), int(totals[0])], evidence.find_posteriors(), row)
    return best.tell(~table.unpublished, exact=asked and (not sums or matrix.shape[0] <= 1))


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

    def tell(self, shown: Mask, *, exact: bool) -> CellEvidence:
        return CellEvidence(
            exact=exact,
            count=self._count,
            chance=self._chance,
            possible=self._possible,
            equation=self._equation,
            shown=shown,
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

    def tell(self) -> Said:
        """Say what two shown numbers prove whose people differ by one or by nobody."""
        return Said(
            "Two cells whose people differ by one person show different numbers with chance {proves:.3f}, which "
            "proves that somebody is in the difference; equal numbers speak for nobody by a factor of {factor:.1f}.",
            proves=float(1 - self.same),
            factor=float(1 / self.same) if self.same else float("inf"),
        )

    def as_dict(self) -> dict[str, float | None]:
        """Return them as plain data."""
        return {
            "proves_presence": float(1 - self.same),
            "factor_for_nobody": float(1 / self.same) if self.same else None,
        }
