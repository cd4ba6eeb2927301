"""k-map and delta-presence: what a population file, known to everybody, does to records drawn from it.

Against whom: one who holds the population, with names, and looks for a released record in it (k-map), or asks whether
a person of it was drawn at all (delta-presence). F is how many of the population share a class's keys, f how many of
those were released.

- k-map: F >= k for every released class: he cannot narrow a record down to fewer than k people.
- delta-presence: low <= f / F <= high for every class of the population: he is never surer that a person is in, or out.

Both stand on the population file being all that is known of the people and the draw being even within a class.

Source: Sweeney, "Computational disclosure control", thesis, MIT 2001, section 4.3 (k-map); Nergiz, Atzori, Clifton,
"Hiding the presence of individuals from shared databases", SIGMOD 2007, definition 3 (delta-presence).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.frame.release import Release
from sekisho.data.records.microdata import read_microdata
from sekisho.data.shape import Shape
from sekisho.errors import Fault, FaultsError, ParameterError
from sekisho.parameters import checked
from sekisho.safety.cover import Coverage
from sekisho.safety.guarantee import Finding
from sekisho.safety.records.classes import ColumnCodes, number_classes
from sekisho.safety.records.published import PublishedClasses, read_classes
from sekisho.safety.records.record_risk import Matches
from sekisho.words import Said

EVERYBODY = Said("the population file holds everybody whom the adversary thinks possible")
POPULATION_HELP = "The file of the population: CSV or Parquet with the same key columns."
KEYS_HELP = "The columns that make the classes; all if none is named."


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PopulationClasses:
    """How many of the sample and of the population stand in each class of the population.

    Attributes:
        sample: f, by class.
        population: F, by class, at least 1.
        classes: of each record of the sample its class.
    """

    sample: NDArray[np.int64]
    population: NDArray[np.int64]
    classes: NDArray[np.int64]

    @property
    def people(self) -> int:
        """How many people the population has."""
        return int(self.population.sum())

    @property
    def matches(self) -> Matches:
        """The records of the sample, one by one."""
        return Matches(self.sample[self.classes], self.population[self.classes])

    @property
    def least_map(self) -> int:
        """The smallest F of a class that the sample has."""
        return int(self.population[self.sample > 0].min())

    @property
    def presence(self) -> tuple[float, float]:
        """The smallest and the largest f / F of a class of the population."""
        share = self.sample / self.population
        return float(share.min()), float(share.max())


def match_population(
    sample: pl.DataFrame,
    population: pl.DataFrame,
    *,
    source: str = "population",
    rows: NDArray[np.int64] | None = None,
) -> PopulationClasses:
    """Return the classes of a sample in its population; both hold the same columns, as texts.

    Args:
        sample: the records.
        population: everybody.
        source: the population's file, as faults name it.
        rows: where each record stands in its file, from 0; one after another if not given.

    Raises:
        FaultsError: a record of the sample has keys that the population does not have as often; all of them at once.
    """
    both = pl.concat([sample, population.select(sample.columns)])
    columns = [ColumnCodes.of(both[name]) for name in sample.columns]
    number = number_classes(columns, both.height)
    drawn = number[: sample.height]
    whole = np.bincount(number[sample.height :], minlength=int(number.max()) + 1)
    part = np.bincount(drawn, minlength=len(whole))
    beyond = np.flatnonzero((part > whole)[drawn])
    if len(beyond):
        places = beyond if rows is None else rows[beyond]
        message = Said(
            "more records share this one's keys than {population_source} has people of them", population_source=source
        )
        raise FaultsError(
            source,
            [Fault(row=row + 1, column="", rule="drawn from", value="", message=message) for row in places.tolist()],
        )
    held = np.flatnonzero(whole)
    place = np.zeros(len(whole), dtype=np.int64)
    place[held] = np.arange(len(held))
    return PopulationClasses(sample=part[held], population=whole[held], classes=place[drawn])


def _match_release(
    release: Release, keys: tuple[str, ...], population: Path | None
) -> tuple[PublishedClasses, PopulationClasses]:
    if population is None:
        raise ParameterError("population", Said("be a file"), population)
    published = read_classes(release, keys)
    people = read_microdata(population, columns=published.keys).data.frame
    sample = published.frame.select(pl.col(published.keys).cast(pl.String))
    return published, match_population(sample, people, source=str(population))


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class KMap:
    """Every released record fits at least k people of the population.

    Source: Sweeney, thesis, MIT 2001.
    """

    shapes: ClassVar[frozenset[Shape]] = frozenset({Shape.RECORDS})
    covers: ClassVar[Coverage] = Coverage.KEYED

    k: int = field(default=2, metadata={"help": "The least number of people that a record fits.", "recipe": "k_map"})
    keys: tuple[str, ...] = field(default=(), metadata={"help": KEYS_HELP})
    population: Path | None = field(
        default=None, metadata={"help": POPULATION_HELP, "recipe": "population", "detail": True}
    )

    def __post_init__(self) -> None:
        if not self.k >= 2:
            raise ParameterError("k", Said("be at least 2: a class of one is a person"), self.k)

    def check(self, release: Release) -> Finding:
        """Return whether every record fits k people, and a record that fits the fewest."""
        published, people = _match_release(release, self.keys, self.population)
        fits = people.population[people.classes]
        worst = int(published.classes[int(fits.argmin())])
        return published.find(
            worst,
            kept=people.least_map >= self.k,
            figure=float(people.least_map),
            wanted=float(self.k),
            words=Said(
                "some records fit {least_map} of the population, {k} are asked for",
                least_map=people.least_map,
                k=self.k,
            ),
            assumes=EVERYBODY,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class DeltaPresence:
    """Of everybody in the population the chance of being in the release lies between two limits.

    Source: Nergiz, Atzori, Clifton, SIGMOD 2007.
    """

    shapes: ClassVar[frozenset[Shape]] = frozenset({Shape.RECORDS})
    covers: ClassVar[Coverage] = Coverage.OPEN

    low: float = field(
        default=0.0, metadata={"help": "The least chance of being in the release.", "recipe": "presence"}
    )
    high: float = field(
        default=0.5, metadata={"help": "The largest chance of being in the release.", "recipe": "presence"}
    )
    keys: tuple[str, ...] = field(default=(), metadata={"help": KEYS_HELP})
    population: Path | None = field(
        default=None, metadata={"help": POPULATION_HELP, "recipe": "population", "detail": True}
    )

    def __post_init__(self) -> None:
        if not 0 <= self.low <= self.high <= 1:
            raise ParameterError(Said("low and high"), Said("be chances, low at most high"), (self.low, self.high))

    def check(self, release: Release) -> Finding:
        """Return whether everybody's chance lies within the limits, and the largest chance."""
        published, people = _match_release(release, self.keys, self.population)
        least, most = people.presence
        share = (people.sample / people.population)[people.classes]
        worst = int(published.classes[int(share.argmax())])
        return published.find(
            worst,
            kept=self.low <= least and most <= self.high,
            figure=most,
            wanted=self.high,
            words=Said(
                "chances of being in the release lie between {least:.4g} and {most:.4g}, between {low:g} "
                "and {high:g} is asked for",
                least=least,
                most=most,
                low=self.low,
                high=self.high,
            ),
            assumes=EVERYBODY,
        )
