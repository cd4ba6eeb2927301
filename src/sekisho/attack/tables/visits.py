"""Who moves like this? Pseudonyms by how often a person was seen in each region.

The adversary has a reference trace of everybody, and the released traces under pseudonyms. The chance that a person is
in a region is his share of visits there, at least 1e-8; the likelihood of a trace is the product over its cells, that
of a set of regions the mean of its members', ``*`` tells nothing. He names the likeliest person, or with ``once``
assigns every person one pseudonym so that the sum of the logarithms is largest. ``hours`` looks only at some times of
the day (at 8 people are at home).

A trace is then read off: a region as it stands, one of a set drawn, any region for ``*``.

The sample programs look at a tenth of the cells and at ten regions of a set to save time, and assign greedily; this
looks at all.

Source: PWS Cup 2019, sample programs I2 and I3 (VisitProb, HomeProb), T2 and T3; Gambs et al., "De-anonymization attack
on geolocated data", J. Computer and System Sciences 80 (2014).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from sekisho.data.files.region_cells import RegionCells
from sekisho.parameters import checked

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
LEAST = 1e-8
BLOCK = 2000
"""So many different sets of regions are looked at together."""


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class VisitLikelihood:
    """The attack.

    Attributes:
        regions: how many there are.
        times: of a day.
        hours: at which of them he looks; all if none is named.
        once: whether nobody is named twice.
    """

    regions: int
    times: int = 20
    hours: tuple[int, ...] = ()
    once: bool = False

    def guess(self, reference: Ints, released: RegionCells) -> Ints:
        """Return for each pseudonym the row of the reference it is taken for.

        Args:
            reference: a row each person, a column each time, the region from 1.
            released: cells pseudonym by pseudonym, each as long as the others.
        """
        likelihood = self.compute(reference, released, pseudonyms=len(reference))
        if self.once:
            return np.asarray(linear_sum_assignment(likelihood, maximize=True)[1], dtype=np.int64)
        return likelihood.argmax(axis=1)

    def compute(self, reference: Ints, released: RegionCells, *, pseudonyms: int) -> Floats:
        """Return the logarithm of each pseudonym's likelihood for each person."""
        seen = self._look(np.arange(reference.shape[1]))
        people = len(reference)
        place = np.arange(people)[:, None] * self.regions + reference[:, seen] - 1
        visits = np.bincount(place.ravel(), minlength=people * self.regions).reshape(people, self.regions)
        chances = np.maximum(visits / visits.sum(axis=1, keepdims=True), LEAST)
        length = len(released) // pseudonyms
        cell = np.flatnonzero(np.tile(self._look(np.arange(length)), pseudonyms) & (released.sizes > 0))
        total = np.zeros((pseudonyms, people))
        single = cell[released.sizes[cell] == 1]
        counts = np.zeros((pseudonyms, self.regions))
        np.add.at(counts, (single // length, released.regions[released.offsets[single]] - 1), 1)
        total += counts @ np.log(chances).T
        several = cell[released.sizes[cell] > 1]
        names: dict[bytes, int] = {}
        number = np.zeros(len(several), dtype=np.int64)
        for row, each in enumerate(several.tolist()):
            listed = released.regions[released.offsets[each] : released.offsets[each + 1]]
            number[row] = names.setdefault(listed.tobytes(), len(names))
        for start in range(0, len(names), BLOCK):
            block = list(names)[start : start + BLOCK]
            sets = np.zeros((len(block), self.regions))
            for row, listed in enumerate(block):
                sets[row, np.frombuffer(listed, dtype=released.regions.dtype) - 1] = 1
            means = sets / sets.sum(axis=1, keepdims=True) @ chances.T
            inside = (number >= start) & (number < start + BLOCK)
            seen = np.zeros((pseudonyms, len(block)))
            np.add.at(seen, (several[inside] // length, number[inside] - start), 1)
            total += seen @ np.log(means)
        return total

    def _look(self, time: Ints) -> NDArray[np.bool_]:
        return np.isin(time % self.times, self.hours) if self.hours else np.ones(len(time), dtype=np.bool_)


def read_traces(named: Ints, released: RegionCells, *, regions: int, rng: np.random.Generator) -> Ints:
    """Return a region for each person and time, as told by the pseudonym that was taken for him.

    Args:
        named: for each pseudonym the person; of several pseudonyms of one person the last counts.
        released: cells pseudonym by pseudonym.
        regions: how many there are.
        rng: for cells that do not tell one region, and for people whom no pseudonym was taken for.
    """
    length = len(released) // len(named)
    pick = released.offsets[:-1] + (rng.random(len(released)) * released.sizes).astype(np.int64)
    anything = rng.integers(1, regions + 1, size=len(released))
    told = released.sizes > 0
    cells = np.where(told, released.regions[np.minimum(pick, len(released.regions) - 1)], anything)
    traces = rng.integers(1, regions + 1, size=(len(named), length))
    traces[named] = cells.reshape(len(named), length)
    return traces
