"""The likelihood ratio of membership by listing every original, every sample and every order: small cases, plain loops.

Of a release Y of m rows from n people, of whom one is the person or a stranger, the others drawn from a population: all
originals of the others are listed with their chances, all ways to keep m rows, all orders. Cells and chances of change
are Python functions here; nothing is shared with the attack but the data.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from itertools import combinations, permutations, product
from math import exp, prod

import numpy as np
import polars as pl

from sekisho.attack.records.membership_likelihood import ChanceMechanism, compute_ratios
from sekisho.data.frame.cells import RangeCells, gather_sets
from sekisho.data.frame.dataset import Column, Dataset, Kind, Schema
from sekisho.data.frame.release import MaskedTable
from sekisho.safety.mechanism import Mechanism
from sekisho.safety.transition import Replacement

TOWNS = ("a", "b", "c")
AGES = 4
Person = tuple[int, str]
Cell = tuple[tuple[int, int], frozenset[str]]
"""A range of ages and a set of towns."""
Chance = Callable[[Person, Cell], float]


class Change(StrEnum):
    """What is done to each row."""

    NOTHING = "nothing"
    RECODED = "recoded"
    PRAM = "pram"
    NOISE = "noise"


@dataclass(frozen=True, slots=True, kw_only=True)
class MembershipCase:
    """A release that may have come of a person and others.

    Attributes:
        population: of which the others are drawn, evenly with repetition.
        person: of whom it is asked.
        records: n.
        release: its rows.
        change: what was done to each row.
        strength: the retention of PRAM, or the inverse of the scale of the noise.
    """

    population: tuple[Person, ...]
    person: Person
    records: int
    release: tuple[Cell, ...]
    change: Change
    strength: float

    @classmethod
    def draw(cls, rng: np.random.Generator, change: Change) -> MembershipCase:
        """Draw a case of at most four people, and a release that can have come of it."""
        population = tuple(_draw_person(rng) for _ in range(int(rng.integers(2, 5))))
        records = int(rng.integers(2, 5))
        kept = int(rng.integers(1, records + 1))
        cuts = int(rng.integers(1, AGES))
        strength = float(rng.choice([0.3, 0.6, 0.9]))
        drawn = [population[int(rng.integers(0, len(population)))] for _ in range(kept)]
        release = tuple(_publish(person, change, cuts, rng) for person in drawn)
        everybody = [*population, _draw_person(rng)]
        person = everybody[int(rng.integers(0, len(everybody)))]
        return cls(
            population=population, person=person, records=records, release=release, change=change, strength=strength
        )

    def list_ratio(self) -> float:
        """Return P(release | in) / P(release | out), all originals listed."""
        inside, outside = 0.0, 0.0
        for others in product(self.population, repeat=self.records - 1):
            inside += self._list_chance([*others, self.person])
        inside /= len(self.population) ** (self.records - 1)
        for everybody in product(self.population, repeat=self.records):
            outside += self._list_chance(everybody)
        outside /= len(self.population) ** self.records
        return inside / outside

    def _list_chance(self, original: Sequence[Person]) -> float:
        """Return the chance of the release, in its order, from one original: all samples, all orders."""
        samples = list(combinations(range(len(original)), len(self.release)))
        orders = list(permutations(range(len(self.release))))
        total = sum(
            prod(self.chance(original[sample[place]], row) for place, row in zip(order, self.release, strict=True))
            for sample in samples
            for order in orders
        )
        return total / (len(samples) * len(orders))

    def chance(self, person: Person, cell: Cell) -> float:
        """Return the chance that a person's row is released as a cell."""
        (low, high), towns = cell
        age, town = person
        if self.change is Change.PRAM:
            same = town in towns
            spread = (1 - self.strength) / len(TOWNS)
            return (low <= age <= high) * (self.strength * same + spread)
        if self.change is Change.NOISE:
            return _integrate_laplace(low - age, self.strength) * (town in towns)
        return float(low <= age <= high and town in towns)

    def compute(self) -> float:
        """Return the ratio as the attack has it."""
        pram = None
        if self.change is Change.PRAM:
            change = Replacement(values=len(TOWNS), retention=self.strength)
            pram = Mechanism(
                records=self.records, sample=len(self.release), domains={"town": TOWNS}, transitions={"town": change}
            )
        noise = {"age": self.strength} if self.change is Change.NOISE else None
        mechanism = ChanceMechanism(records=self.records, pram=pram, noise=noise)
        ratios = compute_ratios(
            self.table, _make_people([self.person]), _make_people(self.population), mechanism, added=0.0
        )
        return float(ratios.ratio[0])

    @property
    def table(self) -> MaskedTable:
        """The release as a masked table."""
        ages = np.array([cell[0] for cell in self.release], dtype=np.int64)
        pairs = [(row, TOWNS.index(town)) for row, cell in enumerate(self.release) for town in sorted(cell[1])]
        rows, codes = (np.array([pair[place] for pair in pairs], dtype=np.int64) for place in (0, 1))
        towns = gather_sets(rows, codes.astype(np.int32), len(self.release), TOWNS)
        shown = RangeCells(
            lower=ages[:, 0].copy(), upper=ages[:, 1].copy(), suppressed=np.zeros(len(ages), dtype=np.bool_)
        )
        return MaskedTable(schema=SCHEMA, columns={"age": shown, "town": towns})


SCHEMA = Schema((Column(name="age", kind=Kind.INTEGER), Column(name="town", kind=Kind.CATEGORY)))


def _make_people(people: Sequence[Person]) -> Dataset:
    return Dataset(pl.DataFrame(list(people), schema={"age": pl.Int64, "town": pl.String}, orient="row"), SCHEMA)


def _draw_person(rng: np.random.Generator) -> Person:
    return int(rng.integers(0, AGES)), TOWNS[int(rng.integers(0, len(TOWNS)))]


def _publish(person: Person, change: Change, cut: int, rng: np.random.Generator) -> Cell:
    """Return a cell that the change can make of a person; recoding is by a fixed rule, two ranges and two sets."""
    age, town = person
    if change is Change.RECODED:
        towns = frozenset("ab") if town in "ab" else frozenset("c")
        return (0, cut - 1) if age < cut else (cut, AGES), towns
    if change is Change.PRAM:
        town = TOWNS[int(rng.integers(0, len(TOWNS)))]
    if change is Change.NOISE:
        age += int(rng.integers(-3, 4))
    return (age, age), frozenset({town})


@cache
def _integrate_laplace(gap: int, epsilon: float, steps: int = 4000) -> float:
    """Return the chance that rounded Laplace noise is a whole number, by summing its density over the step."""
    points = [gap - 0.5 + (step + 0.5) / steps for step in range(steps)]
    return sum(epsilon / 2 * exp(-epsilon * abs(point)) for point in points) / steps
